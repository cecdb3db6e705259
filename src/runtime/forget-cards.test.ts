import { expect, test } from 'vitest'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { forgetCards } from './forget-cards.ts'

test('old cards of a drawer are let go, and all others stay', async () => {
  const store = openMemoryStore()
  const card = (drawer: string, key: string, at: number) => ({ drawer, key, at })
  const cards = [card('a', 'old', 5), card('a', 'new', 15), card('b', 'old', 5)]
  await store.writeCards(cards.map((one) => ({ ...one, expected: 0, data: '{}' })))
  expect(await forgetCards(store, { drawer: 'a', before: 10, at: 20 })).toBe(1)
  const left = await Promise.all(cards.map(({ drawer, key }) => store.readCard(drawer, key)))
  expect(left.map((one) => one?.key ?? null)).toEqual([null, 'new', 'old'])
})
