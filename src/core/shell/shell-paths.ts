/** Which files a text writes and which it names, as far as that is known without the disk. */
import type { CallPath } from '../engine/types.ts'
import { normalisePath } from '../expr/glob.ts'
import { behindSign } from './argument-checks.ts'
import { mayBeFolder, putTargets, withSlash } from './copy-targets.ts'
import { isNowhere } from './file-names.ts'
import { seenFrom } from './leaves-workspace.ts'
import type { ProgramGrammar } from './program-grammar.ts'
import { type ProgramArgument, programArguments, type ReadArguments } from './read-arguments.ts'
import type { Dirs, GoodReading, ShellReading, SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

/** The most paths of one text that are told apart. */
const pathsMax = 1_000

/**
 * The files a text writes: targets of redirections and operands of commands that write. One that
 * ends in `/` is a folder with all that is in it.
 */
export function shellEdits(reading: ShellReading, workspace: string): CallPath[] {
  if (!reading.ok) return []
  const paths: CallPath[] = []
  for (const { kind, target, text, dirs } of reading.redirections) {
    if (kind !== 'write') continue
    if (target === null) {
      if (!isRunnerFile(reading, text)) paths.push({ written: text, inside: null })
    } else addPaths(paths, target, { dirs, workspace })
  }
  for (const command of reading.commands) {
    for (const target of targetsOf(command)) {
      addPaths(paths, target, { dirs: command.dirs, workspace })
    }
  }
  return paths.slice(0, pathsMax)
}

const runnerFile = /^1?>>?\s*"?\$\{?(GITHUB_(?:OUTPUT|ENV|STATE|STEP_SUMMARY))\}?"?$/

/** `>> "$GITHUB_OUTPUT"`: a file that a CI system gives to each of its steps. */
function isRunnerFile({ variablesWritten }: GoodReading, text: string): boolean {
  const name = runnerFile.exec(text)?.[1]
  return name !== undefined && !variablesWritten.includes(name)
}

type ShellLocation = { readonly dirs: Dirs; readonly workspace: string }

function addPaths(paths: CallPath[], target: string, { dirs, workspace }: ShellLocation): void {
  for (const whole of seenFrom(dirs, target)) {
    paths.push(whole === null ? { written: target, inside: null } : pathOf(whole, workspace))
  }
}

function pathOf(whole: string, workspace: string): CallPath {
  // A tilde is somebody's home only in front; `normalisePath` knows the plain one.
  const inside = whole.startsWith('~') ? null : normalisePath(whole, workspace)
  return { written: whole, inside: inside !== null && whole.endsWith('/') ? `${inside}/` : inside }
}

/** Kinds of arguments that are files a command writes. */
const written: ReadonlySet<string> = new Set('write emit report document built into'.split(' '))

/** The files a command writes, by its table; words that are not known are left out. */
export function targetsOf(command: SimpleCommand): readonly string[] {
  const found = programArguments(command)
  if (found === null) return []
  const { grammar, options, operands } = found
  const has = (kind: string) => options.some((option) => option.kind === kind)
  const isDeep = grammar.raw.deep === '*' || options.some(({ name }) => isDeepName(grammar, name))
  const kinds = has('makes') ? new Set([...written, 'archive']) : written
  const folder = options.find(({ name }) => name === 't' || name === 'target-directory')
  const named = options.filter(({ kind, name }) => kinds.has(kind) && name !== folder?.name)
  const paths = valuesOf(named)
  const first = grammar.operands[0]
  if (first === 'put' || first === 'moved') {
    const isMove = first === 'moved'
    const into = folder?.value ?? null
    const sources = operands.map((operand) => operand.value)
    const makesFolders = programOf(command) === 'install' && has('') && /(^| )-d/.test(command.text)
    if (!makesFolders) return [...paths, ...landed({ sources, into, isMove, isDeep }, command)]
    return [...paths, ...valuesOf(operands)]
  }
  if (has('edits'))
    return [...paths, ...valuesOf(operands.filter(({ kind }) => edited.test(kind))).filter(Boolean)]
  const targets = operands.flatMap((operand): readonly ProgramArgument[] => {
    if (kinds.has(operand.kind)) return [operand]
    return operand.kind === 'key' && operand.start.startsWith('of=') ? [behindSign(operand)] : []
  })
  const files = valuesOf(targets)
  return [...paths, ...files.map(isDeep ? withSlash : withoutSlash), ...pathspecs(found)]
}

/** Scripts stand in front of the files that they edit. */
const edited = /^(read|write|script|)$/

function isDeepName({ raw }: ProgramGrammar, name: string): boolean {
  const [letters = '', ...names] = (raw.deep ?? '').split(' ')
  return name.length === 1 ? letters.includes(name) : names.includes(name)
}

function valuesOf(found: readonly ProgramArgument[]): readonly string[] {
  return found
    .map(({ value }) => value)
    .filter((value) => value !== null)
    .filter((value) => !isNowhere(value))
}

/** Paths that git is told to overwrite or remove. */
function pathspecs({
  grammar,
  operands,
  options,
  behindDashes,
  verbs,
}: ReadArguments): readonly string[] {
  if (options.some(({ kind }) => kind === 'index' || kind === 'shows')) return []
  const isRemoving = verbs.at(-1) === 'rm'
  const isDeep = options.some(({ name }) => name === 'r')
  const found = operands.filter(({ kind }) => kind === 'pathspec')
  const after = grammar.raw.sweeps === 'paths' ? operands.slice(operands.length - behindDashes) : []
  const all = behindDashes > 0 && found.length === 0 ? after : found
  return valuesOf(all).map(isRemoving ? (isDeep ? withSlash : String) : wholeOf)
}

function programOf({ words }: SimpleCommand): string {
  return baseName(words[0] ?? '')
}

type Landing = {
  readonly sources: readonly (string | null)[]
  /** The folder that an option names. */
  readonly into: string | null
  readonly isMove: boolean
  readonly isDeep: boolean
}

/** What a copy, a move or a link writes, and what a move takes away. */
function landed({ sources: all, into, isMove, isDeep }: Landing, command: SimpleCommand) {
  const depth = isMove ? 'by name' : isDeep ? 'all' : 'none'
  const only = all.length === 1 && into === null && programOf(command) === 'ln'
  const target = into ?? (only ? '.' : all.at(-1)) ?? null
  const sources = into === null && !only ? all.slice(0, -1) : all
  const taken = isMove ? sources.filter((word) => word !== null).map(wholeOf) : []
  // `host:path` lies elsewhere: nothing of the workspace is written.
  if (target === null || sources.length === 0 || /^[\w.@-]+:/.test(target)) return taken
  return [
    ...taken,
    ...putTargets({ sources, target, isFolder: into !== null || only, deep: depth }),
  ]
}

/** What may be a folder is meant with all that is in it. */
function wholeOf(path: string): string {
  return mayBeFolder(path) ? withSlash(path) : path
}

function withoutSlash(path: string): string {
  return path.replace(/(.)\/+$/, '$1')
}
