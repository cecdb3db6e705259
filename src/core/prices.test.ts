import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownPrices, type Price, priceUsage, raisePrices, withPrices } from './prices.ts'

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

test('a million tokens cost what the table says, whatever the date behind the name', () => {
  const use = { ...none, input: 1_000_000, output: 1_000_000 }
  const priced = priceUsage(knownPrices, { ...use, model: 'claude-sonnet-4-6-20260217' })
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
  expect(priceUsage(knownPrices, use)).toEqual({ microUsd: 60_000, isKnown: false })
})

test('prices of a user lie over the known ones', () => {
  const prices = withPrices({ 'house-model': { input: 1, output: 2 } })
  const use = { ...none, model: 'house-model', output: 10, cacheRead: 5 }
  expect(priceUsage(prices, use)).toEqual({ microUsd: 25, isKnown: true })
})

const rate = fc.integer({ min: 0, max: 9 })
const rates = fc.record(
  { input: rate, output: rate, cacheRead: rate, cacheWrite: rate, cacheWriteHour: rate },
  { requiredKeys: ['input', 'output'] },
)
const long = fc.tuple(rates, fc.integer({ min: 1, max: 30 }))
const price = fc.tuple(rates, fc.option(long)).map(([usual, more]): Price => {
  return more === null ? usual : { ...usual, long: { ...more[0], above: more[1] } }
})
const tokens = fc.nat(20)
const used = fc.record({
  ...{ input: tokens, output: tokens, cacheRead: tokens },
  ...{ cacheWrite: tokens, cacheWriteHour: tokens },
  model: fc.constantFrom('m', 'm-20260101', 'm-latest', 'other'),
})

test('prices that are raised are never below those before, nor below what was asked for', () => {
  const name = fc.constantFrom('m', 'm-20260101', 'm-latest', 'm-latest-20260101', 'new')
  fc.assert(
    fc.property(fc.tuple(price, name, price, used), ([known, raised, asked, use]) => {
      const base = withPrices({ m: known, other: known }, { ...knownPrices, models: {} })
      const prices = raisePrices({ [raised]: asked }, base)
      const cost = priceUsage(prices, use).microUsd
      expect(cost).toBeGreaterThanOrEqual(priceUsage(base, use).microUsd)
      const alone = withPrices({ [raised]: asked }, base)
      const exact = { ...use, model: raised }
      const costOfAsked = priceUsage(alone, exact).microUsd
      expect(priceUsage(prices, exact).microUsd).toBeGreaterThanOrEqual(costOfAsked)
    }),
    { numRuns: 1_000 },
  )
})

test('an hour in the cache of a model that nobody knows costs no less than five minutes', () => {
  const prices = withPrices({ m: { input: 1, output: 1, cacheWrite: 5_000 } })
  const use = { ...none, model: 'unheard-of', cacheWrite: 1, cacheWriteHour: 1 }
  expect(priceUsage(prices, use).microUsd).toBe(5_000)
})
