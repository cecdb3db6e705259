/**
 * The rule on which files of the workspace may be changed.
 * Knows patterns and the files of a call. Must not know stages.
 */
import type { Call, Denial } from '../engine/types.ts'
import { couldTouch, matchesGlob } from '../expr/glob.ts'

/** Patterns that are named in a reason. */
const patternsNamedMax = 6

/** Denies a change of a file that the patterns do not allow, or that nobody can tell. */
export function ruleOnWritable(call: Call, patterns: readonly string[] | undefined): Denial | null {
  if (patterns === undefined || call.isOwn) return null
  const outside = call.writes.find(({ inside }) => inside === null)
  if (outside !== undefined) return denial(outside.written, patterns)
  const file = call.edits.find((path) => !isWritable(path, patterns))
  return file === undefined ? null : denial(file, patterns)
}

/** Whether a file may be changed: it has to match, and no exclusion may touch it. */
export function isWritable(path: string, patterns: readonly string[]): boolean {
  const excluded = patterns.filter((one) => one.startsWith('!')).map((one) => one.slice(1))
  if (excluded.some((pattern) => couldTouch(pattern, path))) return false
  const allowed = patterns.filter((one) => !one.startsWith('!'))
  // WHY: what runs the tests is installed there, and no fingerprint and no diff shows it.
  const isInstalled = couldTouch('**/node_modules/**', path)
  if (isInstalled && !allowed.some((one) => one.includes('node_modules'))) return false
  // A whole folder, or a name with wildcards, could be any file in it.
  if (/[*?]/.test(path)) return false
  if (allowed.length === 0) return excluded.length > 0
  return !path.endsWith('/') && allowed.some((pattern) => matchesGlob(pattern, path))
}

function denial(path: string, patterns: readonly string[]): Denial {
  const named = patterns.slice(0, patternsNamedMax).map((one) => `\`${one}\``)
  const more = patterns.length > named.length ? ' …' : ''
  return {
    code: 'PATH_OUT_OF_SCOPE',
    reason: `\`${path}\` may not be changed here`,
    hint: `files that may be changed here: ${named.join(', ')}${more}`,
  }
}
