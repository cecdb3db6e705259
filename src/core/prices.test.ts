import { expect, test } from 'vitest'
import { knownPrices, priceUsage, withPrices } from './prices.ts'

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

test('a million tokens cost what the table says, whatever the date behind the name', () => {
  const use = { ...none, input: 1_000_000, output: 1_000_000 }
  const priced = priceUsage(knownPrices, { ...use, model: 'claude-sonnet-4-5-20250929' })
  expect(priced).toEqual({ microUsd: 18_000_000, isKnown: true })
  expect(priceUsage(knownPrices, { ...use, model: 'anthropic/claude-opus-4-1' }).microUsd).toBe(
    90_000_000,
  )
})

test('what goes into a cache for an hour costs more than for five minutes', () => {
  const write = { ...none, model: 'claude-sonnet-4-5', cacheWrite: 1_000 }
  expect(priceUsage(knownPrices, write).microUsd).toBe(3_750)
  expect(priceUsage(knownPrices, { ...write, cacheWriteHour: 1_000 }).microUsd).toBe(6_000)
})

test('a long prompt has prices of its own', () => {
  const use = { ...none, model: 'claude-haiku-5-5', input: 100_000 }
  expect(priceUsage(knownPrices, use).microUsd).toBe(10_000)
  expect(priceUsage(knownPrices, { ...use, cacheRead: 1 }).microUsd).toBe(50_000)
})

test('a model that nobody knows costs as much as the dearest', () => {
  const use = { ...none, model: 'claude-sonnet-4-5x', input: 1_000 }
  expect(priceUsage(knownPrices, use)).toEqual({ microUsd: 15_000, isKnown: false })
})

test('prices of a user lie over the known ones', () => {
  const prices = withPrices({ 'house-model': { input: 1, output: 2 } })
  const use = { ...none, model: 'house-model', output: 10, cacheRead: 5 }
  expect(priceUsage(prices, use)).toEqual({ microUsd: 25, isKnown: true })
})
