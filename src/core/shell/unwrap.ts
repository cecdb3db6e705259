/**
 * What a command runs besides itself: the inner command of a wrapper, the script of a shell.
 * Knows the words of one command. Must not know lists, stages or variables.
 */

import { pickedWord, type ReadWord, staticWord, unknownWord } from './expand-word.ts'
import { grammarOf } from './program-grammar.ts'
import { type ProgramArgument, programArguments, type ReadArguments } from './read-arguments.ts'
import { unwrapShell } from './shell-call.ts'
import type { AssignedValue, SimpleCommand } from './shell-reading.ts'
import { unwrapParallel } from './unwrap-parallel.ts'
import {
  type Feed,
  hide,
  type Inner,
  inner,
  isAsking,
  joined,
  scriptOf,
  streamOf,
} from './unwrap-result.ts'
import { baseName, shells, strangeShells } from './wrappers.ts'

/** Everything that a command hands control to, as far as its own words tell. */
export function unwrap(
  words: readonly ReadWord[],
  feed: Feed,
  command: SimpleCommand,
): readonly Inner[] {
  const first = words[0]?.value ?? null
  if (first === null) return []
  const name = baseName(first)
  if (shells.has(name)) return unwrapShell(words, feed)
  if (strangeShells.has(name)) return hide('a shell with a different syntax', words[0])
  switch (name) {
    case 'eval':
      // What is fed to it is fed to whatever it evaluates.
      if (feed.kind !== 'none') return hide('an `eval` with input', words[0])
      return unwrapEval(words.slice(1))
    case 'trap':
      return unwrapTrap(words)
    case 'alias':
      return words.slice(1).flatMap(unwrapAlias)
    case 'source':
    case '.':
      return unwrapSource(words[1], feed)
    case 'complete':
    case 'bind':
    case 'enable':
      return words.length > 1 ? hide('it changes what a name or key runs', words[0]) : []
    case 'hash':
      return words.some((word) => /^-\w*p/.test(word.start))
        ? hide('it maps a name to another program', words[0])
        : []
    case 'parallel':
      return unwrapParallel(words)
  }
  return unwrapByGrammar(words, feed, command)
}

/** Kinds of operands that are a command. */
const running: ReadonlySet<string> = new Set(['inner', 'tool', 'joined', 'bin', 'again'])

/** What the table of a program says that it runs: scripts in options, commands among operands. */
function unwrapByGrammar(
  words: readonly ReadWord[],
  feed: Feed,
  command: SimpleCommand,
): readonly Inner[] {
  const found = programArguments(command)
  if (found === null) return []
  const name = baseName(words[0]?.value ?? '')
  if (found.grammar.raw.wrapper === true) return unwrapWrapper(words, feed, found)
  const inners: Inner[] = []
  for (const option of found.options) {
    const word = words[option.at] as ReadWord
    if (option.kind === 'shell') inners.push(...scriptOf({ ...word, value: option.value }))
    else if (option.kind === 'callback') inners.push(...unwrapCallback(word, option.value))
    else if (option.kind === 'inner') inners.push(...unwrapOption(words, option, name))
  }
  for (const { kind, at } of found.operands) {
    if (kind === 'shell') inners.push(...scriptOf(words[at] as ReadWord))
  }
  const first = found.operands.find(({ kind }) => running.has(kind))
  if (first === undefined) return inners
  const assigns = found.grammar.raw.assigns ? assignedFrom(words, first.at) : []
  const begin = first.at + assigns.length
  const rest = words.slice(begin)
  if (first.kind === 'joined') return [...inners, ...joined(rest)]
  // A script of the project, unless it is the name of a program and has arguments.
  const isScript = rest.every(({ value }, i) => i === 0 || value === '--')
  if (first.kind === 'bin' && (isScript || grammarOf(first.value ?? '') === null)) return inners
  if (first.kind === 'again') {
    const same = [words[0] as ReadWord, ...rest]
    return [...inners, { kind: 'words', words: same, at: null, assigns, isByRunner: true }]
  }
  if (rest.length === 0) return inners
  const isByRunner = first.kind !== 'inner'
  return [...inners, { kind: 'words', words: rest, at: begin, assigns, isByRunner }]
}

