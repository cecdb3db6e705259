/**
 * A short name for the contents of a call, to notice that the same one is made again.
 * Frozen with the events: states keep it.
 */
import { canonicalJson, type Json, type JsonObject, own } from '../json.ts'
import { isAside } from '../shell/changes-nothing.ts'
import { readShell } from '../shell/read-shell.ts'
import type { ShellReading, SimpleCommand } from '../shell/shell-reading.ts'
import type { Call } from './types.ts'

/** Fields beside a command that change nothing about what it does. */
const noteFields: ReadonlySet<string> = new Set([
  ...['description', 'justification', 'explanation', 'timeout', 'timeout_ms', 'run_in_background'],
])

/** What is asked of a call: `shell` saves reading its command once more. */
export type NamedCall = Pick<Call, 'tool' | 'input'> & Partial<Pick<Call, 'shell'>>

function contentOf({ input, shell = null }: NamedCall): JsonObject {
  const command = own(input, 'command')
  if (command === undefined) return input
  const kept = Object.entries(input).filter(([field]) => !noteFields.has(field))
  const same = typeof command === 'string' ? { command: workOf(command, shell) } : {}
  return { ...Object.fromEntries(kept), ...same }
}

/**
 * The commands of a text that do something, one after another. WHY not the text: with other spaces,
 * an `echo` in front or a `tail` behind, the same call would look like a new try. It is the text
 * where that says more than the words of its commands.
 */
function workOf(text: string, known: ShellReading | null): Json {
  const isSame = known?.ok === true && known.hidden.length === 0 && known.start === ''
  const reading = isSame && known.text === text ? known : readShell(text)
  if (!reading.ok || reading.hidden.length > 0 || reading.functions.length > 0) {
    return text.trim()
  }
  const { commands, assignments, redirections } = reading
  const outer = commands.filter(({ isInner }) => !isInner)
  const work = outer.filter((one) => !isAside(one))
  const isKnown = work.every(({ words }) => !words.includes(null))
  if (!isKnown || assignments.some(({ value }) => value === null)) return text.trim()
  const files = redirections.filter(({ target }) => target !== '/dev/null')
  // What is only said is work where another command, a file or a variable is given it.
  const isGiven = files.length + assignments.length > 0 || work.some(({ isPiped }) => isPiped)
  return [
    (work.length === 0 || isGiven ? outer : work).map(commandKey),
    assignments.map(({ name, value }) => [name, value]),
    files.map(({ kind, target, text: written }) => [kind, target ?? written]),
  ]
}

function commandKey({ words, text, stdin, dirs }: SimpleCommand): Json {
  return [words.includes(null) ? text : [...words], stdin, [...dirs]]
}

/**
 * 53 bits of the tool and of what the input says, of a command without notes on it (cyrb53).
 * WHY not SHA-256: it is made for each call, and an agent that found two calls of one name would
 *     only be told too early that it repeats itself. Nothing is approved or proven by it.
 */
export function contentKey(call: NamedCall): string {
  const text = `${call.tool}\0${canonicalJson(contentOf(call))}`
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
