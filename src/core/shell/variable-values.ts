/**
 * What variables stand for where the text itself gives them their values. A value counts as
 * certain where it was assigned on the straight way to its use, and only there; everywhere else it
 * is one of several that the variable may have.
 */

import { anyOf } from './alternation-pattern.ts'
import { cutBy, cutCharsMax, isCutPattern } from './cut-value.ts'
import { guessOption, readWord, type WordLookup } from './expand-word.ts'
import names from './names.json' with { type: 'json' }
import type { Word, WordPart } from './parse.ts'
import type { Facts } from './shell-facts.ts'
import { saidBy } from './substitution-values.ts'

/** Everything that a text assigns to one variable. */
export type VariableFact = {
  /** The values that are known, in the order of the text. */
  readonly values: readonly string[]
  /** It also gets one that only shows when it runs, and that could be anything. */
  readonly isMade: boolean
  /** Every assignment happens, once and in the order of the text. */
  readonly isSure: boolean
  readonly count: number
}

/** The most values of one variable, and the most ways to fill in one command. */
const valuesMax = 16
/** The most ways in which variables of one command may be empty. */
const emptiedMax = 64

/** A fact with one more assignment. */
export function withAssignment(
  fact: VariableFact | undefined,
  value: string | null,
  { isMade, isSure }: { readonly isMade: boolean; readonly isSure: boolean },
): VariableFact {
  const before = fact ?? { values: [], isMade: false, isSure: true, count: 0 }
  const isNew = value !== null && !before.values.includes(value)
  const isFull = isNew && before.values.length >= valuesMax
  return {
    values: isNew && !isFull ? [...before.values, value] : before.values,
    isMade: before.isMade || isFull || (value === null && isMade),
    isSure: before.isSure && isSure,
    count: before.count + 1,
  }
}

/** Where a word stands, for the variables in it. */
export type ValueScope = { readonly facts: Facts; readonly scope: { readonly isSure: boolean } }

/** A choice among the values that variables may have, by name. */
export type ValueChoice = ReadonlyMap<string, string>

const noChoice: ValueChoice = new Map()
/** The longest substitution that is looked into. */
const substitutionCharsMax = 400

/** What is known of the parts of a word. */
export function lookupIn(scope: ValueScope, choice: ValueChoice = noChoice): WordLookup {
  const lookup: WordLookup = {
    valueOf: (part) => {
      const chosen = choice.get(choiceName(part))
      if (chosen !== undefined) return chosen
      if (part.type === 'CommandExpansion') return saidIn(part, lookup).value
      const name = plainOf(part)
      return name === null ? cutValue(scope, part) : certainValue(scope, name)
    },
    isMade: (part) => {
      if (part.type === 'CommandExpansion') return !saidIn(part, lookup).isTame
      if (part.type === 'ParameterExpansion' && isReplacing(part, scope)) return true
      const name = nameIn(part)
      const fact = scope.facts.known?.get(name)
      if (fact === undefined) return saidBefore.has(name)
      // An element of an array is as much made up as all of them are.
      const isElement = part.type === 'ParameterExpansion' && part.index !== undefined
      return fact.isMade || (isElement && fact.values.length > 0)
    },
  }
  return lookup
}

function saidIn(part: Extract<WordPart, { type: 'CommandExpansion' }>, lookup: WordLookup) {
  if (part.script === undefined || part.text.length > substitutionCharsMax) {
    return { value: null, isTame: false }
  }
  return saidBy(part.script, (word) => readWord(word, lookup).map((one) => one.value))
}

