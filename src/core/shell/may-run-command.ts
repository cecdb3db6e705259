/**
 * Whether a shell text may run a command of a list: the other way round than a list of what is
 * allowed. A text that cannot be parsed counts as yes; scripts, aliases and tasks are not looked
 * into, so this is no boundary.
 */
import { entriesOf, matchingEntries } from './command-list-entries.ts'
import type { ShellReading, SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

/** Whether a text may run one of these commands, with whatever options and arguments. */
export function mayRunCommand(reading: ShellReading, entries: readonly string[]): boolean {
  if (!reading.ok || reading.functions.length > 0) return true
  if (reading.hidden.some(({ kind }) => kind === 'code')) return true
  const list = entriesOf(entries)
  const wanted = entries.map((entry) => entry.split(/\s+/).filter((word) => word !== ''))
  return reading.commands.some(
    (command) =>
      matchingEntries(list, command).length > 0 || wanted.some((words) => fits(command, words)),
  )
}

/**
 * Whether the words of an entry are in a command in their order, with nothing between them but
 * options and what may be the value of one: `git -C x push` is a `git push`.
 */
function fits({ words }: SimpleCommand, [program, ...rest]: readonly string[]): boolean {
  const first = words[0]
  if (first === undefined || program === undefined) return false
  if (first === null) return true
  if (baseName(first) !== program) return false
  let isAfterOption = false
  let next = 0
  for (const word of words.slice(1)) {
    if (next === rest.length) return true
    if (word === null || word === rest[next]) next += 1
    else if (!word.startsWith('-') && !isAfterOption) return false
    isAfterOption = word?.startsWith('-') === true
  }
  return next === rest.length
}
