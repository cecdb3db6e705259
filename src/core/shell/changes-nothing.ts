/**
 * Whether a shell text is known to change nothing: it reads, says something, or waits.
 * WHY here: only advice rests on it. What is allowed is decided by stricter rules.
 */
import { isFreeCommand } from './free-commands.ts'
import names from './names.json' with { type: 'json' }
import { readingFormOf } from './reading-forms.ts'
import type { ShellReading, SimpleCommand } from './shell-reading.ts'

/** Programs that change nothing, whatever their words are. */
const idlePrograms: ReadonlySet<string> = new Set(names.idlePrograms.split(' '))

const gitLooks: ReadonlySet<string> = new Set(['status', 'diff', 'log', 'show'])

/** Whether a text is known to change nothing. */
export function changesNothing(shell: ShellReading): boolean {
  if (!shell.ok || shell.commands.length === 0) return false
  const { redirections, hidden, functions, assignments, commands } = shell
  if ([redirections, hidden, functions, assignments].some((part) => part.length > 0)) return false
  return commands.every((command) => isIdle(command) || isFreeCommand(command, null))
}

function isIdle(command: SimpleCommand): boolean {
  const [program, first] = command.words
  if (typeof program !== 'string' || command.assigns.length > 0) return false
  if (idlePrograms.has(program)) return true
  if (program === 'git') return typeof first === 'string' && gitLooks.has(first)
  return readingFormOf(command) !== null
}

/** Programs that do nothing but wait or tell the time, and end well whatever happened. */
const asidePrograms: ReadonlySet<string> = new Set(['true', ':', 'sleep', 'wait', 'date'])

/** Whether a command is beside the work: it says something, waits, or filters a pipe. */
export function isAside(command: SimpleCommand): boolean {
  const [program] = command.words
  const isIdle = typeof program === 'string' && asidePrograms.has(program)
  return (isIdle && command.assigns.length === 0) || isFreeCommand(command, null)
}