/** `find -exec a {} ;`, `fd -x a`, `gdb --args a`: a command behind an option. */
function unwrapOption(
  words: readonly ReadWord[],
  option: ProgramArgument,
  name: string,
): readonly Inner[] {
  const begin = option.at + 1
  const rest = words.slice(begin)
  // A flag: all that follows is the command.
  if (option.value === '' && option.start === '') return [inner(rest, begin)]
  const isGlued = !words[option.at]?.start.endsWith(option.name)
  if (isGlued) return hide('a command glued to an option', words[option.at])
  const end = rest.findIndex(({ value }, at) => {
    return value === ';' || (value === '+' && rest[at - 1]?.value === '{}')
  })
  const command = (end < 0 ? rest : rest.slice(0, end)).map((word) =>
    /\{[./]{0,2}\}/.test(word.value ?? '') ? pickedWord(word.text) : word,
  )
  if (command.length === 0) return []
  // What `fd` finds stands behind the command where no place is given.
  return [inner(/^fd/.test(name) ? [...command, unknownWord('…')] : command, begin)]
}

/**
 * A wrapper runs the words behind its options, assignments and operands. Whatever could move the
 * place where they begin hides them: an option that is not known, a word that could be several.
 */
function unwrapWrapper(
  words: readonly ReadWord[],
  feed: Feed,
  { grammar, options, operands, unknown }: ReadArguments,
): readonly Inner[] {
  const name = baseName(words[0]?.value ?? '')
  if (isAsking(words) || options.some(({ kind }) => kind === 'lists')) return []
  const split = name === 'env' ? splitString(words) : null
  if (split !== null) return split
  const odd = `an option of \`${name}\` that is not known`
  if (unknown !== null && !grammar.isOpen) return [{ kind: 'hidden', reason: odd, token: unknown }]
  // `env - x` is `env -i x`.
  const first = name === 'env' && operands[0]?.value === '-' ? 1 : 0
  const from = operands[first]?.at ?? words.length
  const assigns = grammar.raw.assigns ? assignedFrom(words, from) : []
  const before = assigns.length + grammar.operands.length - 1
  const begin = Math.min(from + before, words.length)
  const isOwn = new Set(options.map(({ at }) => at))
  for (let at = 1; at <= begin && at < words.length; at += 1) {
    const word = words[at] as ReadWord
    // The value of an option is one word, whatever it is.
    if (at < from && !isOwn.has(at)) continue
    if (isUnplaced(word)) return hide(odd, word)
    if (at < begin && !word.isOne) return hide('a value that could become more words', word)
  }
  const scripts = options.filter(({ kind }) => kind === 'shell')
  if (scripts.length > 0) {
    return scripts.flatMap(({ value, at }) => scriptOf({ ...(words[at] as ReadWord), value }))
  }
  const rest = words.slice(begin)
  const kind = grammar.operands.at(-1)
  if (rest.length === 0 && assigns.length > 0) return [{ ...inner([], null), assigns }]
  if (rest.length === 0 || kind === 'text*') return []
  if (kind === 'joined') return joined(rest)
  const run = name === 'xargs' ? filledBy(options, rest, feed) : rest
  return [{ ...inner(run, begin), assigns }]
}

/** A word that could be an option, or none; a value glued to a long option can be anything. */
function isUnplaced({ value, start, isOne }: ReadWord): boolean {
  if (value !== null) return false
  return start === '' || (start.startsWith('-') && !(isOne && /^--[\w-]+=/.test(start)))
}

function isAssigning(word: ReadWord): boolean {
  return /^[A-Za-z_]\w*=/.test(word.start)
}

function assignedBy(word: ReadWord): AssignedValue {
  const at = word.start.indexOf('=')
  return { name: word.start.slice(0, at), value: word.value?.slice(at + 1) ?? null }
}

