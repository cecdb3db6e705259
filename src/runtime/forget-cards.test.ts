import { expect, onTestFinished, test } from 'vitest'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { forgetCards, forgetCardsOfRuns } from './forget-cards.ts'
import { gatewayDrawer } from './gateway.ts'
import { putAsked, putBegun, runOfCard } from './gateway-cards.ts'
import { proxyKeysDrawer } from './proxy-keys.ts'
import { asAgent, openBench, startRelease } from './runtime.contract.ts'

test('old cards of a drawer are let go, and all others stay', async () => {
  const store = openMemoryStore()
  const card = (drawer: string, key: string, at: number) => ({ drawer, key, at })
  const cards = [card('a', 'old', 5), card('a', 'new', 15), card('b', 'old', 5)]
  await store.writeCards(cards.map((one) => ({ ...one, expected: 0, data: '{}' })))
  expect(await forgetCards(store, { drawer: 'a', before: 10, at: 20 })).toBe(1)
  const left = await Promise.all(cards.map(({ drawer, key }) => store.readCard(drawer, key)))
  expect(left.map((one) => one?.key ?? null)).toEqual([null, 'new', 'old'])
})

test('the hash of a key is let go once its run is over; that of an open run stays', async () => {
  const { runtime, store } = openBench(openMemoryStore())
  onTestFinished(() => runtime.close())
  const [open, ended] = [await startRelease(runtime), await startRelease(runtime)]
  const key = await runtime.proxyKeys.make(open)
  await runtime.proxyKeys.make(ended)
  await runtime.send(ended, { kind: 'cancel', reason: 'enough' }, asAgent)
  const drawer = proxyKeysDrawer
  expect(await forgetCardsOfRuns(store, { drawer, at: 1, once: 'removed' })).toBe(0)
  expect(await forgetCardsOfRuns(store, { drawer, at: 1, once: 'ended' })).toBe(1)
  expect(await store.readCard(drawer, ended)).toBeNull()
  expect(await runtime.proxyKeys.runOf(key)).toBe(open)
})

test('cards of calls are let go with their run, and those of servers stay', async () => {
  const { runtime, store } = openBench(openMemoryStore())
  onTestFinished(() => runtime.close())
  const kept = await startRelease(runtime)
  const desk = { store, clock: { now: () => 1 } }
  for (const runId of [kept, 'gone']) {
    const place = (key: string) => ({ key: `call:${runId}::${key}`, card: null, runId })
    const begun = { approvalId: 'a', callId: `${runId}:c1`, holder: 'one', commandId: null }
    await putAsked(desk, place('1'), 'a')
    await putBegun(desk, place('2'), { ...begun, runId, estimateMicroUsd: 0 })
  }
  const drawer = gatewayDrawer
  await store.writeCards([{ drawer, key: 'pin::gone', expected: 0, data: '{}', at: 1 }])
  const old = { drawer, at: 1, once: 'removed', runOf: runOfCard } as const
  expect(await forgetCardsOfRuns(store, old)).toBe(3)
  expect(await forgetCardsOfRuns(store, old)).toBe(0)
  expect(await store.countCards(drawer, '')).toBe(4)
})
