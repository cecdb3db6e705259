/**
 * Reads TAP, the Test Anything Protocol, as bats, mocha, tape and Perl print it.
 * Knows TAP. Must not know runners.
 */
import type { CountedTests } from './test-counts.ts'

const plan = /^1\.\.(?<tests>\d+)(?: +#.*)?$/
const point = /^(?<not>not )?ok(?: (?<number>\d+))?(?: (?<rest>.*))?$/
const skip = /# (?:skip|todo)\b/i

/** A line that says that a test failed. */
export function isTapFailure(line: string): boolean {
  return /^not ok \d+/.test(line) && !skip.test(line)
}

/** The tests at the top level; null: no complete TAP, or not as many tests as planned. */
export function readTapCounts(lines: readonly string[]): CountedTests | null {
  const plans = lines.flatMap((line) => plan.exec(line)?.groups?.tests ?? [])
  const [planned] = plans
  if (planned === undefined || plans.length > 1) return null
  if (lines.some((line) => line.startsWith('Bail out!'))) return null
  const points = lines.flatMap((line) => {
    const groups = point.exec(line)?.groups
    return groups === undefined ? [] : [groups]
  })
  const isInOrder = points.every(({ number }, at) => number === undefined || +number === at + 1)
  if (!isInOrder || points.length !== Number(planned)) return null
  const isSkipped = points.map(({ rest }) => skip.test(rest ?? ''))
  const skipped = isSkipped.filter(Boolean).length
  const failed = points.filter(({ not }, at) => not !== undefined && !isSkipped[at]).length
  return { passed: points.length - failed - skipped, failed, skipped, total: points.length }
}
