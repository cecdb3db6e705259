/**
 * The entries of a list of commands, split into words once, and how a command matches one.
 */

import { readWord } from './expand-word.ts'
import { parseShell, type Word, type WordPart } from './parse.ts'
import type { SimpleCommand } from './shell-reading.ts'
import {
  matchesArgument,
  matchesProgram,
  matchesShellPattern,
  type WildcardWord,
  wildcardWord,
} from './wildcard-word.ts'

type EntryWord = string | WildcardWord

export type CommandEntry = {
  /** As its author wrote it. */
  readonly text: string
  readonly words: readonly EntryWord[]
  /** Its last word ends in `/`: a longer word below it matches as well. */
  readonly isOpen: boolean
}

/** The most entries, and characters of one, that are looked at; what is beyond matches nothing. */
const entriesMax = 10_000
const entryCharsMax = 4_096

/** A list by the first word of its entries: a long list is as quick as a short one. */
export type EntryIndex = {
  readonly byProgram: ReadonlyMap<string, readonly CommandEntry[]>
  /** Entries with a wildcard in the name of the program. */
  readonly wild: readonly CommandEntry[]
  /** `*` alone: what no entry matches is judged as if there were no list. */
  readonly isUnlimited: boolean
}

// WHY: a list is compiled once and asked for at every call. Keyed by the list itself, so that
// nothing is kept longer than the machine that holds it.
const known = new WeakMap<readonly string[], EntryIndex>()

/** The entries of a list in words. An entry that is no plain command matches nothing. */
export function entriesOf(entries: readonly string[]): EntryIndex {
  const found = known.get(entries)
  if (found !== undefined) return found
  const byProgram = new Map<string, CommandEntry[]>()
  const wild: CommandEntry[] = []
  let isUnlimited = false
  for (const text of entries.slice(0, entriesMax)) {
    const entry = readEntry(text)
    const program = entry?.words[0]
    if (entry === null || program === undefined) continue
    if (typeof program === 'string') {
      const same = byProgram.get(program) ?? []
      same.push(entry)
      byProgram.set(program, same)
    } else if (!program.isAny) wild.push(entry)
    else if (entry.words.length === 1) isUnlimited = true
  }
  const index = { byProgram, wild, isUnlimited }
  known.set(entries, index)
  return index
}

/** Put in the place of a wildcard while an entry is read; it stands in no entry of its own. */
const mark = '\u{f0000}'

/** One entry in words after quote removal; null when it is not one simple command. */
export function readEntry(text: string): CommandEntry | null {
  if (text.length > entryCharsMax || text.includes(mark)) return null
  const words = wordsOf(text)?.flatMap((word) => readWord(withMarks(word)))
  const values = words?.map(({ value }) => value) ?? [null]
  if (!isKnown(values)) return null
  const isOpen = values.at(-1)?.endsWith('/') ?? false
  return { text, words: values.map(entryWord), isOpen }
}

function entryWord(value: string): EntryWord {
  return value.includes(mark) ? wildcardWord(value.split(mark)) : value
}

function isKnown(values: readonly (string | null)[]): values is readonly string[] {
  return !values.includes(null)
}

/** The same word with a mark in the place of each wildcard. */
function withMarks(word: Word): Word {
  const marked = (part: WordPart): WordPart =>
    part.type === 'Glob' && part.kind === 'star'
      ? { type: 'Literal', pos: part.pos, end: part.end, value: mark, text: mark }
      : part
  return word.parts === undefined ? word : ({ ...word, parts: word.parts.map(marked) } as Word)
}

/** The words of an entry; null: it is more than one plain command, or none. */
function wordsOf(entry: string): readonly Word[] | null {
  const [statement, ...more] = parseEntry(entry) ?? []
  if (statement === undefined || more.length > 0) return null
  const { command } = statement
  if (command.type !== 'Command' || command.name === undefined) return null
  const parts = command.suffix.filter((part) => part.type === 'Word')
  return parts.length < command.suffix.length ? null : [command.name, ...parts]
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

type CommandWords = Pick<SimpleCommand, 'words' | 'wild'>

/** Every entry that a command matches. */
export function matchingEntries(
  { byProgram, wild }: EntryIndex,
  command: CommandWords,
): readonly CommandEntry[] {
  const same = byProgram.get(command.words[0] ?? '')
  const found = same === undefined ? [] : same.filter((entry) => matches(entry, command))
  return wild.length === 0 ? found : [...found, ...wild.filter((one) => matches(one, command))]
}

function matches(entry: CommandEntry, { words, wild }: CommandWords): boolean {
  const count = entry.words.length
  if (words.length < count) return false
  for (let i = 0; i < count; i += 1) {
    const wanted = entry.words[i] as EntryWord
    const word = words[i]
    if (word === wanted) continue
    if (word === undefined) return false
    if (typeof wanted === 'string') {
      if (i < count - 1 || !entry.isOpen || word === null || !isBelow(word, wanted)) return false
    } else if (word === null) {
      // What only shows when it runs may be several words: fine where any number may follow.
      if (i < count - 1 || !wanted.isAny) return false
    } else {
      const fits =
        i === 0 ? matchesProgram : wild[i] === true ? matchesShellPattern : matchesArgument
      if (!fits(wanted, word)) return false
    }
  }
  return true
}

/** How many words an entry names one after the other, from one of them on. */
export function namedFrom({ words }: CommandEntry, from: number): number {
  let at = from
  while (at < words.length && isNamed(words[at] as EntryWord)) at += 1
  return at - from
}

function isNamed(word: EntryWord): boolean {
  return typeof word === 'string' || word.isAddress
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
