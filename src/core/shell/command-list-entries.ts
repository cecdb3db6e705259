/**
 * The entries of a list of commands, split into words once, and how a command matches one.
 */

import { readWord } from './expand-word.ts'
import { parseShell } from './parse.ts'

export type CommandEntry = {
  readonly words: readonly string[]
  /** Its last word ends in `/`: a longer word below it matches as well. */
  readonly isOpen: boolean
}

/** The most entries, and characters of one, that are looked at; what is beyond matches nothing. */
const entriesMax = 10_000
const entryCharsMax = 4_096

/** A list by the first word of its entries: a long list is as quick as a short one. */
export type EntryIndex = ReadonlyMap<string, readonly CommandEntry[]>

// WHY: a list is compiled once and asked for at every call. Keyed by the list itself, so that
// nothing is kept longer than the machine that holds it.
const known = new WeakMap<readonly string[], EntryIndex>()

/** The entries of a list in words. An entry that is no plain command matches nothing. */
export function entriesOf(entries: readonly string[]): EntryIndex {
  const found = known.get(entries)
  if (found !== undefined) return found
  const index = new Map<string, CommandEntry[]>()
  for (const entry of entries.slice(0, entriesMax)) {
    const words = wordsOf(entry)
    const first = words?.[0]
    if (words === null || first === undefined) continue
    const same = index.get(first) ?? []
    same.push({ words, isOpen: words.at(-1)?.endsWith('/') ?? false })
    index.set(first, same)
  }
  known.set(entries, index)
  return index
}

/** The words of one entry after quote removal; null when it is not one simple command. */
function wordsOf(entry: string): readonly string[] | null {
  if (entry.length > entryCharsMax) return null
  const parsed = parseEntry(entry)
  const [statement, ...more] = parsed ?? []
  if (statement === undefined || more.length > 0) return null
  const { command } = statement
  if (command.type !== 'Command' || command.name === undefined) return null
  const parts = command.suffix.filter((part) => part.type === 'Word')
  if (parts.length < command.suffix.length) return null
  const words = [command.name, ...parts].flatMap((word) => readWord(word)).map((word) => word.value)
  return words.every((word) => word !== null) ? words : null
}

function parseEntry(entry: string) {
  try {
    const parsed = parseShell(entry)
    return parsed.ok ? parsed.script.commands : null
  } catch {
    // An entry that the parser stumbles over is no command, and matches none.
    return null
  }
}

/** How many words of the command the longest entry that matches names; null: none does. */
export function matchEntry(entries: EntryIndex, words: readonly (string | null)[]): number | null {
  let best: number | null = null
  for (const entry of entries.get(words[0] ?? '') ?? []) {
    const count = entry.words.length
    if (best !== null && count <= best) continue
    if (matches(entry, words)) best = count
  }
  return best
}

function matches(entry: CommandEntry, words: readonly (string | null)[]): boolean {
  const count = entry.words.length
  if (words.length < count) return false
  for (let i = 0; i < count - 1; i += 1) if (words[i] !== entry.words[i]) return false
  const last = words[count - 1]
  const wanted = entry.words[count - 1] as string
  if (last === wanted) return true
  return entry.isOpen && last !== undefined && last !== null && isBelow(last, wanted)
}

/** A longer word that stays below the folder or address after its dots are resolved. */
function isBelow(word: string, folder: string): boolean {
  if (!word.startsWith(folder) || /%2e|%2f|%5c|\\/i.test(word)) return false
  const depth: string[] = []
  for (const segment of (word.slice(folder.length).split(/[?#]/)[0] ?? '').split('/')) {
    if (segment === '..') {
      if (depth.pop() === undefined) return false
    } else if (segment !== '' && segment !== '.') depth.push(segment)
  }
  return true
}
