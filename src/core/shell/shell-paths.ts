/** Which files a text writes and which it names, as far as that is known without the disk. */
import type { CallPath } from '../engine/types.ts'
import { normalisePath } from '../expr/glob.ts'
import { mayBeFolder, putTargets, withSlash } from './copy-targets.ts'
import { gitVerbAt } from './git-writes.ts'
import { seenFrom } from './leaves-workspace.ts'
import type { Dirs, ShellReading, SimpleCommand } from './shell-reading.ts'
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
    if (target === null) paths.push({ written: text, inside: null })
    else addPaths(paths, target, { dirs, workspace })
  }
  for (const command of reading.commands) {
    for (const target of targetsOf(command)) {
      addPaths(paths, target, { dirs: command.dirs, workspace })
    }
  }
  return paths.slice(0, pathsMax)
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

/** Options with a value, so that the value is not taken for a file. */
const valued: ReadonlyMap<string, RegExp> = new Map([
  ['cp', /^(-t|--target-directory|-S|--suffix)$/],
  ['mv', /^(-t|--target-directory|-S|--suffix)$/],
  ['ln', /^(-t|--target-directory|-S|--suffix)$/],
  ['install', /^(-[mogtS]|--(mode|owner|group|target-directory|suffix))$/],
  ['rsync', /^(-[efTB]|--(exclude|include|filter|rsh|bwlimit|exclude-from|include-from))$/],
  ['touch', /^(-[drt]|--(date|reference|time))$/],
  ['mkdir', /^(-m|--mode)$/],
  ['truncate', /^(-[sr]|--(size|reference))$/],
  ['shred', /^(-[ns]|--(iterations|size))$/],
  ['split', /^-[abCln]$/],
])

/** Options that mean folders with all that is in them. */
const deep: ReadonlyMap<string, RegExp> = new Map([
  ['rm', /^(-[a-zA-Z]*[rR]|--recursive$)/],
  ['cp', /^(-[a-zA-Z]*[rRa]|--(recursive|archive)$)/],
  ['scp', /^-[a-zA-Z0-9]*r/],
  ['chmod', /^(-[a-z]*R|--recursive$)/],
  ['chown', /^(-[a-z]*R|--recursive$)/],
  ['chgrp', /^(-[a-z]*R|--recursive$)/],
  ['git', /^-[a-z]*r/],
])

type Targets = 'all' | 'put' | 'moved' | 'all but first'

const operands: ReadonlyMap<string, Targets> = new Map<string, Targets>([
  ['tee', 'all'],
  ['sponge', 'all'],
  ['touch', 'all'],
  ['mkdir', 'all'],
  ['rm', 'all'],
  ['rmdir', 'all'],
  ['unlink', 'all'],
  ['shred', 'all'],
  ['truncate', 'all'],
  ['mkfifo', 'all'],
  ['mv', 'moved'],
  ['cp', 'put'],
  ['ln', 'put'],
  ['link', 'put'],
  ['install', 'put'],
  ['rsync', 'put'],
  ['scp', 'put'],
  ['chmod', 'all but first'],
  ['chown', 'all but first'],
  ['chgrp', 'all but first'],
])

/** The files a command writes by its operands; words that are not known are left out. */
function targetsOf(command: SimpleCommand): readonly string[] {
  const name = baseName(command.words[0] ?? '')
  const wanted = operands.get(name)
  if (wanted !== undefined) return operandTargets(command, wanted)
  switch (name) {
    case 'dd':
      return valuesAfter(command, /^of=/)
    case 'sed':
    case 'gsed':
      return sedTargets(command)
    case 'perl':
      return perlTargets(command)
    case 'sort':
      return optionTargets(command, /^(-o|--output)$/, /^--output=/)
    case 'curl':
      return optionTargets(command, /^(-o|--output)$/, /^--output=/)
    case 'wget':
      return optionTargets(command, /^(-O|--output-document)$/, /^--output-document=/)
    case 'git':
      return gitTargets(command)
    default:
      return []
  }
}

function operandTargets(command: SimpleCommand, wanted: Targets): readonly string[] {
  const name = baseName(command.words[0] ?? '')
  const { found, folder, isDeep } = operandsOf(command, name)
  if (wanted === 'put' || wanted === 'moved') {
    const makesFolders = name === 'install' && command.starts.includes('-d')
    if (!makesFolders) return landed(name, { found, folder, isDeep })
  }
  const touched = wanted === 'all but first' ? found.slice(1) : found
  const files = touched.filter((word) => word !== null).filter(isFile)
  return files.map(isDeep ? withSlash : withoutSlash)
}

type Operands = {
  readonly found: readonly (string | null)[]
  readonly folder: string | null
  /** An option says that folders are meant with all that is in them. */
  readonly isDeep: boolean
}

function operandsOf(command: SimpleCommand, name: string): Operands {
  const takesValue = valued.get(name)
  const found: (string | null)[] = []
  let folder: string | null = null
  let isDeep = false
  let isOver = false
  for (let i = 1; i < command.words.length; i += 1) {
    const start = command.starts[i] as string
    if (!isOver && start === '--') isOver = true
    else if (!isOver && takesValue?.test(start)) {
      if (/^(-t|--target-directory)$/.test(start)) folder = command.words[i + 1] ?? null
      i += 1
    } else if (!isOver && start.startsWith('--target-directory=')) folder = start.slice(19)
    else if (isOver || !start.startsWith('-') || start === '-') found.push(command.words[i] ?? null)
    else if (deep.get(name)?.test(start)) isDeep = true
  }
  return { found, folder, isDeep }
}

