/**
 * One word of a command list with a `*` in it, and which words of a command it stands for.
 * A `*` stays inside its word, and inside a folder unless it ends the word.
 */
import { runningNames } from './running-programs.ts'
import { baseName } from './wrappers.ts'

/** The texts between the `*` of one path segment; one text: no `*` in it. */
type Segment = readonly string[]

export type WildcardWord = {
  readonly segments: readonly Segment[]
  /** The `*` is the whole word. */
  readonly isAny: boolean
  /** The word ends in `*`: what lies deeper matches as well. */
  readonly isOpen: boolean
  /** The fixed text names the server of an address, so the author has named it. */
  readonly isAddress: boolean
  /** No fixed text is a pattern to a shell: files that a pattern finds match like the pattern. */
  readonly isPlain: boolean
}

/** A word as the texts between its `*`, at least two of them. */
export function wildcardWord(texts: readonly string[]): WildcardWord {
  const segments: string[][] = [[]]
  for (const [at, text] of texts.entries()) {
    const [first = '', ...more] = text.split('/')
    // The text behind a `*` belongs to the segment that the `*` is in.
    const last = segments.at(-1) as string[]
    if (at === 0) segments[0] = [first]
    else last.push(first)
    for (const segment of more) segments.push([segment])
  }
  return {
    segments,
    isAny: texts.every((text) => text === ''),
    isOpen: texts.at(-1) === '',
    isAddress: /^\w+:\/\//.test(texts[0] ?? ''),
    isPlain: texts.every((text) => /^[\w./:=,%~-]*$/.test(text)),
  }
}

/** Whether a word that is an argument is one that the entry stands for. */
export function matchesArgument(wildcard: WildcardWord, word: string): boolean {
  if (wildcard.isAny) return true
  const parts = word.split('/')
  const { segments, isOpen, isAddress } = wildcard
  if (isOpen ? parts.length < segments.length : parts.length !== segments.length) return false
  if (isAddress && !/^[\w.:-]*$/.test(parts[2] ?? '')) return false
  return parts.every((part, at) => {
    const segment = segments[at]
    if (segment?.length === 1) return part === segment[0]
    return !isDetour(part) && (segment === undefined || matchesSegment(segment, part))
  })
}

/** Whether every file that a pattern of the shell finds is one that the entry stands for. */
export function matchesShellPattern(wildcard: WildcardWord, pattern: string): boolean {
  return (wildcard.isAny || wildcard.isPlain) && matchesArgument(wildcard, pattern)
}

/**
 * Whether a program is one that the entry stands for. What runs other programs has to be named:
 * `py*` is not `python`, and `python*` is.
 */
export function matchesProgram(wildcard: WildcardWord, word: string): boolean {
  const parts = word.split('/')
  const { segments, isAny } = wildcard
  if (isAny || parts.length !== segments.length || isDetour(word)) return false
  if (!parts.every((part, at) => matchesSegment(segments[at] as Segment, part))) return false
  const family = familyOf(baseName(word))
  return !runningNames.has(family) || familyOf(segments.at(-1)?.[0] ?? '') === family
}

/** `python3.12` is of the family `python`. */
function familyOf(name: string): string {
  return name.toLowerCase().replace(/[\d.]+$/, '')
}

/** Could lead out of the folder that the fixed text names. */
function isDetour(part: string): boolean {
  return part === '..' || /%2e|%2f|%5c|\\/i.test(part)
}

/** The fixed texts in their order: the leftmost place of each leaves most room for the rest. */
function matchesSegment(segment: Segment, part: string): boolean {
  const first = segment[0] as string
  if (segment.length === 1) return part === first
  const last = segment.at(-1) as string
  if (part.length < first.length + last.length) return false
  if (!part.startsWith(first) || !part.endsWith(last)) return false
  const end = part.length - last.length
  let from = first.length
  for (const text of segment.slice(1, -1)) {
    const at = part.indexOf(text, from)
    if (at < 0 || at + text.length > end) return false
    from = at + text.length
  }
  return true
}
