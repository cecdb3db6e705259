import { expect, test } from 'vitest'
import { knownPrices, pricesSources } from '../src/core/prices.ts'
import { collectPrices, installedVersion } from './write-prices.ts'

test('the prices in the repository are those of the data set', () => {
  const [dataSet, ...others] = pricesSources
  expect(dataSet?.name.split(' ').at(-1)).toBe(installedVersion())
  expect(knownPrices.models).toEqual(collectPrices(dataSet?.date ?? ''))
  expect(others.map((one) => one.date)).toEqual([expect.stringMatching(/^20\d\d-\d\d-\d\d$/)])
})

test('models without a prompt cache and dated versions with their own price are known', () => {
  const models = collectPrices('2026-09-23')
  expect(models['gpt-5.5-pro']).toMatchObject({ input: 30, output: 180 })
  expect(models['gpt-4o']?.input).toBe(2.5)
  expect(models['gpt-4o-2024-05-13']?.input).toBe(5)
})

test('the prices of the day count, and announced ones where they are higher', () => {
  expect(collectPrices('2025-06-01').o3?.input).toBe(10)
  expect(collectPrices('2026-09-23').o3?.input).toBe(2)
  expect(collectPrices('2026-09-23')['gemini-3.6-flash']?.input).toBe(1.5)
})
