/** Adds up rows of costs by a common key. */
import type { OperationAnswer } from '../../src/doors/api/contract.ts'

export type CostEntry = OperationAnswer<'costs.read'>['rows'][number]
export type CostSum = {
  readonly key: string
  readonly costMicroUsd: number
  readonly row: CostEntry
}

/** One sum for each key, the dearest first; `row` is one of those that it is made of. */
export function sumCosts(
  rows: readonly CostEntry[],
  keyOf: (row: CostEntry) => string,
): readonly CostSum[] {
  const sums = new Map<string, CostSum>()
  for (const row of rows) {
    const key = keyOf(row)
    const costMicroUsd = (sums.get(key)?.costMicroUsd ?? 0) + row.costMicroUsd
    sums.set(key, { key, costMicroUsd, row })
  }
  return [...sums.values()].sort((a, b) => b.costMicroUsd - a.costMicroUsd)
}
