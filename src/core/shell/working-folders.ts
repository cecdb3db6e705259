/**
 * Where the commands of a text may run: a `cd` that may have failed leaves two folders, and what
 * follows is judged in both. Certain are `cd x && …` and `cd x || exit` alone.
 * WHY not `set -e`: bash ignores it where a host runs the text in front of an `&&`, as some do; and
 * `return` and `break` go on where there is nothing to leave.
 */

import type { ReadWord } from './expand-word.ts'
import type { Command, CompoundList, SyntaxNode } from './parse.ts'
import type { Count, Facts } from './shell-facts.ts'
import type { Dirs } from './shell-reading.ts'

/** The most folders that are told apart; beyond them it is one that cannot be told. */
const dirsMax = 4

/** Where we stand. */
export type FolderState = {
  readonly dirs: Dirs
  /** Where we stand instead if the command just visited has failed; null: no difference. */
  readonly missed: Dirs | null
}

/** The folders of both; the first ones are the last to be given up. */
export function either(one: Dirs, other: Dirs): Dirs {
  if (one.length === 0) return other
  // More than can be told already: there is nothing to add.
  if (one.length > dirsMax || one === other) return one
  if (other.every((dir) => one.includes(dir))) return one
  const all = [...new Set([...one, ...other])]
  return all.length <= dirsMax ? all : [...all.slice(0, dirsMax), null]
}

/** Where we stand whether or not the last command has worked. */
export function settled({ dirs, missed }: FolderState): Dirs {
  return missed === null ? dirs : either(missed, dirs)
}

/** Where a command moves the shell; null: nowhere. */
export function movedBy(words: readonly ReadWord[], dirs: Dirs): Dirs | null {
  const name = words[0]?.value
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return null
  const target = words.find((word, i) => i > 0 && !/^-[LPe@]*$|^--$/.test(word.start))
  if (name !== 'cd' && /^([-+]|$)/.test(target?.start ?? '')) return [null]
  if (name === 'popd' || words.some((word) => word.start === '-')) return [null]
  if (target === undefined) return ['~']
  const { value } = target
  if (value === null) return [null]
  if (/^[/~]/.test(value)) return [value]
  const found = dirs.map((dir) => (dir === null ? null : below(dir, value)))
  return found.length === 1 ? found : [...new Set(found)]
}

/** A folder seen from another, as `cd` sees it: `..` takes the last name away, link or not. */
function below(dir: string, path: string): string {
  if (dir === '' && !/(^|\/)(\.|\/|$)/.test(path)) return path
  const root = dir.startsWith('/') ? '/' : ''
  const names = dir.split('/').filter((name) => name !== '')
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    const isHome = names.length === 1 && dir.startsWith('~')
    if (name !== '..' || names.at(-1) === '..' || isHome) names.push(name)
    else if (names.length > 0) names.pop()
    else if (root === '') names.push(name)
  }
  return root + names.join('/')
}

/** Whether nothing follows it: `exit 1`, `{ echo no; exit 1; }`. */
export function leavesFolder(node: SyntaxNode, source: string): boolean {
  if (node.type === 'BraceGroup') return leavesAtEnd(node.body, source)
  return node.type === 'Command' && isExit(node, source)
}

function leavesAtEnd({ commands }: CompoundList, source: string): boolean {
  const last = commands.at(-1)
  return last?.command.type === 'Command' && !last.background && isExit(last.command, source)
}

/** As it is written: more words, or a redirection that fails, and bash may go on. */
function isExit({ pos, end }: Command, source: string): boolean {
  return /^exit( +(\d+|\$\?))?$/.test(source.slice(pos, end))
}

/** How much has been gathered so far. */
export function mergedFolders({ commands, redirections }: Facts): Count {
  return { commands: commands.length, redirections: redirections.length }
}

/** A loop has moved: what is in it may run wherever it ended, and nobody knows how often. */
export function noteLoop(facts: Facts, from: Count, dirs: Dirs): Dirs {
  let all = either(dirs, [null])
  // The loops inside of it are told with it, so that each command is told once.
  while ((facts.loops.at(-1)?.from.commands ?? -1) >= from.commands) {
    all = either(all, facts.loops.pop()?.dirs ?? [])
  }
  facts.loops.push({ from, to: mergedFolders(facts), dirs: all })
  return all
}

/** Tells the commands of loops where they may run the second time. */
export function settleLoops(facts: Facts): void {
  for (const { from, to, dirs } of facts.loops) {
    widen(facts.commands, [from.commands, to.commands], dirs)
    widen(facts.redirections, [from.redirections, to.redirections], dirs)
  }
}

function widen(
  list: { readonly dirs: Dirs }[],
  [from, to]: readonly [number, number],
  dirs: Dirs,
): void {
  for (let i = from; i < to; i += 1) {
    const one = list[i]
    if (one !== undefined) list[i] = { ...one, dirs: either(one.dirs, dirs) }
  }
}