/** Whether an expansion puts something in that the text itself says, and that is not known. */
function isReplacing(part: Parameter, scope: ValueScope): boolean {
  const { operation, parameter } = part
  if (operation === undefined || cutOf(part, scope) !== null) return false
  if (operation.type === 'Default') return /\$\(|`/.test(operation.operand.text)
  // A part of a value that the text assigns.
  if ((scope.facts.known?.get(parameter)?.values.length ?? 0) > 0) return true
  if (operation.type === 'Replace') return mayBegin(scope, operation.replacement)
  return operation.type === 'Unknown'
}

/** Whether a word that is only known later could be the beginning of an option. */
function mayBegin(scope: ValueScope, word: Word): boolean {
  const [read] = readWord(word, lookupIn(scope))
  return read?.value === null && (read.isMade || word.text.includes('-'))
}

type Parameter = Extract<WordPart, { type: 'ParameterExpansion' }>

/** The value of `${x#a}` and `${x%a}` where both are known; null: it is something else. */
function cutValue(scope: ValueScope, part: WordPart): string | null {
  const cut = cutOf(part, scope)
  const value = cut === null ? null : certainValue(scope, cut.name)
  return cut === null || value === null ? null : cut.from(value)
}

/** The variable that `${x#a}` or `${x%a}` cuts, and how; null: its pattern is not known. */
function cutOf(part: WordPart, { facts }: ValueScope) {
  if (part.type !== 'ParameterExpansion' || part.operation?.type !== 'Remove') return null
  const { operator, operand } = part.operation
  const name = variableOf(part)
  if (name === null || !isCutPattern(operand.text)) return null
  const values = facts.known?.get(name)?.values ?? []
  if (values.some((value) => value.length > cutCharsMax)) return null
  return { name, from: (value: string) => cutBy(operator, operand.text, value) }
}

/** The name in an expansion: `@` for all that a script is given, empty in other parts. */
function nameIn(part: WordPart): string {
  if (part.type !== 'SimpleExpansion' && part.type !== 'ParameterExpansion') return ''
  const name = part.type === 'SimpleExpansion' ? part.text.slice(1) : part.parameter
  return /^(\d+|[@*])$/.test(name) ? '@' : name
}

/** `$x`, `${x}` and what changes the value of one variable; null: it is something else. */
function variableOf(part: WordPart): string | null {
  if (part.type === 'SimpleExpansion') return nameIn(part)
  if (part.type !== 'ParameterExpansion' || part.prefix !== undefined) return null
  return part.index === undefined ? nameIn(part) : null
}

/** The variable whose value a part is; null: it is something else, or more than that. */
function plainOf(part: WordPart): string | null {
  return part.type === 'ParameterExpansion' && part.operation !== undefined
    ? null
    : variableOf(part)
}

/** Under which name a value is chosen: of a variable, or of whatever else is expanded. */
function choiceName(part: WordPart): string {
  return plainOf(part) ?? part.text
}

/** What the shell sets from the text itself: the last word of a command, what a test has found. */
const saidBefore: ReadonlySet<string> = new Set(names.saidBefore.split(' '))

/** What always has a value, that no option begins in; `$path` is another variable. */
const neverEmpty = new RegExp(anyOf(names.neverEmpty, '^\\$\\{?(?:#\\w+|', ')\\}?$').source)

/** What the shell itself sets. */
const ownValues: ReadonlyMap<string, string> = new Map([
  ['PWD', '.'],
  ['HOME', '~'],
])

function certainValue({ facts, scope }: ValueScope, name: string): string | null {
  const fact = facts.known?.get(name)
  if (fact === undefined) return ownValues.get(name) ?? null
  if (!fact.isSure || facts.isOpaque || facts.known?.has('IFS')) return null
  return scope.isSure || fact.count === 1 ? (facts.current.get(name) ?? null) : null
}

/**
 * The parts of a word, and what it matters that they may be empty: nothing, a part of it makes
 * another word of the rest, or without all of it the words behind it stand elsewhere.
 */
export type OpenWord = {
  readonly parts: readonly WordPart[]
  readonly empties: 'nothing' | 'part' | 'whole'
  /** The variable that it becomes the value of. */
  readonly assigned?: string
}

/** Every way to fill in the variables of some words: with each of several values, or with none. */
export function choicesFor(
  scope: ValueScope,
  words: readonly OpenWord[],
): readonly ValueChoice[] | null {
  const open = new Map<string, readonly string[]>()
  const empty = new Set<string>()
  for (const word of words) collect(scope, word, { open, empty })
  let choices: ValueChoice[] = [noChoice]
  for (const [name, values] of open) {
    if (choices.length * values.length > valuesMax) return null
    choices = withEach(choices, name, values)
  }
  const known = open.size === 0 ? [] : choices
  const sets = emptySets([...empty], Math.floor(emptiedMax / choices.length))
  if (sets === null) return null
  const emptied = sets.flatMap((set) => {
    const gone = set.map((name) => [name, ''] as const)
    return choices.map((choice) => new Map([...choice, ...gone]))
  })
  return [...known, ...emptied]
}

/** Which of these may be empty together: any of few, of more one, two or all. Null: too many. */
function emptySets(names: readonly string[], max: number): readonly (readonly string[])[] | null {
  if (2 ** names.length <= Math.min(max, valuesMax)) {
    let sets: readonly (readonly string[])[] = [[]]
    for (const name of names) sets = [...sets, ...sets.map((set) => [...set, name])]
    return sets.slice(1)
  }
  if ((names.length * (names.length + 1)) / 2 >= max) return null
  return [...names.flatMap((one, i) => names.slice(i).map((other) => [one, other])), names]
}

function withEach(choices: readonly ValueChoice[], name: string, values: readonly string[]) {
  return choices.flatMap((choice) =>
    values.map((value) => new Map([...choice, [name, value] as const])),
  )
}

type OpenNames = { readonly open: Map<string, readonly string[]>; readonly empty: Set<string> }

function collect(
  scope: ValueScope,
  { parts, empties, assigned }: OpenWord,
  { open, empty }: OpenNames,
): void {
  const leaves = parts.flatMap((part) =>
    part.type === 'DoubleQuoted' || part.type === 'LocaleString'
      ? (part.parts as readonly WordPart[])
      : [part],
  )
  for (const [i, part] of leaves.entries()) {
    if (!/^(Simple|Parameter|Command)Expansion$/.test(part.type)) continue
    const name = choiceName(part)
    const values = valuesIn(scope, part)
    if (values.length > 0) open.set(name, values)
    // WHY not before a slash: it would be a path from the root that nobody means.
    if (empties === 'nothing' || startsPath(leaves[i + 1])) continue
    if (leaves.length === 1 && empties === 'part') continue
    // `x="$x y"` would go on growing from nothing again and again.
    if (values.length > 0 && name === assigned) continue
    if (lookupIn(scope).valueOf(part) === null && mayBeEmpty(scope, part)) empty.add(name)
  }
}

function mayBeEmpty(scope: ValueScope, part: WordPart): boolean {
  if (neverEmpty.test(part.text)) return scope.facts.known?.has(nameIn(part)) === true
  if (part.type !== 'ParameterExpansion' || part.operation?.type !== 'Default') return true
  // `${x:-d}` is `d` where `x` is empty.
  const { operator, operand } = part.operation
  return !/^:[-=]$/.test(operator) || !readWord(operand, lookupIn(scope))[0]?.start
}

function startsPath(next: WordPart | undefined): boolean {
  return next?.type === 'Literal' && next.value.startsWith('/')
}

/** The values that a part may have; none: they are not known, or there is only one. */
function valuesIn(scope: ValueScope, part: WordPart): readonly string[] {
  const name = plainOf(part)
  if (name === null) return defaultValues(scope, part)
  const values = scope.facts.known?.get(name)?.values ?? []
  return certainValue(scope, name) === null ? values : []
}

/** `${x:-d}` and `${x/a/d}` may be `d`, or what `x` is known to be; `${x#a}` is a part of that. */
function defaultValues(scope: ValueScope, part: WordPart): readonly string[] {
  const cut = cutOf(part, scope)
  if (cut !== null && cutValue(scope, part) === null) {
    return (scope.facts.known?.get(cut.name)?.values ?? []).map(cut.from)
  }
  if (part.type !== 'ParameterExpansion') return []
  const { operation } = part
  if (operation?.type !== 'Default' && operation?.type !== 'Replace') return []
  const given = operation.type === 'Default' ? operation.operand : operation.replacement
  const word = readWord(given, lookupIn(scope))[0]
  const value = word === undefined ? null : (word.value ?? guessOption(word))
  const known = scope.facts.known?.get(part.parameter)?.values ?? []
  return value === null ? known : [value, ...known]
}
