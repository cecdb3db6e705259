/**
 * How many tests a command ran, read from what it printed.
 * Knows the forms of summaries (`runner-summaries.ts`). Must not know commands or exit codes.
 *
 * The tests belong to the agent, and they print into the same output as their runner. So a
 * reading is strict: whole lines, complete blocks, numbers that add up. Each run has one summary:
 * two that differ are a contradiction, and the answer is null (unknown). A forged line can
 * therefore turn a good run into an unknown one, which counts as not green. Code that runs inside
 * the runner could still print a whole false run and exit before the real summary: counts are
 * asked for beside an exit code and a fingerprint, never instead of them.
 */
import { readGoTestSuites } from './read-go-test.ts'
import { readGradleTests } from './read-gradle-tests.ts'
import { isTapFailure, readTapCounts } from './read-tap.ts'
import { runnerSummaries, suiteSeparators } from './runner-summaries.ts'
import { type LineCounter, matchSummary, openLineCounter } from './summary-block.ts'
import { plainLines } from './terminal-text.ts'
import { addTestCounts, type CountedTests, isSameTestCounts, noTests } from './test-counts.ts'

/** What one runner says about one suite. */
export type TestSuite = {
  readonly counts: CountedTests
  /** What was tested, where the runner says so; suites with different keys are different. */
  readonly key: string | null
  readonly canBeEmpty: boolean
}

/** Only the end of an output is read. */
export const testOutputCharactersMax = 262_144
const suitesMax = 5000

/** The tests that ran, over all suites in an output; null: unknown or contradictory. */
export function readTestCounts(output: string): CountedTests | null {
  const lines = plainLines(output.slice(-testOutputCharactersMax))
  const printed = readSummaries(lines)
  const packages = readGoTestSuites(lines)
  if (printed === null || packages === null) return null
  const suites = [...printed, ...packages]
  if (suites.length > 0) return sumOf(suites, lines)
  return readTapCounts(lines) ?? readGradleTests(lines)
}

function sumOf(suites: readonly TestSuite[], lines: readonly string[]): CountedTests | null {
  const sum = suites.map((suite) => suite.counts).reduce(addTestCounts, noTests)
  const last = suites.at(-1)
  // WHY: the real summary is the last. If it has no test, an earlier one with tests is doubtful.
  const isDoubtful = last?.counts.total === 0 && !last.canBeEmpty && sum.total > 0
  const isHidden = sum.failed === 0 && lines.some(isTapFailure)
  return isDoubtful || isHidden ? null : sum
}

type Run = { readonly from: number; readonly announced: number | null; readonly isRunner: boolean }

/** The summaries of all runs, in order; null: a contradiction, or a run without its end. */
function readSummaries(lines: readonly string[]): readonly TestSuite[] | null {
  const suites: TestSuite[] = []
  let run: Run = { from: 0, announced: null, isRunner: false }
  let ofRun: TestSuite[] = []
  const count = openLineCounter(lines)
  for (let at = 0; at < lines.length; at += 1) {
    const next = beginsRun(lines, at)
    if (next !== null) {
      if (run.isRunner && ofRun.length === 0) return null
      suites.push(...ofRun)
      run = next
      ofRun = []
      continue
    }
    const found = summaryAt({ lines, at, count }, run)
    if (found === 'contradiction') return null
    if (found === null) continue
    if (suites.length + ofRun.length >= suitesMax) return null
    const same = ofRun.find((suite) => suite.key === found.suite.key)
    if (same !== undefined && !isSameTestCounts(same.counts, found.suite.counts)) return null
    if (same === undefined) ofRun.push(found.suite)
    at = found.last
  }
  if (run.isRunner && ofRun.length === 0) return null
  return [...suites, ...ofRun]
}

function beginsRun(lines: readonly string[], at: number): Run | null {
  const line = lines[at] ?? ''
  if (line === '') return null
  for (const { begins } of runnerSummaries) {
    const match = begins?.exec(line)
    if (match === undefined || match === null) continue
    const ran = match.groups?.ran
    return { from: at, announced: ran === undefined ? null : Number(ran), isRunner: true }
  }
  if (!suiteSeparators.some((one) => one.test(line))) return null
  return { from: at, announced: null, isRunner: false }
}

type Found = { readonly suite: TestSuite; readonly last: number }

type LineInOutput = {
  readonly lines: readonly string[]
  readonly at: number
  readonly count: LineCounter
}

function summaryAt(line: LineInOutput, run: Run): Found | 'contradiction' | null {
  const { lines, at, count } = line
  const { from } = run
  if (lines[at] === '') return null
  for (const summary of runnerSummaries) {
    const canBeEmpty = summary.canBeEmpty === true
    if (summary.none?.test(lines[at] ?? '') === true) {
      return { suite: { counts: noTests, key: null, canBeEmpty }, last: at }
    }
    const block = matchSummary(summary, { ...line, from })
    const isPreceded = summary.needs === undefined || count(summary.needs, from, at) > 0
    if (block === null || !isPreceded) continue
    const { counts, key, last } = block
    if (counts === null) return 'contradiction'
    if (run.announced !== null && run.announced !== counts.total) return 'contradiction'
    return { suite: { counts, key, canBeEmpty }, last }
  }
  return null
}