/** What a copy, a move or a link writes, and what a move takes away. */
function landed(name: string, { found, folder, isDeep }: Operands): readonly string[] {
  const isMove = name === 'mv' || name === 'git'
  const depth = isMove ? 'by name' : isDeep || name === 'rsync' ? 'all' : 'none'
  const only = found.length === 1 && folder === null && name === 'ln'
  const target = folder ?? (only ? '.' : found.at(-1)) ?? null
  const sources = folder === null && !only ? found.slice(0, -1) : found
  const taken = isMove ? sources.filter((word) => word !== null).map(wholeOf) : []
  // `host:path` lies elsewhere: nothing of the workspace is written.
  if (target === null || sources.length === 0 || /^[\w.@-]+:/.test(target)) return taken
  return [
    ...taken,
    ...putTargets({ sources, target, isFolder: folder !== null || only, deep: depth }),
  ]
}

/** What may be a folder is meant with all that is in it. */
function wholeOf(path: string): string {
  return mayBeFolder(path) ? withSlash(path) : path
}

function withoutSlash(path: string): string {
  return path.replace(/(.)\/+$/, '$1')
}

function isFile(word: string): boolean {
  return word !== '-' && !/^\/dev\/(null|stdout|stderr|tty)$/.test(word)
}

function valuesAfter(command: SimpleCommand, pattern: RegExp): readonly string[] {
  return command.words
    .filter((word) => word !== null)
    .filter((word) => pattern.test(word))
    .map((word) => word.slice(word.indexOf('=') + 1))
    .filter(isFile)
}

function optionTargets(command: SimpleCommand, separate: RegExp, glued: RegExp): readonly string[] {
  const next = command.words.filter((_, i) => separate.test(command.starts[i - 1] ?? ''))
  return [...next.filter((word) => word !== null).filter(isFile), ...valuesAfter(command, glued)]
}

/** With `-i`, every operand behind the script is edited. */
function sedTargets(command: SimpleCommand): readonly string[] {
  const { starts } = command
  if (!starts.some((start, i) => i > 0 && /^(-[nErsuz]*i|--in-place)/.test(start))) return []
  const hasScript = starts.some((start) => /^(-[nErsuz]*[ef]|--(expression|file))/.test(start))
  const found: string[] = []
  for (let i = 1; i < starts.length; i += 1) {
    const start = starts[i] as string
    if (/^(-[nErsuz]*[ef]|--expression|--file|-l)$/.test(start)) i += 1
    else if (!start.startsWith('-') && command.words[i] !== null) found.push(start)
  }
  // WHY: on macOS the word behind `-i` is an ending, mostly an empty one.
  const files = found.filter((word) => word !== '')
  return hasScript ? files : files.slice(1)
}

function perlTargets(command: SimpleCommand): readonly string[] {
  const { starts } = command
  if (!starts.some((start, i) => i > 0 && /^-[a-zA-Z0]*i/.test(start))) return []
  const found: string[] = []
  for (let i = 1; i < starts.length; i += 1) {
    const start = starts[i] as string
    if (/^-[a-zA-Z0.]*[eE]$/.test(start)) i += 1
    else if (!start.startsWith('-') && command.words[i] !== null) found.push(start)
  }
  return found
}

/** Paths that git is told to overwrite, move or remove. */
function gitTargets(command: SimpleCommand): readonly string[] {
  const at = gitVerbAt(command)
  const sub = command.words[at]
  const rest = {
    ...command,
    words: command.words.slice(at),
    starts: command.starts.slice(at),
  }
  const { found, folder, isDeep } = operandsOf(rest, 'git')
  const known = found.filter((word) => word !== null)
  const split = rest.words.indexOf('--')
  switch (sub) {
    case 'checkout':
      if (split < 0) return []
      return rest.words
        .slice(split + 1)
        .filter((word) => word !== null)
        .map(wholeOf)
    case 'restore':
      return known.map(wholeOf)
    case 'rm':
      return isDeep ? known.map(withSlash) : known
    case 'mv':
      return landed('git', { found, folder, isDeep })
    default:
      return []
  }
}

/** Every word and target of a text that could be a path, seen from the workspace. */
export function shellTouches(reading: ShellReading): readonly string[] {
  if (!reading.ok) return []
  const found = new Set<string>()
  for (const { target, dirs } of reading.redirections) {
    if (target !== null) addTouch(found, target, dirs)
  }
  for (const command of reading.commands) addWords(found, command)
  return [...found]
}

function addWords(found: Set<string>, command: SimpleCommand): void {
  command.words.forEach((word, i) => {
    const text = word ?? command.starts[i] ?? ''
    if (text === '' || text.length > 4_096 || text.includes('\n')) return
    addTouch(found, text, command.dirs)
    // `--file=x`, `of=x`, `-ox`: the path is only a part of the word.
    const at = text.indexOf('=')
    if (at >= 0 && at < text.length - 1) addTouch(found, text.slice(at + 1), command.dirs)
    if (/^-[A-Za-z][^-=]/.test(text)) addTouch(found, text.slice(2), command.dirs)
  })
}

function addTouch(found: Set<string>, path: string, dirs: Dirs): void {
  found.add(path)
  for (const whole of seenFrom(dirs, path)) if (whole !== null) found.add(whole)
}
