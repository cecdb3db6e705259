/**
 * How many tests ran, and how they ended.
 * Knows numbers. Must not know where they were read.
 */
import type { TestCounts } from './recorded-evidence.ts'

/** What was read: `total` is the sum of the others. */
export type CountedTests = TestCounts & { readonly total: number }

export const noTests: CountedTests = { passed: 0, failed: 0, skipped: 0, total: 0 }

/** No runner counts higher; a number above it is not a count. */
export const testCountMax = 10_000_000

/** The counts of two suites together. */
export function addTestCounts(a: CountedTests, b: CountedTests): CountedTests {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    total: a.total + b.total,
  }
}

/** Whether two summaries say the same. */
export function isSameTestCounts(a: CountedTests, b: CountedTests): boolean {
  return a.passed === b.passed && a.failed === b.failed && a.skipped === b.skipped
}

type PartialCounts = {
  readonly passed: number | null
  readonly failed: number
  readonly skipped: number
  readonly total: number | null
}

/** Completes counts of which passed or total is missing; null: they contradict each other. */
export function completeTestCounts(partial: PartialCounts): CountedTests | null {
  const { failed, skipped } = partial
  const passed = partial.passed ?? (partial.total ?? 0) - failed - skipped
  const total = partial.total ?? passed + failed + skipped
  const counts = { passed, failed, skipped, total }
  const isCount = (value: number): boolean =>
    Number.isInteger(value) && value >= 0 && value <= testCountMax
  if (!Object.values(counts).every(isCount)) return null
  return passed + failed + skipped === total ? counts : null
}
