/**
 * The command in the input of a shell tool, in the forms in which hosts pass it.
 * Knows inputs. `core/shell` parses the command.
 */
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'
import { readShell } from '../shell/read-shell.ts'
import type { AssignedValue, GoodReading, ShellReading } from '../shell/shell-reading.ts'
import { baseName, shells, strangeShells } from '../shell/wrappers.ts'

type ShellInput =
  | { readonly ok: true; readonly reading: ShellReading; readonly hasArguments: boolean }
  | { readonly ok: false; readonly problem: string }

/** Words of a command that is passed as a list. */
const commandWordsMax = 10_000

const commandKeys = [
  ...(['command', 'cmd', 'chars', 'script', 'commandLine', 'command_line'] as const),
  'shell_command',
] as const

/**
 * The command of an input, read as bash reads it; null: it names none. `start`: the folder it
 * starts in, seen from the workspace; null: it cannot be told.
 */
export function shellIn(input: JsonObject, start: string | null): ShellInput | null {
  const action = asObject(own(input, 'action'))
  const fields = action ?? input
  const [key, ...others] = keysIn(fields)
  if (key === undefined) return null
  if (others.length > 0) return { ok: false, problem: 'the input names more than one command' }
  const command = own(fields, key) as Json
  const extra = own(fields, 'args') ?? null
  const text = commandTextOf(command, extra, key)
  if (!text.ok) return text
  const given = assignedIn(fields)
  if (given === null) return { ok: false, problem: 'the environment is not a list of variables' }
  const reading = withAssigned(readShell(text.text, start), given)
  return { ok: true, reading, hasArguments: extra !== null }
}

/** The fields of an input that hold a command. */
function keysIn(fields: JsonObject): readonly (typeof commandKeys)[number][] {
  return commandKeys.filter((one) => (own(fields, one) ?? null) !== null)
}

/** The input with its shell text changed; null: the form it is in has no text to change. */
export function withText(input: JsonObject, change: (text: string) => string): JsonObject | null {
  const action = asObject(own(input, 'action'))
  const changed = withField(action ?? input, change)
  return changed === null || action === null ? changed : { ...input, action: changed }
}

function withField(fields: JsonObject, change: (text: string) => string): JsonObject | null {
  const [key] = keysIn(fields)
  const command = key === undefined ? undefined : own(fields, key)
  if (key === undefined || command === undefined || own(fields, 'args') !== undefined) return null
  if (typeof command === 'string') return { ...fields, [key]: change(command) }
  if (!Array.isArray(command)) return null
  const [shell = null, flag = null, script = null] = command as readonly Json[]
  if (typeof script !== 'string' || scriptOf(command as readonly string[]) === null) return null
  return { ...fields, [key]: [shell, flag, change(script)] }
}

type Text =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string }

function commandTextOf(command: Json, extra: Json, key: string): Text {
  if (typeof command === 'string' && extra === null) return { ok: true, text: command }
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(extra) ? extra : [])]
  if (extra !== null && !Array.isArray(extra)) return { ok: false, problem: '`args` is not a list' }
  if (words.length > commandWordsMax || !words.every((word) => typeof word === 'string')) {
    return { ok: false, problem: `\`${key}\` is not a string or a list of strings` }
  }
  const texts = words as readonly string[]
  const script = extra === null ? scriptOf(texts) : null
  return { ok: true, text: script ?? texts.map(quoted).join(' ') }
}

const shellNames: ReadonlySet<string> = new Set(
  ['bash', 'sh', 'zsh'].flatMap((name) => [name, `/bin/${name}`, `/usr/bin/${name}`]),
)

/** Codex passes a shell text as `["bash", "-lc", text]`. */
function scriptOf(words: readonly string[]): string | null {
  const [shell = '', flag = '', script = null] = words
  return words.length === 3 && shellNames.has(shell) && /^-l?c$/.test(flag) ? script : null
}

/** A word that a shell reads as itself. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word) && !word.includes('=')) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** The variables an input sets beside its command; null: they cannot be read. */
function assignedIn(input: JsonObject): readonly AssignedValue[] | null {
  const given = own(input, 'environment') ?? own(input, 'env') ?? null
  if (given === null) return []
  const fields = asObject(given)
  if (fields === null) return null
  const assigned = Object.entries(fields).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : null,
  }))
  return assigned.every(({ name }) => /^[A-Za-z_]\w*$/.test(name)) ? assigned : null
}

/** A variable set beside the command is set in front of every part of it. */
function withAssigned(reading: ShellReading, given: readonly AssignedValue[]): ShellReading {
  if (!reading.ok || given.length === 0) return reading
  const names = given.map(({ name }) => name)
  const commands = reading.commands.map((one) => ({ ...one, assigns: [...one.assigns, ...names] }))
  const variablesWritten = [...new Set([...reading.variablesWritten, ...names])]
  const assignments = [...reading.assignments, ...given]
  const single = withVariables(reading.single, given)
  return { ...reading, commands, variablesWritten, assignments, single }
}

/** A variable in front of the command wins over the same one beside it. */
function withVariables(
  single: GoodReading['single'],
  given: readonly AssignedValue[],
): GoodReading['single'] {
  if (single === null) return null
  const beside: Record<string, string> = {}
  for (const { name, value } of given) {
    if (value === null || name === '__proto__') return null
    beside[name] = value
  }
  return { ...single, environment: { ...beside, ...single.environment } }
}

/** Whether a program that was named with its arguments hands a text to a shell after all. */
export function startsShell(reading: ShellReading): boolean {
  if (!reading.ok || reading.hidden.some(({ kind }) => kind === 'code')) return true
  return reading.commands.some(({ words, isInner, within }) => {
    const name = baseName(words[0] ?? '')
    // What was found inside, at no word of its own, was read out of a script.
    return shells.has(name) || strangeShells.has(name) || (isInner && within === null)
  })
}
