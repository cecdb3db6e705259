/**
 * What a command runs besides itself: the inner command of a wrapper, the script of a shell.
 * Knows the words of one command. Must not know lists, stages or variables.
 */

import { pickedWord, type ReadWord, staticWord, unknownWord } from './expand-word.ts'
import { grammarOf } from './program-grammar.ts'
import { programArguments } from './read-arguments.ts'
import type { AssignedValue, SimpleCommand } from './shell-reading.ts'
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
import { unwrapFd, unwrapFind, unwrapParallel } from './unwrap-search.ts'
import { unwrapShell } from './unwrap-shell.ts'
import { baseName, runners, shells, strangeShells, type Wrapper, wrappers } from './wrappers.ts'

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
    case 'mapfile':
    case 'readarray':
      return unwrapFeed(words)
    case 'compgen':
      return unwrapCallback(words, /^-[CFW]$/)
    case 'complete':
    case 'bind':
    case 'enable':
      return words.length > 1 ? hide('it changes what a name or key runs', words[0]) : []
    case 'hash':
      return words.some((word) => /^-\w*p/.test(word.start))
        ? hide('it maps a name to another program', words[0])
        : []
    case 'find':
    case 'gfind':
      return unwrapFind(words)
    case 'fd':
    case 'fdfind':
      return unwrapFd(words)
    case 'parallel':
      return unwrapParallel(words)
  }
  const wrapper = wrappers.get(name)
  if (wrapper !== undefined) return unwrapWrapper(name, words, wrapper)
  return [...unwrapByGrammar(words, command), ...unwrapRunner(words)]
}

/** Kinds of operands that are a command. */
const running: ReadonlySet<string> = new Set(['inner', 'tool', 'joined', 'bin', 'again'])

/** What the table of a program says that it runs: scripts in options, commands among operands. */
function unwrapByGrammar(words: readonly ReadWord[], command: SimpleCommand): readonly Inner[] {
  const found = programArguments(command)
  if (found === null) return []
  const inners: Inner[] = []
  for (const { kind, value, at } of found.options) {
    const word = words[at] as ReadWord
    if (kind === 'shell') inners.push(...scriptOf({ ...word, value }))
    else if (kind === 'inner') inners.push(inner(words.slice(at + 1), at + 1))
  }
  for (const { kind, at } of found.operands) {
    if (kind === 'shell') inners.push(...scriptOf(words[at] as ReadWord))
  }
  const first = found.operands.find(({ kind }) => running.has(kind))
  if (first === undefined) return inners
  const rest = words.slice(first.at)
  if (first.kind === 'joined') return [...inners, ...joined(rest)]
  // A script of the project, unless it is the name of a program and has arguments.
  const isScript = rest.every(({ value }, i) => i === 0 || value === '--')
  if (first.kind === 'bin' && (isScript || grammarOf(first.value ?? '') === null)) return inners
  if (first.kind === 'again') {
    const same = [words[0] as ReadWord, ...rest]
    return [...inners, { kind: 'words', words: same, at: null, assigns: [], isByRunner: true }]
  }
  const run = inner(rest, first.at) as Extract<Inner, { kind: 'words' }>
  return [...inners, { ...run, isByRunner: first.kind !== 'inner' }]
}

/** Where the options of a wrapper end, or the word that cannot be placed. */
type Options =
  | { readonly ok: true; readonly next: number; readonly scripts: readonly ReadWord[] }
  | { readonly ok: false; readonly word: ReadWord | undefined }