/** The assignments that stand one after the other from a word on. */
function assignedFrom(words: readonly ReadWord[], from: number): readonly AssignedValue[] {
  const end = words.findIndex((word, at) => at >= from && !isAssigning(word))
  return words.slice(from, end < 0 ? undefined : end).map(assignedBy)
}

/** GNU programs take any beginning of a long option that is not shared by another. */
function isSplitting(word: ReadWord): boolean {
  if (/^-[iv0]*S/.test(word.start)) return true
  const name = /^--(s[a-z-]*)(=|$)/.exec(word.start)?.[1]
  return name !== undefined && 'split-string'.startsWith(name)
}

/** `env -S 'a b'`: the text is split at blanks, with rules of its own for quotes. */
function splitString(words: readonly ReadWord[]): readonly Inner[] | null {
  const at = words.findIndex(isSplitting)
  if (at < 1) return null
  const word = words[at] as ReadWord
  const value = word.value
  if (value === null) return hide('a text to split that is only known when it runs', word)
  const glued = value.replace(/^(-[iv0]*S|--s[a-z-]*=?)/, '')
  const text = glued === '' ? (words[at + 1]?.value ?? null) : glued
  if (text === null || /["'\\$#]/.test(text)) return hide('a text that `env -S` would split', word)
  const more = text.split(/[ \t]+/).filter((part) => part !== '')
  const rest = words.slice(at + (glued === '' ? 2 : 1))
  const all = [...more.map((part) => staticWord(part, part)), ...rest]
  const assigns = assignedFrom(all, 0)
  return [{ ...inner(all.slice(assigns.length), null), assigns }]
}

/**
 * `xargs` puts more words behind the inner command, or in place of a mark inside of it. What it
 * reads could be options, unless what stands in front of it says nothing but names.
 */
function filledBy(
  options: ReadArguments['options'],
  words: readonly ReadWord[],
  feed: Feed,
): readonly ReadWord[] {
  const isFile = options.some(({ name }) => name === 'a' || name === 'arg-file')
  const isMade = isFile || feed.kind !== 'unknown' || feed.isTame?.() !== true
  const option = options.find(({ name }) => name === 'I' || name === 'replace')
  if (option === undefined) return [...words, { ...unknownWord('…'), isMade }]
  const mark = option.name === 'replace' ? option.value || '{}' : (option.value ?? '')
  return words.map((word) => {
    if (word.value?.includes(mark) !== true) return word
    return { ...pickedWord(word.text), isMade: isMade && word.value.startsWith(mark) }
  })
}

function unwrapEval(words: readonly ReadWord[]): readonly Inner[] {
  const rest = words[0]?.value === '--' ? words.slice(1) : words
  return rest.length === 0 ? [] : joined(rest)
}

function unwrapSource(file: ReadWord | undefined, feed: Feed): readonly Inner[] {
  if (file === undefined) return []
  if (file.value === null) return hide('the file to source is only known when it runs', file)
  const stream = streamOf(file)
  if (stream === null) return []
  return stream === 'input' && feed.kind === 'text'
    ? [{ kind: 'script', text: feed.text }]
    : hide('a script that comes through a pipe', file)
}

function unwrapTrap(words: readonly ReadWord[]): readonly Inner[] {
  let i = 1
  while (/^-([lp]+|-)$/.test(words[i]?.value ?? '')) i += 1
  const action = words[i]
  if (action === undefined || words.length - i < 2) return []
  if (action.value === '-' || action.value === '') return []
  return scriptOf(action)
}

/** What is evaluated for each line; behind plain words, what is added stays an argument. */
function unwrapCallback(word: ReadWord, value: string | null): readonly Inner[] {
  const isPlain = /^[\w./ -]*\w$/.test(value ?? '')
  return isPlain ? scriptOf({ ...word, value }) : hide('a callback that is evaluated', word)
}

function unwrapAlias(word: ReadWord): readonly Inner[] {
  if (word.value === null) return hide('an alias that is only known when it runs', word)
  const at = word.value.indexOf('=')
  if (at < 1) return []
  const later = hide('an alias changes how the rest is read', word)
  return [{ kind: 'script', text: word.value.slice(at + 1) }, ...later]
}
