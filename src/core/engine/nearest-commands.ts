/**
 * Forms of a denied command that an agent probably wants instead: without its wrapper, without one
 * option, or the entry of the list that comes closest. Only proposes; each is tried elsewhere.
 * Knows readings and entries. Must not know stages or rules.
 */
import { programArguments } from '../shell/read-arguments.ts'
import type { ShellReading, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'
import { commandSynonyms, packageRunners } from './command-synonyms.ts'

/** Forms of one command that are proposed. */
const formsMax = 24
/** Words of a command that are left out one by one. */
const wordsMax = 12
/** Commands of a text that are looked at, and characters of a form. */
const commandsMax = 6
const formCharsMax = 500

/** Builtins that are of no use alone. */
const idle: ReadonlySet<string> = new Set(
  'echo printf cd true false : test [ exit return export pwd wait set break continue'.split(' '),
)

/** The simple commands of a text, and those that they run, without what is of no use alone. */
export function commandsApart(reading: ShellReading): readonly SimpleCommand[] {
  if (!reading.ok) return []
  const useful = reading.commands.filter(({ words }) => {
    return words.length > 0 && !idle.has(words[0] ?? '')
  })
  return useful.slice(0, commandsMax)
}

/** How a command is written alone; null: some word only shows when it runs. */
export function textOf({ words, wild }: Pick<SimpleCommand, 'words' | 'wild'>): string | null {
  const parts = words.map((word, at) => (word === null ? null : wild[at] ? word : quoted(word)))
  const text = parts.join(' ')
  return parts.includes(null) || text.length > formCharsMax ? null : text
}

function quoted(word: string): string {
  return /^[\w@%+=:,./^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Forms of a denied command that do nearly the same, the nearest first. */
export function formsOf(reading: ShellReading, denied: SimpleCommand): readonly string[] {
  if (!reading.ok) return []
  const at = reading.commands.indexOf(denied)
  const forms: string[] = []
  const push = (text: string | null): void => {
    if (text !== null && text !== '') forms.push(text)
  }
  // What a wrapper or an inner shell runs.
  for (const inner of reading.commands.slice(at + 1).filter(({ isInner }) => isInner)) {
    if (!idle.has(inner.words[0] ?? '')) push(textOf(inner))
  }
  const piped = reading.commands[at + 1]
  if (denied.words[0] === 'cat' && denied.words.length === 2 && piped?.isPiped === true) {
    const file = denied.words[1] ?? null
    push(textOf({ words: [...piped.words, file], wild: [...piped.wild, false] }))
  }
  push(textOf({ words: [baseName(denied.words[0] ?? ''), ...denied.words.slice(1)], wild: [] }))
  push(showingForm(denied))
  const options = programArguments(denied)?.options ?? []
  // With its value first: alone, the value of a dropped option would become an operand.
  for (const length of [2, 1]) {
    for (let from = 1; from < Math.min(denied.words.length, wordsMax); from += 1) {
      const start = denied.starts[from] ?? ''
      // Without an operand it would be about something else.
      if (!start.startsWith('-') && !/^\w+=/.test(start)) continue
      const next = denied.starts[from + 1] ?? '-'
      const own = options.filter(({ at }) => at === from)
      const isAlone = own.length > 0 && own.every(({ value }) => value === '')
      if (length === 2 && (isAlone || start.includes('=') || next.startsWith('-'))) continue
      const keep = (_: unknown, index: number) => index < from || index >= from + length
      push(textOf({ words: denied.words.filter(keep), wild: denied.wild.filter(keep) }))
    }
  }
  return forms.slice(0, formsMax)
}

/** Options by which a program that changes files shows what it would change. */
const showing = ['check', 'dry-run', 'diff'] as const

/** `black .` as `black --check .`: the same without a change; null: it has no such option. */
function showingForm(command: SimpleCommand): string | null {
  const found = programArguments(command)
  if (found === null) return null
  const { grammar, options, verbs } = found
  const name = showing.find((one) => grammar.names.get(one)?.kind === 'shows')
  if (name === undefined) return null
  const writing = options.filter(({ kind }) => /^(edits|writes)$/.test(kind)).map(({ at }) => at)
  const behind = command.words.lastIndexOf(verbs.at(-1) ?? command.words[0] ?? '') + 1
  const words = command.words.toSpliced(behind, 0, `${grammar.isSingle ? '-' : '--'}${name}`)
  const wild = command.wild.toSpliced(behind, 0, false)
  const keep = (_: unknown, at: number) => !writing.includes(at < behind ? at : at - 1)
  return textOf({ words: words.filter(keep), wild: wild.filter(keep) })
}

// ── entries of the list ─────────────────────────────────────────────────────

/** Entries in the order of how near they come to a command; those that are not near stay behind. */
export function nearestFirst(
  entries: readonly string[],
  words: readonly string[],
): readonly { readonly entry: string; readonly nearness: number }[] {
  const wanted = termsOf(words)
  return entries
    .map((entry) => ({ entry, nearness: nearness(termsOf(entry.split(/\s+/)), wanted) }))
    .sort((a, b) => b.nearness - a.nearness)
}

type Terms = {
  readonly program: string
  readonly words: ReadonlySet<string>
  readonly options: ReadonlySet<string>
  /** One for each word that belongs to it. */
  readonly kinds: readonly number[]
}

/** Words of a command that are compared. */
const termsMax = 16

function termsOf(words: readonly string[]): Terms {
  const known = words.slice(0, termsMax).map((word) => baseName(word).toLowerCase())
  const plain = known
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/\*+$/, ''))
  const pieces = plain.flatMap((word) => [versionless(word), ...word.split(/[:._-]/)])
  const options = known.filter((word) => word.startsWith('-'))
  return {
    program: versionless(plain[0] ?? ''),
    words: new Set(pieces.filter((word) => word !== '')),
    options: new Set(options),
    kinds: [...pieces, ...options].flatMap((word) => commandSynonyms.get(word) ?? []),
  }
}

function versionless(word: string): string {
  return word.replace(/(?<=[a-z])[\d.]+$/, '')
}

/** How much two commands have in common; what only runs other things counts little. */
function nearness(entry: Terms, wanted: Terms): number {
  let sum = entry.program === wanted.program ? (packageRunners.has(entry.program) ? 1 : 2) : 0
  for (const word of entry.words) {
    if (!wanted.words.has(word)) sum -= packageRunners.has(word) ? 0 : 0.5
    else sum += packageRunners.has(word) ? 0.5 : 3
  }
  for (const option of entry.options) sum += wanted.options.has(option) ? 0.5 : -0.25
  for (const kind of new Set(entry.kinds)) {
    const count = wanted.kinds.filter((one) => one === kind).length
    sum += count === 0 ? 0 : 2 + count / 2
  }
  return sum
}

/** The words of a command as far as they are known. */
export function knownWords({ words, starts }: SimpleCommand): readonly string[] {
  return words.map((word, at) => word ?? starts[at] ?? '')
}