function skipOptions(words: readonly ReadWord[], from: number, wrapper: Wrapper): Options {
  const scripts: ReadWord[] = []
  let i = from
  while (i < words.length) {
    const word = words[i] as ReadWord
    const value = word.value
    if (value === null) {
      // A value glued to a known option can be anything: `--signal=$X`.
      const isGlued = word.isOne && /^--[\w-]+=/.test(word.start)
      if (isGlued) i += 1
      else if (word.start !== '' && !word.start.startsWith('-')) break
      else return { ok: false, word }
      continue
    }
    if (value === '--') return { ok: true, next: i + 1, scripts }
    if (!value.startsWith('-') || value === '-') break
    const step = optionLength(value, wrapper)
    if (step === 0) return { ok: false, word }
    if (step === 2 && wrapper.scripts.includes(value)) {
      const script = words[i + 1]
      if (script !== undefined) scripts.push(script)
    } else if (value.startsWith('--') && wrapper.scripts.includes(value.split('=')[0] ?? '')) {
      scripts.push(staticWord(value.slice(value.indexOf('=') + 1), word.text))
    } else if (wrapper.scripts.includes('-c') && /^-\w*c$/.test(value)) {
      const script = words[i + 1]
      if (script !== undefined) scripts.push(script)
    }
    i += step
  }
  return { ok: true, next: i, scripts }
}

/** How many words an option takes; 0: it is not known. */
function optionLength(value: string, wrapper: Wrapper): number {
  if (value.startsWith('--')) {
    const name = value.slice(2).split('=')[0] ?? ''
    if (wrapper.longFlags.includes(name)) return 1
    if (value.includes('=')) return isKnownLong(name, wrapper) ? 1 : 0
    return wrapper.longValues.includes(name) || wrapper.scripts.includes(`--${name}`) ? 2 : 0
  }
  if (wrapper.takesNumber && /^-\d+$/.test(value)) return 1
  for (let k = 1; k < value.length; k += 1) {
    const letter = value[k] as string
    if (wrapper.values.includes(letter)) return k === value.length - 1 ? 2 : 1
    if (!wrapper.flags.includes(letter)) return 0
  }
  return 1
}

function isKnownLong(name: string, wrapper: Wrapper): boolean {
  return (
    wrapper.takesAnyLong ||
    wrapper.longValues.includes(name) ||
    wrapper.scripts.includes(`--${name}`)
  )
}

function unwrapWrapper(
  name: string,
  words: readonly ReadWord[],
  wrapper: Wrapper,
): readonly Inner[] {
  const second = words[1]?.value
  if (name === 'command' && /^-\w*[vV]/.test(second ?? '')) return []
  if (isAsking(words)) return []
  if (name === 'env') {
    const split = splitString(words)
    if (split !== null) return split
  }
  const options = skipOptions(words, 1, wrapper)
  if (!options.ok) return hide(`an option of \`${name}\` that is not known`, options.word)
  const fromScripts = options.scripts.flatMap((word) => scriptOf(word))
  let next = options.next
  if (name === 'env' && words[next]?.value === '-') next += 1
  const assigns: AssignedValue[] = []
  while (wrapper.takesAssignments && next < words.length) {
    const word = words[next] as ReadWord
    if (!isAssigning(word)) break
    if (!word.isOne) return hide('a value that could become more words', word)
    assigns.push(assignedBy(word))
    next += 1
  }
  for (let k = 0; k < wrapper.operands && next < words.length; k += 1, next += 1) {
    const word = words[next] as ReadWord
    if (!word.isOne || (word.value === null && word.start === '')) {
      return hide(`an operand of \`${name}\` that is only known when it runs`, word)
    }
  }
  const rest = words.slice(next)
  if (wrapper.scripts.length > 0 && fromScripts.length > 0) return fromScripts
  if (rest.length === 0) return assigns.length === 0 ? [] : [assignOnly(assigns)]
  if (wrapper.runs === 'script') return joined(rest)
  if (name === 'xargs') return unwrapXargs(words, rest, next)
  return [{ kind: 'words', words: rest, at: next, assigns, isByRunner: false }]
}

function isAssigning(word: ReadWord): boolean {
  return /^[A-Za-z_]\w*=/.test(word.start)
}

function assignedBy(word: ReadWord): AssignedValue {
  const at = word.start.indexOf('=')
  return { name: word.start.slice(0, at), value: word.value?.slice(at + 1) ?? null }
}

