/**
 * What a tool of an unknown server does, by the words of its name, the keys of its input and what
 * its server declares. None of these proves anything, so what says that it writes or runs counts
 * more than what says that it reads, and what nothing tells counts as writing.
 * Knows names and keys. Must not know stages.
 */
import { asObject, type Json, type JsonObject, own } from '../json.ts'

type ServerToolKind = 'shell' | 'reads' | 'writes' | 'unknown'

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

const runningWords = wordSet(
  'run exec execute executes spawn shell bash sh zsh cmd terminal tty console process command',
  'commands powershell pwsh ssh subprocess eval evaluate invoke start launch script repl system',
)

const readingWords = wordSet(
  'read get list search find grep glob view show stat describe fetch tree cat query lookup count',
  'peek head tail inspect browse resolve check diff status log logs history info ls',
)

const writingWords = wordSet(
  'write save store edit replace update upsert create make add append insert set put post patch',
  'delete remove rm drop clear purge truncate move mv rename copy cp link symlink upload download',
  'export import sync push pull commit merge rebase checkout reset restore revert apply install',
  'deploy publish send modify change format fix convert generate extract unzip zip archive touch',
  'mkdir chmod chown kill stop restart enable disable assign close open submit approve and then',
)

type ServerCall = { readonly capability: string; readonly declaresChange?: boolean }

/** Keys that hold a command whoever has them. */
const commandKeys = ['command', 'cmd', 'commandLine', 'command_line', 'shell_command'] as const

/** What a tool does, as far as its name and input tell. */
export function serverToolKind(name: string, input: JsonObject): ServerToolKind {
  const kind = kindByName(name)
  if (kind === 'shell') return kind
  return commandKeys.some((key) => isCommand(own(input, key))) ? 'shell' : kind
}

/** Names whose kind is remembered: a run uses the same few tools again and again. */
const namesMax = 500
const known = new Map<string, ServerToolKind>()

function kindByName(name: string): ServerToolKind {
  const found = known.get(name)
  if (found !== undefined) return found
  const words = wordsIn(name)
  const isWriter = words.some((word) => writingWords.has(word))
  const isRunner = words.some((word) => runningWords.has(word))
  const isNamedReader = readingWords.has(words[0] ?? '')
  const kind = isRunner ? 'shell' : isWriter ? 'writes' : isNamedReader ? 'reads' : 'unknown'
  if (known.size >= namesMax) known.clear()
  known.set(name, kind)
  return kind
}

function isCommand(value: Json | undefined): boolean {
  return typeof value === 'string' || Array.isArray(value)
}

/**
 * Whether the tool of a call only reads, by all that is known of it. What its server declares
 * counts where it is the stricter word, and where the name says nothing.
 */
export function isReader({ capability, declaresChange }: ServerCall): boolean {
  const kind = kindByName(capability.split(':').at(-1) ?? '')
  if (kind === 'unknown') return declaresChange === false
  return kind === 'reads' && declaresChange !== true
}

/** `runCommand`, `ssh_exec` and `fs.read-file` in words. */
function wordsIn(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

const pathKey =
  /path|file|dir|folder|dest|target|source|uri|output|location|^(?:from|to|name|dst|src)$/i

/** Whether a key of an input names a file or a folder. */
export function isPathKey(key: string): boolean {
  return pathKey.test(key)
}

const fileKey = /path|file|folder|^(?:dir|directory|dest|destination|dst|output)$/i

/** Whether an input names a file that a tool could write: a text under a key for one. */
export function namesFile(input: JsonObject): boolean {
  return Object.entries(input).some(([key, value]) => {
    const fields = asObject(value)
    if (fields !== null) return namesFile(fields)
    return fileKey.test(key) && (typeof value === 'string' || Array.isArray(value))
  })
}
