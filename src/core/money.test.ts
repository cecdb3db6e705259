import { expect, test } from 'vitest'
import { microUsd, usdOf, usdText } from './money.ts'

test('dollars become whole millionths, and back what they were', () => {
  expect([0, 0.1, 0.000001, 2.5, 1.005, 19.99].map(microUsd)).toEqual([
    ...[0, 100_000, 1, 2_500_000, 1_005_000, 19_990_000],
  ])
  for (const usd of [0, 0.1, 0.07, 1.005, 19.99, 1234.56]) expect(usdOf(microUsd(usd))).toBe(usd)
})

test('ten dimes are a dollar', () => {
  const dimes = Array.from({ length: 10 }, () => microUsd(0.1))
  expect(dimes.reduce((sum, dime) => sum + dime)).toBe(microUsd(1))
})

test('money is written to the last millionth', () => {
  expect([0, 500_000, 1_000_000, 12_340_001].map(usdText)).toEqual([
    '$0.00',
    '$0.50',
    '$1.00',
    '$12.340001',
  ])
})
