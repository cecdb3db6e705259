/**
 * Two daemons on one database, one of them behind something that has no LISTEN.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, describe, expect, test } from 'vitest'
import { sharedPostgresUrl } from '../../scripts/postgres/shared-server.ts'
import { type House, isOurNode, openHouse, release } from '../../src/main/daemon.contract.ts'
import { openWireTo } from './wire.ts'

const shared = await sharedPostgresUrl()
const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A database that no other test knows. */
async function createDatabase(): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(shared, { max: 1 })
  await admin`CREATE DATABASE ${admin(name)}`
  await admin.end()
  const url = new URL(shared)
  url.pathname = `/${name}`
  return url.href
}

function openHouseAt(database: string): House {
  const house = openHouse()
  closers.push(house.close)
  mkdirSync(house.folder, { mode: 0o700 })
  writeFileSync(join(house.folder, 'config.json'), JSON.stringify({ database }))
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  return house
}

/** Waits on one daemon for a decision that is made on the other; gives the ms in between. */
async function decideApart(near: House, far: House): Promise<number> {
  const { runId } = await near.json('start', 'release.json')
  await near.json('signal', 'READY', '--run', runId)
  const { view } = await near.json('signal', 'SHIP', '--run', runId)
  const waiting = far.cli('wait', runId, '--timeout', '60').then(({ code }) => {
    return { code, at: performance.now() }
  })
  await expect.poll(async () => (await far.json('status')).waitersCount).toBe(1)
  await near.json('approve', view.approval?.id ?? '')
  const decidedAt = performance.now()
  const { code, at } = await waiting
  expect(code).toBe(0)
  return at - decidedAt
}

const told = (house: House, words: string): number => house.log().split(words).length - 1
const deaf = 'notifications from other nodes do not work; polling every second'
const healed = 'notifications from other nodes work again'

describe.runIf(isOurNode)('a daemon whose way to PostgreSQL refuses LISTEN', () => {
  test('serves, says so once, wakes its waiters, and listens as soon as it can', async () => {
    const url = await createDatabase()
    const wire = await openWireTo(url)
    closers.push(wire.close)
    let refusedCount = 0
    wire.onMessage = (message) => {
      if (!message.includes('listen "')) return 'pass'
      refusedCount += 1
      return 'refuse'
    }
    const [near, far] = [openHouseAt(url), openHouseAt(wire.url)]
    expect(await decideApart(near, far)).toBeLessThan(20_000)

    const status = await far.cli('status', '--json')
    expect(status.code, 'it is well').toBe(0)
    expect(JSON.parse(status.out)).toMatchObject({
      listenError: expect.stringMatching(/^LISTEN fails: .*\(0A000\)$/),
      trouble: null,
    })
    expect((await far.cli('status')).out).toMatch(
      /listen +LISTEN\/NOTIFY is not working, polling every second:\s+LISTEN fails/,
    )
    expect(JSON.parse((await near.cli('status', '--json')).out)).toMatchObject({
      listenError: null,
    })

    await expect.poll(() => refusedCount).toBeGreaterThan(1)
    expect([told(far, deaf), told(far, healed)]).toEqual([1, 0])
    wire.onMessage = () => 'pass'
    await expect.poll(() => told(far, healed)).toBe(1)
    expect(JSON.parse((await far.cli('status', '--json')).out)).toMatchObject({ listenError: null })
    expect([told(far, deaf), told(near, deaf)]).toEqual([1, 0])
  })
})
