/**
 * What a shell command does to protected files, judged by its words. Knows programs that only
 * read. Everything else that is given a protected file may change it.
 */
import { pathCharsMax } from '../expr/glob.ts'
import { anyOf } from '../shell/alternation-pattern.ts'
import { interpretedCode } from '../shell/interpreters.ts'
import names from '../shell/names.json' with { type: 'json' }
import { programArguments } from '../shell/read-arguments.ts'
import { isKnownReader, writesByItself } from '../shell/rule-on-shell-writes.ts'
import { targetsOf } from '../shell/shell-paths.ts'
import type { Dirs, GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'
import {
  gitChanges,
  isCode,
  isFind,
  known,
  operandsOf,
  plainOf,
  programOf,
  withDirectory,
  withoutPattern,
} from './command-operands.ts'
import { findScopeOf, isBroadSearch } from './find-command-scope.ts'
import { resolvedPaths } from './paths.ts'
import {
  holdsSecrets,
  isAboveSecrets,
  isProtected,
  isProtectedName,
  isSecret,
  isSuspect,
  mentionsProtected,
} from './protected-files.ts'
import { changesGit, clearedBy } from './protected-git.ts'

// WHY `/`: paths are relative to the workspace by now, or lead somewhere else, where what counts
// is their end. So the workspace is nothing above them.
const here = { workspace: '/' }

/** Whether a path names a protected file; a relative one lies in the workspace. */
export function isHeld(path: string): boolean {
  if (!isSuspect(path)) return false
  const side = /^(?:[/~$%\\]|\.\.|[a-z]:|file:)/i.test(path) ? 'outside' : 'inside'
  return resolvedPaths(path, here).some((place) => isProtected(place, side))
}

/** Whether a path names something that only Pawl may see. */
export function isSecretPath(path: string): boolean {
  if (!isSuspect(path)) return false
  return resolvedPaths(path, here).some(isSecret)
}

/** Whether a path is the directory of Pawl itself. */
export function isSecretDirectory(path: string): boolean {
  if (!isSuspect(path)) return false
  return resolvedPaths(path, here).some(holdsSecrets)
}

/** Whether a path is a home, or a folder in it that has Pawl's secrets below. */
function isAbove(path: string): boolean {
  return isSuspect(path) && resolvedPaths(path, here).some(isAboveSecrets)
}

/** Whether a command shows all that is below a folder. */
function isDeepReader(command: SimpleCommand): boolean {
  const program = programOf(command)
  if (/^(?:rg|ag|ack|ugrep|tar|rsync)$/.test(program)) return true
  if (!/^(?:[ef]?grep|cp|scp|zip)$/.test(program)) return false
  return command.words.some((word) =>
    /^(?:-[a-zA-Z]*[arR]|--(?:dereference-)?recursive)/.test(word ?? ''),
  )
}

/** Words of one command that may need a closer look; more are not looked at but denied. */
const suspectsMax = 500

/** The first protected file that a command may change; null: none that its text shows. */
export function protectedBy(reading: GoodReading, workspace: string): string | null {
  const text: Sweeping = { reading, workspace }
  for (const { kind, target, text, dirs } of reading.redirections) {
    if (kind !== 'write') continue
    if (target !== null && withDirectory([target], dirs).some(isHeld)) return target
    if (target === null && isUnsafe(reading, text)) return text
  }
  for (const command of reading.commands) {
    if (changesGit(command)) return '.git/config'
    if (isLooking(command)) continue
    const changed = changedBy(command)
    if (changed.length > suspectsMax) return command.text
    const held =
      changed.find(isHeldWord) ??
      sweptBy(text, command) ??
      clearedBy(command, { isHeld, workspace, reading })
    if (held !== null) return held
    if (command.words.includes(null) && mentionsProtected(withoutValues(command.text))) {
      return command.text
    }
    if (
      interpretedCode(command).some((code) => isCode(code) && mentionsProtected(joinedTexts(code)))
    ) {
      return command.text
    }
    const made = madeTarget(text, command)
    if (made !== null) return made
  }
  return null
}

/** A text without its variables: each of them may be empty. */
export function withoutValues(text: string): string {
  return `${text}\n${text.replaceAll(/\$\{?\w+\}?|["']/g, '')}`
}

/** Code with the texts in it that stand side by side put together: `'.cl' + 'aude'`. */
function joinedTexts(code: string): string {
  return `${code}\n${code.replaceAll(/["'`]\s{0,20}[+.,]?\s{0,20}["'`]/g, '')}`
}

/**
 * A file to be changed that another command of the same text names: one that nobody knows, unless
 * the other one is known to name plain files. WHY its words: they often say it half.
 */
function madeTarget({ reading, workspace }: Sweeping, command: SimpleCommand): string | null {
  const { words, starts, made } = command
  const at = words.findIndex((word, i) => i > 0 && word === null && starts[i] === '')
  if (at < 0 || !writesByItself(command)) return null
  const outer = reading.commands[command.within?.command ?? -1]
  // What `xargs` hands on is judged by what it is fed with.
  const isHanded = outer !== undefined && programOf(outer) === 'xargs'
  if (made[at] === true && !isHanded) return command.text
  const inner = reading.commands.filter((one) => one.isInner && one !== command)
  const wide = inner.find((one) => showsAll(one, workspace))
  if (wide !== undefined) return wide.text
  const named = inner.flatMap((one) => operandsOf(one)).find(isHeldWord)
  return /\$\(|`/.test(command.text) && named !== undefined ? named : null
}

/** A target that only shows when it runs, in a text that speaks of a protected file. */
function isUnsafe(reading: GoodReading, target: string): boolean {
  return mentionsProtected(target) || reading.commands.some(({ text }) => mentionsProtected(text))
}

/** Code and texts of several words speak of files; everything else is taken as a path. */
function isHeldWord(word: string): boolean {
  return isCode(word) ? mentionsProtected(word) : isHeld(word)
}

/**
 * Whether anything in a command could concern a protected file or a secret. Nearly no everyday
 * command does, and the rest of this file is spared for it.
 */
export function concernsProtected({ commands, redirections }: GoodReading): boolean {
  if (redirections.some(({ target }) => target === null || isSuspect(target))) return true
  return commands.some((one) => one.words.some(isSuspectWord) || takesMuch.test(programOf(one)))
}

/** Programs that change more than they name, or that are handed code. */
const takesMuch = anyOf(names.changingMuch, '^(?:', ')$')

function isSuspectWord(word: string | null): boolean {
  if (word === null || word.length > pathCharsMax || isSuspect(word)) return true
  // `-o.mcp.json`: a value may be glued to its option.
  return word.startsWith('-') && isSuspect(word.slice(2))
}

/** The first word that shows a secret of Pawl; null: none. */
export function secretPathIn(reading: GoodReading): string | null {
  for (const { kind, target } of reading.redirections) {
    if (kind === 'read' && target !== null && isSecretPath(target)) return target
  }
  for (const command of reading.commands) {
    const shows = !namers.has(programOf(command))
    const words = operandsOf(withoutPattern(command))
    if (words.length > suspectsMax) return command.text
    for (const word of words) {
      if (isSecretPath(word) || (shows && isSecretDirectory(word))) return word
      if (isDeepReader(command) && isAbove(word)) return word
    }
    const found = shows ? secretFound(reading, command) : null
    if (found !== null) return found
    const isVague = shows && command.words.includes(null)
    if (isVague && vagueSecret.test(command.text)) return command.text
  }
  return null
}

const vagueSecret = /\$\{?PAWL_HOME\b|\.pawl\b|\$\{?XDG_(?:DATA|STATE)_HOME\}?"?\/pawl/i

/** A secret among what a `find` hands to a command that shows it. */
function secretFound({ commands }: GoodReading, { within }: SimpleCommand): string | null {
  const outer = within === null ? undefined : commands[within.command]
  if (outer === undefined || !isFind(outer)) return null
  const { starts, named } = findScopeOf(outer)
  const names = named.length === 0 ? ['*'] : named
  const above = starts.find(isAbove)
  if (above !== undefined && names.some((name) => isSecretPath(`~/.local/share/pawl/${name}`))) {
    return above
  }
  const paths = starts.flatMap((start) => names.map((name) => `${start}/${name}`))
  return paths.filter((path) => !/^\.?\//.test(path)).find(isSecretPath) ?? null
}

/** Programs that tell names at most, not what is in the files. */
const namers: ReadonlySet<string> = new Set(
  'ls test [ [[ stat du pawl mkdir cd pushd popd echo printf basename dirname'.split(' '),
)

/** Programs that look, beside those whose tables say so. */
const otherLookers: ReadonlySet<string> = new Set(
  'pawl code open gh source . ssh export'.split(' '),
)

function isLooking(command: SimpleCommand): boolean {
  const program = programOf(command)
  if (isFind(command)) return !command.words.some((word) => findChanges.has(word ?? ''))
  if (targetsOf(command).length > 0) return false
  if (otherLookers.has(program) || isKnownReader(command)) return true
  if (program !== 'git') return false
  const found = programArguments(command)
  return found !== null && !gitChanges.has(found.verbs[0] ?? '') && !found.isVerbUnknown
}

const findChanges: ReadonlySet<string> = new Set([
  ...['-delete', '-fprint', '-fprint0', '-fprintf', '-fls'],
])

const copiers: ReadonlySet<string> = new Set(['cp', 'scp', 'rsync', 'install'])
const filters: ReadonlySet<string> = new Set(['sed', 'gsed', 'awk', 'gawk', 'mawk', 'yq'])
const interpreters: ReadonlySet<string> = new Set(
  'node deno bun python python2 python3 ruby perl php bash sh zsh dash ksh'.split(' '),
)

/** What a command may change of what it is handed. */
function changedBy(command: SimpleCommand): readonly string[] {
  const { words, dirs } = command
  const program = programOf(command)
  const all = operandsOf(command)
  const has = (option: RegExp) => words.some((word) => option.test(word ?? ''))
  // A copy changes where it goes, a packed file is one that is named first.
  if (copiers.has(program) && !has(/^(?:-t|--target-directory)/)) {
    return [...oneOf(words.at(-1), all, dirs), ...copied(command)]
  }
  const args = programArguments(command)
  const takes = args?.options.some(({ kind }) => kind === 'writes') === true
  if (program === 'zip' && !takes) return oneOf(plainOf(command)[0], all, dirs)
  if (program === 'tar' && !takes && args?.options.some(({ kind }) => kind === 'makes')) {
    return withDirectory(targetsOf(command), dirs)
  }
  // `find` changes what it reaches; what it writes by `-fprint` is named by a test.
  if (isFind(command))
    return withDirectory([...findScopeOf(command).starts, ...printed(words)], dirs)
  // A filter that does not edit in place writes only what its code says.
  if (filters.has(program) && !has(/^(?:-[a-zA-Z]*i|--in-?place)/)) return all.filter(isCode)
  // The script that is run is not changed by that; what it is handed may be.
  if (interpreters.has(program) && !has(/^-[a-zA-Z]*[ce]$/)) {
    const script = plainOf(command)[0]
    return all.filter((word) => word !== script)
  }
  return all
}

/** `cp -a x/.claude .`: what comes to lie in the workspace itself under its own name. */
function copied({ words, dirs }: SimpleCommand): readonly string[] {
  if (!/^\.\/?$/.test(words.at(-1) ?? '')) return []
  const sources = known(words.slice(1, -1)).filter((word) => !/^-|[:/]$/.test(word))
  return withDirectory(sources.map(baseName), dirs)
}

/** The files into which a `find` writes what it finds. */
function printed(words: SimpleCommand['words']): readonly string[] {
  return known(words.filter((_, i) => /^-f(?:print|ls)/.test(words[i - 1] ?? '')))
}

type Sweeping = { readonly reading: GoodReading; readonly workspace: string }

/**
 * What a command is handed by the program that runs it on what it finds or reads: protected files
 * that are named there, or a search that would meet every one. Null: none that the text shows.
 */
function sweptBy(text: Sweeping, command: SimpleCommand): string | null {
  const { reading, workspace } = text
  if (isFind(command)) return reachedBy(command, command, workspace)
  // `git checkout-index --stdin` and its kin are handed names as `xargs` is.
  const isHanded = command.words.some((word) => /^--(stdin|pathspec-from-file=-)$/.test(word ?? ''))
  if (isHanded) return fedBy(text, reading.commands.indexOf(command), command)
  for (let at = command.within; at !== null; ) {
    const outer = reading.commands[at.command]
    if (outer === undefined) return null
    const program = programOf(outer)
    if (isFind(outer)) return reachedBy(outer, command, workspace)
    if (program === 'fd' || program === 'fdfind') {
      const words = operandsOf(outer)
      return words.find(isHeldWord) ?? words.find(isProtectedName) ?? null
    }
    if (program === 'xargs') return fedBy(text, at.command, command)
    at = outer.within
  }
  return null
}

/** The protected file that a `find` hands to a command, or to its own `-delete`. */
function reachedBy(find: SimpleCommand, command: SimpleCommand, workspace: string): string | null {
  const held = findWords(find).find(isHeldWord)
  if (held !== undefined) return held
  if (find !== command && !writesByItself(command)) return null
  return asksProtected(find) ?? (isBroadSearch(find, workspace) ? find.text : null)
}

function findWords(find: SimpleCommand): readonly string[] {
  const { starts, named } = findScopeOf(find)
  return withDirectory([...starts, ...named], find.dirs)
}

function asksProtected(find: SimpleCommand): string | null {
  const { named } = findScopeOf(find)
  return named.find((name) => !name.includes('/') && isProtectedName(name)) ?? null
}

/** What the commands in front of an `xargs` may feed it with, and from which command on. */
type Feeds = {
  readonly named: Fed | null
  /** Matters to programs that write; others may be given every file. */
  readonly wide: Fed | null
}
type Fed = { readonly from: number; readonly what: string }

// WHY: a text may have a thousand of them, and what is in front is the same for all.
const feedsKnown = new WeakMap<GoodReading, Feeds>()

function feedsOf({ reading, workspace }: Sweeping): Feeds {
  const found = feedsKnown.get(reading)
  if (found !== undefined) return found
  let named: Fed | null = null
  let wide: Fed | null = null
  reading.commands.forEach((command, from) => {
    const what = named === null ? namedBy(command) : null
    if (what !== null) named = { from, what }
    if (wide === null && showsAll(command, workspace)) wide = { from, what: command.text }
  })
  const feeds = { named, wide }
  feedsKnown.set(reading, feeds)
  return feeds
}

/** A protected file among what a command says, or is told to look for. */
function namedBy(command: SimpleCommand): string | null {
  const said = (command.stdin ?? '').split(/\s+/).filter(isSuspect)
  const words = isFind(command) ? findWords(command) : operandsOf(withoutPattern(command))
  if (said.length + words.length > suspectsMax) return command.text
  const isNamed = (word: string) => isHeldWord(word) || mentionsProtected(word)
  return [...said, ...words].find((word) => !sparing.test(word) && isNamed(word)) ?? null
}

/** `':!.husky'`, `-g '!.husky/**'`: what a listing leaves out. */
const sparing = /^:?(?:[!^]|\(exclude)/

function showsAll(command: SimpleCommand, workspace: string): boolean {
  if (isFind(command)) return isBroadSearch(command, workspace) || asksProtected(command) !== null
  return programOf(command) === 'ls' && command.words.some((word) => hiddenToo.test(word ?? ''))
}

/** The protected file that `xargs` hands to a command, from what is in front of it. */
function fedBy(text: Sweeping, xargs: number, command: SimpleCommand): string | null {
  const { named, wide } = feedsOf(text)
  if (named !== null && named.from <= xargs) return named.what
  return wide !== null && wide.from < xargs && writesByItself(command) ? wide.what : null
}

const hiddenToo = /^(?:-[a-zA-Z]*[aA]|--(?:almost-)?all$)/

function oneOf(
  word: string | null | undefined,
  all: readonly string[],
  dirs: Dirs,
): readonly string[] {
  return word === null || word === undefined ? all : withDirectory([word], dirs)
}