function assignOnly(assigns: readonly AssignedValue[]): Inner {
  return { kind: 'words', words: [], at: null, assigns, isByRunner: false }
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
  const begin = all.findIndex((one) => !isAssigning(one))
  const assigns = all.slice(0, begin < 0 ? all.length : begin).map(assignedBy)
  const command = begin < 0 ? [] : all.slice(begin)
  return [{ kind: 'words', words: command, at: null, assigns, isByRunner: false }]
}

/** `xargs` puts more words behind the inner command, or in place of a mark inside of it. */
function unwrapXargs(
  words: readonly ReadWord[],
  rest: readonly ReadWord[],
  at: number,
): readonly Inner[] {
  const own = words.slice(1, at).map((word) => word.value ?? '')
  const flag = own.findIndex((value) => /^-I/.test(value) || /^--replace/.test(value))
  let mark: string | null = null
  if (flag >= 0) {
    const value = own[flag] as string
    const glued = value.startsWith('--') ? value.split('=')[1] : value.slice(2)
    mark = glued || (value === '-I' ? (own[flag + 1] ?? '{}') : '{}')
  }
  if (mark === null) return [inner([...rest, unknownWord('…')], at)]
  const filled = rest.map((word) =>
    word.value?.includes(mark as string) ? pickedWord(word.text) : word,
  )
  return [inner(filled, at)]
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

/** Builtins that call a command for each line, or expand a text once more. */
function unwrapCallback(words: readonly ReadWord[], option: RegExp): readonly Inner[] {
  return words.flatMap((word, i) => {
    const next = words[i + 1]
    if (!option.test(word.start) || next === undefined) return []
    if (word.start !== '-W') return scriptOf(next)
    return /[$`]/.test(next.value ?? '$') ? hide('words that are expanded again', next) : []
  })
}

/**
 * `mapfile -C` evaluates its callback with two more words behind it: after anything but plain
 * words they would be a command of their own.
 */
function unwrapFeed(words: readonly ReadWord[]): readonly Inner[] {
  return words.flatMap((word, i) => {
    if (!/^-\w*C/.test(word.start)) return []
    const next = words[i + 1]
    const isPlain = /^-\w*C$/.test(word.start) && /^[\w./ -]*\w$/.test(next?.value ?? '')
    return isPlain && next !== undefined
      ? scriptOf(next)
      : hide('a callback that is evaluated', word)
  })
}

function unwrapAlias(word: ReadWord): readonly Inner[] {
  if (word.value === null) return hide('an alias that is only known when it runs', word)
  const at = word.value.indexOf('=')
  if (at < 1) return []
  const later = hide('an alias changes how the rest is read', word)
  return [{ kind: 'script', text: word.value.slice(at + 1) }, ...later]
}

/** By the program they begin with: most commands are no runner at all. */
const runnersByName = new Map<string, (readonly string[])[]>()
for (const start of runners) {
  const name = start[0] ?? ''
  runnersByName.set(name, [...(runnersByName.get(name) ?? []), start])
}

function unwrapRunner(words: readonly ReadWord[]): readonly Inner[] {
  const name = baseName(words[0]?.value ?? '')
  const runner = runnersByName
    .get(name)
    ?.find((start) => start.every((part, k) => k === 0 || words[k]?.value === part))
  if (runner === undefined) return []
  let at = runner.length
  const assigns: AssignedValue[] = []
  while (at < words.length) {
    const word = words[at] as ReadWord
    const { start } = word
    if (isAssigning(word)) assigns.push(assignedBy(word))
    else if (!start.startsWith('-') || start === '-') break
    else if (/^(-p|--package|-n|--name|--with|--python|--env-file|-f|-e)$/.test(start)) at += 1
    else if (/^(-c|--call|--command)$/.test(start)) {
      const script = words[at + 1]
      return script === undefined ? [] : scriptOf(script)
    } else if (/^--(call|command)=/.test(start)) {
      const value = word.value?.slice(word.value.indexOf('=') + 1) ?? null
      return scriptOf({ ...word, value })
    }
    at += 1
  }
  const rest = words.slice(at)
  if (rest.length === 0) return []
  return [{ kind: 'words', words: rest, at, assigns, isByRunner: true }]
}
