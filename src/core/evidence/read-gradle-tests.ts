/**
 * Reads a successful Gradle build, which prints no summary: one line per test, where the build
 * logs them (`testLogging { events 'passed', 'skipped', 'failed' }`).
 * Knows Gradle's lines. Must not know other runners.
 */
import { type CountedTests, noTests } from './test-counts.ts'

const testLine = /^(?<name>[\w$.]+(?: > .+)? > .+) (?<end>PASSED|FAILED|SKIPPED)$/

/** The tests that a build lists; null: it lists none, which says nothing. */
export function readGradleTests(lines: readonly string[]): CountedTests | null {
  if (!lines.some((line) => /^BUILD SUCCESSFUL in \S.*$/.test(line))) return null
  const ends = lines.flatMap((line) => testLine.exec(line)?.groups?.end ?? [])
  const isEmpty = lines.some((line) => /^> Task \S*:test NO-SOURCE$/.test(line))
  if (ends.length === 0) return isEmpty ? noTests : null
  const count = (end: string): number => ends.filter((one) => one === end).length
  const [passed, failed, skipped] = [count('PASSED'), count('FAILED'), count('SKIPPED')]
  return { passed, failed, skipped, total: ends.length }
}
