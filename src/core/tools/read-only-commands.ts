/**
 * What of a shell text only looks, as a tool for reading and searching would: the permission for
 * such a tool counts for it where the host has no other way to look.
 * Knows readings and hosts. Must not know stages: what is allowed is asked elsewhere.
 */
import type { CallPath, ReadCommand, ReadCommands } from '../engine/types.ts'
import { type HostId, listIn, toolVocabularies } from '../hosts/registry.ts'
import { type JsonObject, own } from '../json.ts'
import { isFreeCommand } from '../shell/free-commands.ts'
import { isOutside, seenFrom } from '../shell/leaves-workspace.ts'
import { type ReadingForm, readingFormOf } from '../shell/reading-forms.ts'
import type { GoodReading, ShellReading, SimpleCommand } from '../shell/shell-reading.ts'

type Spelled = { readonly name: string; readonly host: HostId; readonly workspace: string }

/** Fields of a shell call that change nothing about what runs. */
const plainFields: ReadonlySet<string> = new Set([
  ...['command', 'description', 'timeout', 'timeout_ms', 'run_in_background', 'workdir', 'cwd'],
])

/** The looks of a call; undefined: there are none, or the text could be more than it shows. */
export function readCommandsIn(
  { name, host, workspace }: Spelled,
  { input, shell }: { readonly input: JsonObject; readonly shell: ShellReading },
  locate: (path: string) => readonly CallPath[],
): ReadCommands | undefined {
  const { lacks, shell: shellTool } = toolVocabularies[host].tools
  const lacking: readonly string[] = listIn(lacks)
  // WHY its own shell only: text that is typed into a terminal is read by whatever runs there.
  if (lacking.length === 0 || name !== shellTool || !shell.ok || !isBare(shell)) return undefined
  if (typeof own(input, 'command') !== 'string') return undefined
  if (!Object.keys(input).every((key) => plainFields.has(key))) return undefined
  if (startsIndirectly(input) || shell.commands.some(changesFolderIndirectly)) return undefined
  const moves = (): boolean => shell.commands.some(({ words }) => words[0] === 'cd')
  const commands: ReadCommand[] = []
  let isAll = true
  for (const [at, command] of shell.commands.entries()) {
    const look = readCommandOf(command, { at, lacking, workspace, moves, locate })
    if (look !== null) commands.push(look)
    else if (!isNothing(command, workspace)) isAll = false
  }
  return commands.length === 0 ? undefined : { commands, isAll }
}

/** Commands and pipes alone: no variable, no redirection but into nothing, no function. */
function isBare(reading: GoodReading): boolean {
  const { isPlain, redirections, hidden, functions, assignments } = reading
  const { variablesRead, variablesWritten, listsVariables, prefixesRead } = reading
  const parts = [redirections, hidden, functions, assignments, variablesRead, variablesWritten]
  return isPlain && !listsVariables && [...parts, prefixesRead].every((part) => part.length === 0)
}

function isNothing(command: SimpleCommand, workspace: string): boolean {
  const [first] = command.words
  const isSilent = command.words.length === 1 && (first === 'true' || first === ':')
  return isSilent || isFreeCommand(command, workspace)
}

/**
 * What a shell expands itself (`~root`, `~+`, in zsh `=ls`), and `..` after a name: the name may be
 * a link, and the kernel goes up from where it points to.
 */
const isIndirect = /^[~=]|(?:^|\/)(?!\.\.?(?:\/|$))[^/]+\/(?:\.?\/)*\.\.(?:\/|$)/

function startsIndirectly(input: JsonObject): boolean {
  const folders = [own(input, 'workdir'), own(input, 'cwd')]
  return folders.some((folder) => typeof folder === 'string' && isIndirect.test(folder))
}

function changesFolderIndirectly({ words: [program, ...rest] }: SimpleCommand): boolean {
  return program === 'cd' && rest.some((word) => word === null || isIndirect.test(word))
}

type Looking = {
  readonly at: number
  readonly lacking: readonly string[]
  readonly workspace: string
  /** The text changes the folder: the way up from there is the kernel's, not the text's. */
  readonly moves: () => boolean
  readonly locate: (path: string) => readonly CallPath[]
}

const names = { Read: ['Read'], Grep: ['Grep'], Glob: ['Glob', 'LS'] } as const

function readCommandOf(command: SimpleCommand, { at, lacking, workspace, moves, locate }: Looking) {
  const { dirs, isInner } = command
  if (isInner || dirs.some((dir) => dir === null || isOutside(dir, workspace))) return null
  const form = readingFormOf(command)
  if (form === null || form.tool === null || form.paths.length === 0) return null
  const tools = names[form.tool].filter((name) => lacking.includes(name))
  if (tools.length === 0) return null
  const reads = form.paths.flatMap((path) => seenFrom(dirs, path)).map((path) => path ?? '')
  const placed = reads.flatMap(locate)
  const goesUp =
    reads.some((path) => isIndirect.test(path)) &&
    (moves() || form.paths.some((path) => isIndirect.test(path)))
  if (goesUp && placed.some(({ inside }) => inside !== null)) return null
  if (!placed.every((path) => isSearchable(path, form))) return null
  const act = form.tool === 'Read' ? 'read' : 'search'
  return { at, tools, act, reads: placed } as const
}

/**
 * Whether it may go down from there: hosts and Pawl keep their secrets in hidden folders, which
 * `rg` does not enter by itself and `grep -r` does.
 */
function isSearchable({ written, inside }: CallPath, { depth }: ReadingForm): boolean {
  if (depth === 'none') return true
  const segments = (inside ?? written).split('/').filter((segment) => segment !== '.')
  if (depth === 'all' && segments.length === 0) return false
  return !segments.some((segment) => segment.startsWith('.'))
}
