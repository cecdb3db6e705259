/** Rules that apply to JSON and YAML alike: names, characters, and the result of reading. */
import type { Finding } from '../finding.ts'
import { finding, joinPointer } from '../finding.ts'
import type { Node } from './source.ts'

/** A tree, or null with at least one error. A tree may come with errors, too. */
export type SourceReading = { readonly root: Node | null; readonly findings: readonly Finding[] }

/** What is wrong with the characters of a text; null when nothing is. */
export function badText(value: string): { message: string; hint: string } | null {
  // WHY: half a pair can't be written as UTF-8, so what is hashed would not be what was read.
  if (/\p{Surrogate}/u.test(value)) {
    const message = 'a string contains half of a surrogate pair'
    return { message, hint: 'write the whole character or its two escapes' }
  }
  // WHY: a NUL ends a text for programs and databases that would see it later.
  if (value.includes('\0'))
    return { message: 'a string contains a NUL character', hint: 'remove it' }
  return null
}

type KeyPlace = {
  readonly pointer: string
  readonly offset: number
  readonly seen: ReadonlySet<string>
}

/** The error for a name that must not be a member here; null when it may. */
export function keyProblem(key: string, place: KeyPlace): Finding | null {
  const at = { pointer: joinPointer(place.pointer, key), atKey: true } as const
  if (key === '__proto__') {
    const message = '`__proto__` cannot be a key'
    const hint = 'it would change the prototype of an object; choose another key'
    return { ...finding('RESERVED_NAME', at, { message, hint }), offset: place.offset }
  }
  if (!place.seen.has(key)) return null
  const message = `\`${shortened(key)}\` appears twice in the same object`
  const hint = 'only one of them would count; remove or rename the other'
  return { ...finding('DUPLICATE_KEY', at, { message, hint }), offset: place.offset }
}

/**
 * Whether a member stays in the tree beside its error.
 * WHY: a case may send `__proto__` as data, to see it refused; a definition with it has an
 *      error and never starts. Values come without a prototype, so it is a key like any other.
 */
export function isKept(problem: Finding | null): boolean {
  return problem === null || problem.code === 'RESERVED_NAME'
}

/** A text short enough to be quoted in a message. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
