import { expect, test } from 'vitest'
import { knownPrices, pricesSource } from '../src/core/prices.ts'
import { collectPrices, installedVersion } from './write-prices.ts'

test('the prices in the repository are those of the data set', () => {
  expect(pricesSource.version).toBe(installedVersion())
  expect(knownPrices.models).toEqual(collectPrices(pricesSource.date))
})

test('the prices of the day count, and announced ones where they are higher', () => {
  expect(collectPrices('2025-06-01').o3?.input).toBe(10)
  expect(collectPrices('2026-09-23').o3?.input).toBe(2)
  expect(collectPrices('2026-09-23')['gemini-3.6-flash']?.input).toBe(1.5)
})
