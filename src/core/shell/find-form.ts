/**
 * A `find` that only lists: its places, and the tests that are known to do nothing.
 */
import type { ReadingForm } from './reading-forms.ts'

/** Tests with a value. */
const valued: ReadonlyMap<string, RegExp> = new Map([
  ...['-name', '-iname', '-path', '-ipath', '-wholename', '-regex', '-iregex'].map(
    (test) => [test, /^/s] as const,
  ),
  ['-type', /^[fdl](,[fdl])*$/],
  ['-maxdepth', /^\d+$/],
  ['-mindepth', /^\d+$/],
  ['-size', /^[-+]?\d+[bcwkMG]?$/],
  ['-mtime', /^[-+]?\d+$/],
  ['-mmin', /^[-+]?\d+$/],
])

const bare: ReadonlySet<string> = new Set([
  ...['-not', '!', '-o', '-or', '-a', '-and', '(', ')'],
  ...['-empty', '-print', '-print0', '-prune', '-xdev'],
])

/** How it reads; null: a word of it is not known to be harmless. */
export function findForm(words: readonly string[]): ReadingForm | null {
  const begin = words.findIndex((word) => /^[-(!]/.test(word))
  const places = begin < 0 ? words : words.slice(0, begin)
  const tests = begin < 0 ? [] : words.slice(begin)
  for (let i = 0; i < tests.length; i += 1) {
    const test = tests[i] as string
    if (bare.has(test)) continue
    if (valued.get(test)?.test(tests[i + 1] ?? '') !== true || tests[i + 1] === undefined) {
      return null
    }
    i += 1
  }
  return { tool: 'Glob', paths: places.length === 0 ? ['.'] : places, depth: 'none' }
}
