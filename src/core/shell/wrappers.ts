/** Shells, and runners of a project's own tools, by name. What they take stands in `programs/`. */
import table from './wrappers.json' with { type: 'json' }

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
