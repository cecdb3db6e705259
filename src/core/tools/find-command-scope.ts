/**
 * The scope of a `find` command, judged by its arguments: where it begins, which names it matches,
 * and whether it would reach every file.
 * Knows the tests of `find`. Must not know which files are protected.
 */

import { seenFrom } from '../shell/leaves-workspace.ts'
import type { Dirs, SimpleCommand } from '../shell/shell-reading.ts'
import { baseNameOf, isBelow, resolvedPaths } from './paths.ts'

type Reach = {
  /** Where it begins, as far as that is known. */
  readonly starts: readonly string[]
  /** Names and paths that it asks for. */
  readonly named: readonly string[]
  /** Its tests keep it from hidden files, or from all but a few names. */
  readonly isNarrow: boolean
}

// WHY: a `find` may run a thousand commands, and each asks how far it reaches.
const known = new WeakMap<SimpleCommand, Reach>()

/** Reads the words of one `find`. */
export function findScopeOf(find: SimpleCommand): Reach {
  const reach = known.get(find) ?? readReach(find)
  known.set(find, reach)
  return reach
}

function readReach({ words }: SimpleCommand): Reach {
  let begin = 1
  while (/^-([HLP]|O\d|D)$/.test(words[begin] ?? '')) begin += words[begin] === '-D' ? 2 : 1
  const tests = words.findIndex((word, i) => i >= begin && /^[-(!]/.test(word ?? ''))
  const places = words.slice(begin, tests < 0 ? undefined : tests)
  const parts = partsOf(tests < 0 ? [] : words.slice(tests))
  return {
    starts: places.length === 0 ? ['.'] : places.filter((word) => word !== null),
    named: parts.flatMap((part) => part.named),
    isNarrow: parts.every(isNarrowPart) || parts.some(sparesHidden),
  }
}

/** Whether it goes through the whole workspace, hidden files and all. */
export function isBroadSearch(find: SimpleCommand, workspace: string): boolean {
  const { starts, isNarrow } = findScopeOf(find)
  return !isNarrow && starts.some((start) => holdsWorkspace(start, find.dirs, workspace))
}

function holdsWorkspace(start: string, dirs: Dirs, workspace: string): boolean {
  if (/^~\/?$/.test(start)) return true
  return seenFrom(dirs, start).some((path) => {
    const place = path === null ? undefined : resolvedPaths(path, { workspace })[0]
    return place !== undefined && isBelow(baseNameOf(workspace), place)
  })
}

type Part = {
  readonly named: readonly string[]
  readonly spared: readonly string[]
  /** What it matches is left out. */
  readonly isPruned: boolean
}

const nameTest = /^-i?(?:name|path|wholename|regex|lname)$/

const action = /^-(?:exec|ok|delete|print|fprint|ls|fls)/

/** The tests between one `-o` and the next; what is negated or pruned is spared. */
function partsOf(words: readonly (string | null)[]): readonly Part[] {
  const parts: Part[] = []
  let begin = 0
  for (let i = 0; i <= words.length; i += 1) {
    if (i < words.length && !/^(-o|-or|,)$/.test(words[i] ?? '')) continue
    parts.push(partOf(words.slice(begin, i)))
    begin = i + 1
  }
  return parts
}

function partOf(words: readonly (string | null)[]): Part {
  // What is pruned is left out, unless something is done to it right there.
  const isPruned = words.includes('-prune') && !words.some((word) => action.test(word ?? ''))
  const named: string[] = []
  const spared: string[] = []
  words.forEach((word, i) => {
    // Nothing can be lost with an empty file or folder.
    if (word === '-empty') named.push('empty')
    if (!nameTest.test(word ?? '')) return
    const before = words[i - 1] === '(' ? words[i - 2] : words[i - 1]
    const isNegated = before === '!' || before === '-not'
    const list = isNegated || isPruned ? spared : named
    const pattern = words[i + 1] ?? ''
    // `dir/*` is everything in `dir`.
    list.push(pattern.replace(/(.)\/\*+$/, '$1'))
  })
  return { named, spared, isPruned }
}

/** It asks for names, or leaves names out and does nothing else. */
function isNarrowPart({ named, spared, isPruned }: Part): boolean {
  return (isPruned ? spared : named).some(saysSomething)
}

/** A pattern of wildcards alone asks for everything. */
function saysSomething(pattern: string): boolean {
  return /[^*?./]/.test(pattern)
}

/** `-not -name '.*'`, `-path ./.git -prune`: whoever writes that takes care of such files. */
function sparesHidden({ spared }: Part): boolean {
  return spared.some((pattern) => /(^|\/)\.(\*|git)/.test(pattern))
}
