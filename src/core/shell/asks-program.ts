/** Questions about a program itself, which do nothing else. Knows one command. */
import { grammarOf } from './program-grammar.ts'
import type { SimpleCommand } from './shell-reading.ts'

/**
 * `--help` or `--version` alone, or `--help` behind a verb of the program. Behind any other word
 * it would belong to a script or a program of that name.
 */
export function asksProgram({ words, assigns, isByRunner }: SimpleCommand): boolean {
  const [program, second, third] = words
  if (typeof program !== 'string' || typeof second !== 'string' || assigns.length > 0) return false
  // What a runner does not find, it fetches.
  if (isByRunner && grammarOf(program) === null) return false
  if (words.length === 2) return second === '--help' || second === '--version'
  if (words.length !== 3 || third !== '--help') return false
  const verb = grammarOf(program)?.verbs
  return verb?.has(second) === true && !/^(wraps|runs|shell)$/.test(verb.get(second)?.use ?? '')
}
