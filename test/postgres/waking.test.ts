/**
 * Waiting on one node for what another does, where PostgreSQL's notifications do not arrive.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { sharedPostgresUrl } from '../../scripts/postgres/shared-server.ts'
import { repeatEvery } from '../../src/daemon/repeat-timer.ts'
import type { OpenRuntime } from '../../src/runtime/open-runtime.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { asAgent, openBench, say, startRelease } from '../../src/runtime/runtime.contract.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openWireTo, type Wire } from './wire.ts'

const url = await sharedPostgresUrl()
const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

// Short, so that an ear is tested often; connecting and deciding take milliseconds.
const timeoutMs = 500
/** After this a waiter has looked once itself, and only waits; also on a busy machine. */
const firstLookMs = 1_500
const freshName = () => `t_${randomUUID().replaceAll('-', '')}`

type SchemaLocation = { readonly url: string; readonly schema: string }

async function openStore(place: SchemaLocation): Promise<Store> {
  const store = await openPostgresStore({ ...place, timeoutMs })
  closers.push(store.close)
  return store
}

async function openWire(target = url): Promise<Wire> {
  const wire = await openWireTo(target)
  closers.push(wire.close)
  return wire
}

type Nodes = { readonly near: OpenRuntime; readonly far: OpenRuntime; readonly store: Store }

/** Two nodes on one database. The store is that of the far one. */
async function openNodes(farUrl: string, nearUrl = url): Promise<Nodes> {
  const schema = freshName()
  const bench = openBench(await openStore({ url: nearUrl, schema }))
  const store = await openStore({ url: farUrl, schema })
  return { near: bench.runtime, far: bench.again(store), store }
}

/** Looks once a second, as a daemon does; faults are what is looked through. */
function look(node: OpenRuntime): void {
  closers.push(repeatEvery(1_000, node.poll, () => undefined).stop)
}

/** Waits on one node for the next record of a run; gives how long it took, in ms. */
async function waitOn(node: OpenRuntime, runId: string, after: number): Promise<number> {
  const begun = performance.now()
  const seq = await node.waitFor({ runId, after, timeoutMs: 20_000, signal: null })
  expect(seq).toBeGreaterThan(after)
  return performance.now() - begun
}

async function until(isTrue: () => boolean, msMax: number): Promise<boolean> {
  for (let ms = 0; ms < msMax && !isTrue(); ms += 10) await sleep(10)
  return isTrue()
}

const isListen = (message: Buffer) => message.includes('listen "')

type Fault = readonly [what: string, begin: (wire: Wire) => void]
const faults: readonly Fault[] = [
  [
    'refuses LISTEN',
    (wire) => {
      wire.onMessage = (message) => (isListen(message) ? 'refuse' : 'pass')
    },
  ],
  [
    'does not answer LISTEN',
    (wire) => {
      wire.onMessage = (message) => (isListen(message) ? 'ignore' : 'pass')
    },
  ],
  [
    'accepts LISTEN but delivers no notifications',
    (wire) => {
      wire.isMute = true
    },
  ],
]

function mend(wire: Wire): void {
  wire.onMessage = () => 'pass'
  wire.isMute = false
}

describe.each(faults)('a node whose way to the database %s', (_, begin) => {
  test('hears nothing, and its waiter wakes by the look', async () => {
    const wire = await openWire()
    begin(wire)
    const { near, far, store } = await openNodes(wire.url)
    const heard: string[] = []
    store.onChange((runId) => heard.push(runId))
    const runId = await startRelease(near)
    const waited = waitOn(far, runId, 2)
    await sleep(firstLookMs)
    await near.send(runId, say('READY'), asAgent)
    await sleep(300)
    expect(far.usage().waitersCount).toBe(1)
    await far.poll()
    expect(await waited).toBeLessThan(10_000)
    expect(heard).toEqual([])
  })

  test('knows it, goes on, and listens again when it can', async () => {
    const wire = await openWire()
    begin(wire)
    const { near, far, store } = await openNodes(wire.url)
    expect(await until(() => store.listenError() !== null, 30_000)).toBe(true)
    await expect.poll(() => store.findTrouble()).toBeNull()
    mend(wire)
    expect(await until(() => store.listenError() === null, 30_000)).toBe(true)
    const runId = await startRelease(near)
    const waited = waitOn(far, runId, 2)
    await near.send(runId, say('READY'), asAgent)
    expect(await waited).toBeLessThan(10_000)
  })

  test('finds out also when it heard well before', async () => {
    const wire = await openWire()
    const { store } = await openNodes(wire.url)
    await sleep(timeoutMs * 2.5)
    expect(store.listenError()).toBeNull()
    begin(wire)
    wire.cut()
    expect(await until(() => store.listenError() !== null, 30_000)).toBe(true)
    mend(wire)
    expect(await until(() => store.listenError() === null, 30_000)).toBe(true)
  })
})

test('what LISTEN was refused with is told', async () => {
  const wire = await openWire()
  wire.onMessage = (message) => (isListen(message) ? 'refuse' : 'pass')
  const { store } = await openNodes(wire.url)
  expect(store.listenError()).toMatch(/LISTEN fails: .*\(0A000\)/)
})

test('nodes that hear each other never take themselves for deaf', async () => {
  const { near, far, store } = await openNodes(url)
  const seen = new Set<string | null>()
  for (let round = 0; round < 15; round += 1) {
    seen.add(store.listenError())
    await sleep(timeoutMs / 5)
  }
  expect([...seen]).toEqual([null])
  const runId = await startRelease(near)
  const waited = waitOn(far, runId, 2)
  await near.send(runId, say('READY'), asAgent)
  expect(await waited).toBeLessThan(10_000)
})

test('a waiter wakes although every connection of both nodes was ended meanwhile', async () => {
  const admin = postgres(url, { max: 1 })
  closers.push(() => admin.end())
  const database = freshName()
  await admin`CREATE DATABASE ${admin(database)}`
  const own = new URL(url)
  own.pathname = `/${database}`
  const { near, far, store } = await openNodes(own.href, own.href)
  look(far)
  // WHY more than once: statements have little time here, and a busy machine takes longer.
  const runId = await vi.waitFor(() => startRelease(near), { timeout: 20_000, interval: 100 })
  const waited = waitOn(far, runId, 2)
  await sleep(firstLookMs)
  const ended = await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = ${database}`
  expect(ended.length).toBeGreaterThan(3)
  await expect.poll(() => near.send(runId, say('READY'), asAgent).catch(() => null)).not.toBeNull()
  expect(await waited).toBeLessThan(10_000)
  const heard: string[] = []
  store.onChange((changed) => heard.push(changed))
  await expect
    .poll(() => near.send(runId, say('BACK'), asAgent).then(() => heard.length))
    .toBeGreaterThan(0)
})
