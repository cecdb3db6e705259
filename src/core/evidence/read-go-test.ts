/**
 * Reads the output of `go test`: plain, `-v` and `-json`.
 * Knows Go's lines. Must not know other runners.
 *
 * Top-level tests are counted, subtests are not. Plain output names no passing test: a package
 * that passed counts as one test, which is the least that ran.
 */
import type { TestSuite } from './read-test-counts.ts'
import { noTests } from './test-counts.ts'

const packageEnd =
  /^(?<end>ok|FAIL|\?) +?\t(?<name>[^\s[]+)(?:\t[\d.]+s|\t\(cached\)| \[[a-z ]+\])?.*$/
const failedPackage = /^FAIL\t(?<name>[^\s[]+)(?:\t[\d.]+s| \[[a-z ]+\])$/
const testEnd = /^--- (?<end>PASS|FAIL|SKIP): (?<name>[^\s/]+) \([\d.]+s\)$/
const testNamesMax = 100_000

type Tests = { pass: Set<string>; fail: Set<string>; skip: Set<string> }
const emptyTests = (): Tests => ({ pass: new Set(), fail: new Set(), skip: new Set() })

/** One suite per package; null: a package ends twice, in different ways. */
export function readGoTestSuites(lines: readonly string[]): readonly TestSuite[] | null {
  const events = lines.flatMap(goEvent)
  return events.length > 0 ? suitesOfEvents(events) : suitesOfLines(lines)
}

function suitesOfLines(lines: readonly string[]): readonly TestSuite[] | null {
  const suites = new Map<string, TestSuite>()
  const isVerbose = lines.some((line) => line.startsWith('=== RUN   '))
  let tests = emptyTests()
  let isWarned = false
  for (const line of lines) {
    isWarned ||= line === 'testing: warning: no tests to run'
    const ended = testEnd.exec(line)?.groups
    if (ended !== undefined) note(tests, ended.end?.toLowerCase(), ended.name ?? '')
    const groups = (packageEnd.exec(line) ?? failedPackage.exec(line))?.groups
    if (groups === undefined) continue
    const { end, name = '' } = groups
    if (suites.has(name)) return null
    const isEmpty = end === '?' || isWarned || line.includes('[no tests')
    suites.set(name, suiteOf(name, tests, { isEmpty, isVerbose, isFailed: end !== 'ok' }))
    tests = emptyTests()
    isWarned = false
  }
  return [...suites.values()]
}

type PackageEnd = {
  readonly isEmpty: boolean
  readonly isVerbose: boolean
  readonly isFailed: boolean
}

function suiteOf(key: string, tests: Tests, end: PackageEnd): TestSuite {
  if (end.isEmpty) return { counts: noTests, key, canBeEmpty: true }
  const leastFailed = end.isFailed ? 1 : 0
  const failed = Math.max(tests.fail.size, leastFailed)
  const isCounted = end.isVerbose || end.isFailed
  const passed = isCounted ? tests.pass.size : 1
  const skipped = isCounted ? tests.skip.size : 0
  const counts = { passed, failed, skipped, total: passed + failed + skipped }
  return { counts, key, canBeEmpty: true }
}

function note(tests: Tests, end: string | undefined, name: string): void {
  if (end !== 'pass' && end !== 'fail' && end !== 'skip') return
  if (tests[end].size < testNamesMax) tests[end].add(name)
}

// ── -json ───────────────────────────────────────────────────────────────────

type GoEvent = { readonly action: string; readonly package: string; readonly test: string | null }

function goEvent(line: string): GoEvent[] {
  if (!line.startsWith('{"') || !line.includes('"Action":')) return []
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return []
    const { Action, Package, Test } = value as Record<string, unknown>
    if (typeof Action !== 'string' || typeof Package !== 'string') return []
    return [{ action: Action, package: Package, test: typeof Test === 'string' ? Test : null }]
  } catch {
    return []
  }
}

function suitesOfEvents(events: readonly GoEvent[]): readonly TestSuite[] | null {
  const suites = new Map<string, TestSuite>()
  const open = new Map<string, Tests>()
  for (const { action, package: name, test } of events) {
    const tests = open.get(name) ?? emptyTests()
    open.set(name, tests)
    if (test !== null && !test.includes('/')) note(tests, action, test)
    if (test !== null || !['pass', 'fail', 'skip'].includes(action)) continue
    if (suites.has(name)) return null
    const isEmpty = action === 'skip'
    suites.set(
      name,
      suiteOf(name, tests, { isEmpty, isVerbose: true, isFailed: action === 'fail' }),
    )
  }
  // A package that never ended: its output was cut, or its process died.
  return suites.size < open.size ? null : [...suites.values()]
}
