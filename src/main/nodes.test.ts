/** Daemons that share a database: whatever is done on one is known on the other. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedPostgresUrl } from '../../scripts/postgres/shared-server.ts'
import { type House, isOurNode, openHouse, release } from './daemon.contract.ts'

const houses: House[] = []
beforeAll(async () => {
  if (!isOurNode) return
  const database = await sharedPostgresUrl()
  for (let count = 0; count < 2; count += 1) {
    const house = openHouse()
    mkdirSync(house.folder, { mode: 0o700 })
    writeFileSync(join(house.folder, 'config.json'), JSON.stringify({ database }))
    houses.push(house)
  }
})
afterAll(() => Promise.all(houses.map((house) => house.close())))

describe.runIf(isOurNode)('two daemons on one PostgreSQL', () => {
  test('a run is started on one, asked about, and approved on the other', async () => {
    const [here, there] = houses as [House, House]
    writeFileSync(join(here.workspace, 'release.json'), JSON.stringify(release))
    const { runId } = await here.json('start', 'release.json')
    await there.json('signal', 'READY', '--run', runId)
    const { view } = await here.json('signal', 'SHIP', '--run', runId)
    const waiting = here.cli('wait', runId, '--timeout', '60').then((said) => {
      return { code: said.code, at: performance.now() }
    })
    await there.json('approve', view.approval?.id ?? '')
    const approvedAt = performance.now()
    const { code, at } = await waiting
    expect(code).toBe(0)
    expect(at - approvedAt).toBeLessThan(30_000)
    expect(await there.json('log', runId, '--verify')).toMatchObject({ ok: true })
    await Promise.all(houses.map((house) => house.cli('stop')))
    expect(await here.json('db', 'check')).toMatchObject({ store: 'postgres', problems: [] })
  })
})
