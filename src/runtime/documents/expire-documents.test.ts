import { expect, onTestFinished, test } from 'vitest'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { leaseCollection, putLease, runOfLease } from '../calls/leases.ts'
import { proxyKeyCollection } from '../costs/proxy-keys.ts'
import { asAgent, openBench, startRelease } from '../runtime.contract.ts'
import { expireDocuments, expireDocumentsOfRuns } from './expire-documents.ts'

test('old documents of a collection are let go, and all others stay', async () => {
  const store = openMemoryStore()
  const document = (collection: string, key: string, at: number) => ({ collection, key, at })
  const documents = [document('a', 'old', 5), document('a', 'new', 15), document('b', 'old', 5)]
  await store.writeDocuments(documents.map((one) => ({ ...one, expected: 0, data: '{}' })))
  expect(await expireDocuments(store, { collection: 'a', before: 10, at: 20 })).toBe(1)
  const left = await Promise.all(
    documents.map(({ collection, key }) => store.readDocument(collection, key)),
  )
  expect(left.map((one) => one?.key ?? null)).toEqual([null, 'new', 'old'])
})

test('the hash of a key is let go once its run is over; that of an open run stays', async () => {
  const { runtime, store } = openBench(openMemoryStore())
  onTestFinished(() => runtime.close())
  const [open, ended] = [await startRelease(runtime), await startRelease(runtime)]
  const key = await runtime.proxyKeys.make(open)
  await runtime.proxyKeys.make(ended)
  await runtime.send(ended, { kind: 'cancel', reason: 'enough' }, asAgent)
  const collection = proxyKeyCollection
  expect(await expireDocumentsOfRuns(store, { collection, at: 1, once: 'removed' })).toBe(0)
  expect(await expireDocumentsOfRuns(store, { collection, at: 1, once: 'ended' })).toBe(1)
  expect(await store.readDocument(collection, ended)).toBeNull()
  expect(await runtime.proxyKeys.runOf(key)).toBe(open)
})

test('documents of calls are let go with their run, and those of servers stay', async () => {
  const { runtime, store } = openBench(openMemoryStore())
  onTestFinished(() => runtime.close())
  const kept = await startRelease(runtime)
  for (const runId of [kept, 'gone']) {
    const tools = { store, clock: { now: () => 1 } }
    await putLease(tools, { runId, callId: `${runId}:c1`, holder: 'one' })
  }
  const old = { collection: leaseCollection, at: 1, once: 'removed', runOf: runOfLease } as const
  expect(await expireDocumentsOfRuns(store, old)).toBe(1)
  expect(await expireDocumentsOfRuns(store, old)).toBe(0)
  expect(await store.countDocuments(leaseCollection, '')).toBe(1)
})
