/**
 * What a command does to variables: declares, removes or shows them. Expansions are handled by the
 * walk.
 */

import type { ReadWord } from './expand-word.ts'
import { type VariablePattern, variablePatterns } from './program-grammar.ts'
import { programArguments } from './read-arguments.ts'
import {
  expandedIn,
  type Facts,
  hideCode,
  hideValue,
  noteWrite,
  variableNamesIn,
  type WrittenFileFact,
} from './shell-facts.ts'
import type { SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

type Learn = (facts: Facts, args: readonly ReadWord[]) => void

/** A command, and whether what stands on its input could be an option or a command. */
type LearnedCommand = { readonly command: SimpleCommand; readonly isFedTamely: () => boolean }

/** Notes what the words of one command say about variables. */
export function learnVariables(
  facts: Facts,
  words: readonly ReadWord[],
  { command, isFedTamely }: LearnedCommand,
): void {
  const first = words[0]?.value
  if (first === undefined || first === null) return
  const name = baseName(first)
  learners.get(name)?.(facts, words.slice(1))
  if (namers.has(name)) namesOf(facts, command, isFedTamely() ? 'plain' : 'chosen')
  const patterns = variablePatterns.get(name)
  if (patterns !== undefined) learnByTable(facts, words.slice(1), patterns)
}

/** What the table of a program says that it does with variables. */
function learnByTable(
  facts: Facts,
  args: readonly ReadWord[],
  patterns: readonly VariablePattern[],
): void {
  const line = args
    .map(({ value, start }) => start.replace(/\s/g, '_') + (value === null ? '…' : ''))
    .join(' ')
  for (const { effect, pattern } of patterns) {
    // Most programs do none of it, however often they are called.
    if (!pattern.test(line)) continue
    for (const [, name = ''] of line.matchAll(new RegExp(pattern, 'g'))) {
      if (effect === 'lists') facts.listsVariables = true
      else if (effect === 'empties') facts.empties = true
      else if (effect === 'reads') facts.reads.add(name)
      else noteWrite(facts, name, 'number')
    }
  }
}

/** Commands of the shell whose table says which of their words are names of variables. */
const namers: ReadonlySet<string> = new Set(
  'read mapfile readarray getopts printf wait unset'.split(' '),
)

/** Every name that a command of the shell writes, in whatever option or place it stands. */
function namesOf(facts: Facts, command: SimpleCommand, read: 'plain' | 'chosen'): void {
  const found = programArguments(command)
  if (found === null) return
  if (found.options.some(({ name }) => name === 'f') && command.words[0] === 'unset') return
  const [program] = command.words
  const isReading = /^(read|mapfile|readarray)$/.test(program ?? '')
  const written = program === 'unset' ? 'number' : isReading ? read : 'chosen'
  const named = [...found.options, ...found.operands].filter(({ kind }) => kind === 'name')
  if (isReading && named.length === 0)
    noteWrite(facts, program === 'read' ? 'REPLY' : 'MAPFILE', read)
  for (const { value, start } of named) {
    const name = /^([A-Za-z_]\w*)/.exec(start)?.[1]
    if (name !== undefined) {
      noteWrite(facts, name, written)
      if (isReading) facts.arrays.add(name)
    } else if (value === null) {
      facts.isOpaque = true
      hideValue(facts, 'the name of the variable', command.text)
    }
    doubtSubscript(facts, { value: value ?? start, text: start })
  }
}

const learners: ReadonlyMap<string, Learn> = new Map<string, Learn>([
  ['export', declares],
  ['declare', declares],
  ['typeset', declares],
  ['local', declares],
  ['readonly', fixes],
  ['let', evaluates],
  ['set', sets],
  ['envsubst', substitutes],
  ['test', probes],
  ['[', probes],
])

/** `export`, `declare` and their kin: they set names, show them, or tie one to another. */
function declares(facts: Facts, args: readonly ReadWord[]): void {
  const options = args.filter((word) => /^[-+]\w/.test(word.start)).map((word) => word.start)
  const named = args.filter((word) => !/^[-+]/.test(word.start))
  const isShowing = options.some((option) => /^-\w*p/.test(option))
  const isAboutFunctions = options.some((option) => /^-\w*[fF]/.test(option))
  if (isAboutFunctions) return
  if (named.length === 0) {
    facts.listsVariables = true
    return
  }
  const isInteger = options.some((option) => /^-\w*i/.test(option))
  const isReference = options.some((option) => /^-\w*n/.test(option))
  for (const word of named) {
    const name = /^([A-Za-z_]\w*)/.exec(word.start)?.[1]
    if (name === undefined) {
      hideValue(facts, 'the name of the variable', word.text)
      facts.listsVariables ||= isShowing
      continue
    }
    doubtSubscript(facts, {
      value: (word.value ?? word.start).split('=')[0] ?? '',
      text: word.text,
    })
    if (isInteger) {
      const reason = 'an integer whose value could contain a command'
      facts.doubts.push({ names: [name], allows: 'number', reason, token: word.text })
    }
    if (isShowing) facts.reads.add(name)
    if (isReference) refersTo(facts, word)
    if (isShowing) continue
    doubtArray(facts, word, { name, isArray: options.some((one) => /^-\w*[aA]/.test(one)) })
    // A value that cannot be changed any more, or that is changed by its attribute.
    if (options.some((option) => /^[-+]\w*[riulcnaA]/.test(option))) facts.isSure = false
    // What is read and written through it is another one.
    noteWrite(facts, name, isReference ? 'chosen' : declaredValue(word))
  }
}

/** `declare -a 'a=($(cmd))'`: what is quoted there is evaluated as the elements of an array. */
function doubtArray(
  facts: Facts,
  { value, start, text }: ReadWord,
  { name, isArray }: { readonly name: string; readonly isArray: boolean },
): void {
  if (isArray) facts.arrays.add(name)
  const isWritten = /^\w+(\[.*\])?\+?=\(/s.test(text)
  const given = (value ?? start).slice((value ?? start).indexOf('=') + 1)
  if (isWritten || !start.includes('=') || (value !== null && !given.startsWith('('))) return
  const reason = 'the elements of an array, evaluated again'
  if (value !== null && !/[$`<>[]/.test(given)) return
  if (isArray) hideCode(facts, reason, text)
  else facts.doubts.push({ names: [name], allows: 'scalar', reason, token: text })
}

/** What is assigned to it later is refused, and the text goes on. */
function fixes(facts: Facts, args: readonly ReadWord[]): void {
  facts.isSure = false
  declares(facts, args)
}

/** `declare -n r=NAME`: reading and writing `r` is reading and writing NAME. */
function refersTo(facts: Facts, word: ReadWord): void {
  const target = word.value?.split('=')[1]
  const reason = 'the name of a variable'
  if (target === undefined || !/^[A-Za-z_]\w*$/.test(target)) {
    facts.listsVariables = true
    const hide = word.isMade || /[[$`]/.test(target ?? '') ? hideCode : hideValue
    hide(facts, reason, word.text)
    // What is assigned to it later is the name: `declare -n r; r='a[$(cmd)]'`.
    const names = variableNamesIn(word.start).slice(0, 1)
    facts.doubts.push({ names, allows: 'plain', reason, token: word.text })
    return
  }
  facts.reads.add(target)
  noteWrite(facts, target, 'chosen')
}

function declaredValue(word: ReadWord): WrittenFileFact {
  if (word.value === null) return { value: null }
  const at = word.value.indexOf('=')
  return at < 0 ? 'number' : { value: word.value.slice(at + 1) }
}

/** `set` alone shows everything; with words it gives them to `$1` and so on. */
function sets(facts: Facts, args: readonly ReadWord[]): void {
  if (args.length === 0) facts.listsVariables = true
  // `-` and `--` end its options.
  const isOption = ({ value }: ReadWord) => /^[-+][A-Za-z]+$/.test(value ?? '')
  if (!args.every(isOption)) noteWrite(facts, '@', 'chosen')
}

/** `let` calculates, and a calculation can run what stands between brackets. */
function evaluates(facts: Facts, args: readonly ReadWord[]): void {
  for (const word of args) {
    const name = /^([A-Za-z_]\w*)/.exec(word.start)?.[1]
    if (name !== undefined) noteWrite(facts, name, 'number')
    if (word.value === null || /\$\(|`/.test(word.value)) hideSubscript(facts, word)
    const reason = 'arithmetic with a value that could contain a command'
    const names = variableNamesIn((word.value ?? word.start).replace(/^\w+=/, ''))
    facts.doubts.push({ names, allows: 'number', reason, token: word.text })
  }
}

function probes(facts: Facts, args: readonly ReadWord[]): void {
  args.forEach((word, i) => {
    const before = args[i - 1]
    const isProbed = /^-[vR]$/.test(before?.start ?? '') || (before?.value === null && i > 0)
    if (/\$\(|`|\$\{/.test(word.value ?? '') && word.value?.includes('['))
      hideSubscript(facts, word)
    if (isProbed && word.value !== null) {
      facts.reads.add(word.value)
      doubtSubscript(facts, word)
    }
    if (!isProbed || word.value !== null) return
    const reason = 'a variable name that could contain a command'
    const names = expandedIn(word.text)
    facts.doubts.push({ names, allows: 'plain', reason, token: word.text })
  })
}

/** A subscript is calculated, and so evaluated again: it has to be a number or a tame name. */
export function doubtSubscript(
  facts: Facts,
  { value, text }: { readonly value: string | null; readonly text: string },
): void {
  const inside = /^[A-Za-z_]\w*\[(.*?)\]?$/s.exec(value ?? '')?.[1]
  if (inside === undefined || /^(\d*|[@*])$/.test(inside)) return
  if (!/^[\w\s+*-]+$/.test(inside)) return hideSubscript(facts, { text })
  const reason = 'a subscript that could contain a command'
  const names = variableNamesIn(inside)
  facts.doubts.push({ names, allows: 'number', reason, token: text })
}

function hideSubscript(facts: Facts, word: { readonly text: string }): void {
  hideCode(facts, 'a subscript that is evaluated again', word.text)
}

/** Without a list of names, every variable named in its input is put in. */
function substitutes(facts: Facts, args: readonly ReadWord[]): void {
  const format = args.find((word) => !word.start.startsWith('-'))
  if (format === undefined || format.value === null) {
    facts.listsVariables = true
    return
  }
  for (const found of format.value.matchAll(/\$\{?([A-Za-z_]\w*)/g)) facts.reads.add(found[1] ?? '')
}
