import { expect, test } from 'vitest'
import { type CostEntry, sumCosts } from './sum-costs.ts'

const row = (stage: string, tool: string, costMicroUsd: number): CostEntry => ({
  ...{ runId: 'r_1', definition: 'd', day: '2026-11-16', count: 1 },
  ...{ stage, tool, costMicroUsd },
})

test('money is added up by what was asked for, the dearest first', () => {
  const rows = [row('plan', 'Bash', 2), row('build', 'model:x', 5), row('plan', 'model:x', 4)]
  const told = (sums: ReturnType<typeof sumCosts>) => sums.map((one) => [one.key, one.costMicroUsd])
  expect(told(sumCosts(rows, (one) => one.tool))).toEqual([
    ['model:x', 9],
    ['Bash', 2],
  ])
  expect(told(sumCosts(rows, (one) => one.stage))).toEqual([
    ['plan', 6],
    ['build', 5],
  ])
})
