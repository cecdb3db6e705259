/**
 * Programs that run another program given to them: which of their options take a value, and how
 * many operands come before the inner command. The table is `wrappers.json`.
 */
import table from './wrappers.json' with { type: 'json' }

export type Wrapper = {
  /** Letters of options without and with a value. */
  readonly flags: string
  readonly values: string
  readonly longFlags: readonly string[]
  readonly longValues: readonly string[]
  /** Operands in front of the inner command. */
  readonly operands: number
  /** `NAME=value` may stand in front of the inner command. */
  readonly takesAssignments: boolean
  /** `words`: it runs them; `script`: it hands them, joined, to a shell. */
  readonly runs: 'words' | 'script'
  /** A number as an option, as in `nice -5`. */
  readonly takesNumber: boolean
  /** Any long option may stand there, as long as its value is glued to it. */
  readonly takesAnyLong: boolean
  /** Options whose value is a script of its own. */
  readonly scripts: readonly string[]
}

const plain: Wrapper = {
  flags: '',
  values: '',
  longFlags: [],
  longValues: [],
  operands: 0,
  takesAssignments: false,
  runs: 'words',
  takesNumber: false,
  takesAnyLong: false,
  scripts: [],
}

/** By name; an object without a prototype would do, a map cannot be tricked. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries(table.wrappers as Readonly<Record<string, Partial<Wrapper>>>).map(
    ([name, given]) => [name, { ...plain, ...given }],
  ),
)

/** Shells whose scripts bash can read well enough. */
export const shells: ReadonlySet<string> = new Set(table.shells.split(' '))

/** Shells that speak another language. */
export const strangeShells: ReadonlySet<string> = new Set(table.strangeShells.split(' '))

/**
 * Runners of a project's own tools: the words in front of the tool. An entry for the runner
 * speaks for the tool; what it does is looked at all the same.
 */
export const runners: readonly (readonly string[])[] = table.runners.map((words) =>
  words.split(' '),
)

/** The program a first word names, without its folder. */
export function baseName(word: string): string {
  return word.includes('/') ? word.slice(word.lastIndexOf('/') + 1) : word
}
