/**
 * The files that the words of a command may name: operands, values attached to options, and where
 * they lead from the folders it may run in.
 * Knows programs. Must not know which of them only read.
 */

import { seenFrom } from '../shell/leaves-workspace.ts'
import type { Dirs, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'
import { alternativesOf } from './paths.ts'
import { isSuspect } from './protected-files.ts'

/** The name of its program, wherever that lies. */
export function programOf({ words }: SimpleCommand): string {
  return baseName(words[0] ?? '')
}

/** Whether it is a `find`. */
export function isFind(command: SimpleCommand): boolean {
  return /^g?find$/.test(programOf(command))
}

/** Words of git that change files or settings. */
export const gitChanges: ReadonlySet<string> = new Set(
  [
    'checkout restore rm mv clean apply config reset switch worktree init submodule am clone stash',
    'checkout-index update-index read-tree filter-branch format-patch archive bundle difftool',
    'interpret-trailers merge-file mailinfo mailsplit',
  ].flatMap((line) => line.split(' ')),
)

/** Those that are known. */
export function known(words: SimpleCommand['words']): readonly string[] {
  return words.filter((word) => word !== null)
}

/** Those that are known and no options. */
export function plainOf({ words }: SimpleCommand): readonly string[] {
  return known(words.slice(1)).filter((word) => !word.startsWith('-'))
}

/** Whether a word is code or a text of several words. */
export function isCode(word: string): boolean {
  return /[\s"'()`;]/.test(word)
}

const excluding = /^--?(?:exclude|ignore|skip|omit)[\w-]*/

/** Operands, and the values glued to options or keys: `--file=x`, `-ox`, `of=x`, `@x`. */
export function operandsOf(command: SimpleCommand): readonly string[] {
  const { words, starts, dirs } = command
  const parts: string[] = []
  for (let i = 1; i < words.length; i++) {
    const text = asNamed(command, words[i] ?? starts[i] ?? '', i)
    if (excluding.test(text)) {
      // What is left out is not touched: `--exclude=.git`, `--exclude .git`.
      if (!text.includes('=')) i += 1
      continue
    }
    parts.push(text, ...text.split(/[=@,:]/).slice(1, partsMax))
    if (/^-[A-Za-z][^-=]/.test(text)) parts.push(text.slice(2))
  }
  return withDirectory(
    parts.filter((text) => text !== '' && !text.startsWith('-')),
    dirs,
  )
}

/** Programs that look for files themselves where a wildcard was quoted. */
const globbers: ReadonlySet<string> = new Set('rsync tar zip unzip 7z'.split(' '))

/** A quoted wildcard names no files: to most programs it is a letter, or part of an expression. */
function asNamed(command: SimpleCommand, text: string, at: number): string {
  if (command.wild[at] || !/[*?[\]{}]/.test(text)) return text
  const program = programOf(command)
  const isGit = program === 'git' && gitChanges.has(command.words[1] ?? '')
  return isGit || globbers.has(program) ? text : text.replaceAll(/[*?[\]{}]/g, '_')
}

const searchers: ReadonlySet<string> = new Set(
  'grep egrep fgrep rg ag ack sed gsed awk gawk mawk'.split(' '),
)

/** A search without the expression it searches for, and `find` without its tests. */
export function withoutPattern(command: SimpleCommand): SimpleCommand {
  const program = programOf(command)
  const { words, starts, wild } = command
  const cut = (keep: (at: number) => boolean): SimpleCommand => ({
    ...command,
    words: words.filter((_, at) => keep(at)),
    starts: starts.filter((_, at) => keep(at)),
    wild: wild.filter((_, at) => keep(at)),
  })
  if (program === 'find') {
    const end = words.findIndex((word, at) => at > 0 && /^[-(!]/.test(word ?? ''))
    return end < 0 ? command : cut((at) => at < end)
  }
  if (
    !searchers.has(program) ||
    words.some((word) => /^(-\w*[ef]|--(regexp|file))/.test(word ?? ''))
  ) {
    return command
  }
  const pattern = words.findIndex((word, at) => at > 0 && !(word ?? '').startsWith('-'))
  return pattern < 0 ? command : cut((at) => at !== pattern)
}

/** Pieces of one word that are looked at. */
const partsMax = 32

/** Suspect texts, as they are and from every folder they may be meant from. */
export function withDirectory(texts: readonly string[], dirs: Dirs): readonly string[] {
  // In the workspace itself a text is seen as it is.
  if (dirs.length === 1 && dirs[0] === '') {
    return [...new Set(texts.filter(isSuspect))].flatMap(alternativesOf)
  }
  const placed = texts.flatMap((text) => seenFrom(dirs, text))
  return [...new Set([...texts, ...known(placed)])].filter(isSuspect).flatMap(alternativesOf)
}
