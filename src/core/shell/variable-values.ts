/**
 * What variables stand for where the text itself gives them their values. A value counts as
 * certain where it was assigned on the straight way to its use, and only there; everywhere else it
 * is one of several that the variable may have.
 */

import { cutBy, cutCharsMax, isCutPattern } from './cut-value.ts'
import { guessOption, readWord, type WordLookup } from './expand-word.ts'
import type { WordPart } from './parse.ts'
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
      if (part.type === 'CommandExpansion') return saidIn(part, lookup).value
      const name = choiceName(part)
      if (name === null) return null
      return choice.get(name) ?? (isPlain(part) ? certainValue(scope, name) : cutValue(scope, part))
    },
    isMade: (part) => {
      if (part.type === 'CommandExpansion') return !saidIn(part, lookup).isTame
      if (part.type === 'ParameterExpansion' && isReplacing(part, scope)) return true
      // An element of an array is as much made up as the array is.
      const name = part.type === 'ParameterExpansion' ? part.parameter : variableOf(part)
      return name !== null && (scope.facts.known?.get(name)?.isMade ?? false)
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
  if (operation.type === 'Replace') return /^["']?-|[$`]\(/.test(operation.replacement?.text ?? '')
  return operation.type === 'Unknown'
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

/** `$x` and `${x}`; null: it is something else, or more than the value as it is. */
function variableOf(part: WordPart): string | null {
  if (part.type === 'SimpleExpansion') {
    const name = part.text.slice(1)
    return /^[0-9@*]$/.test(name) ? '@' : name
  }
  if (part.type !== 'ParameterExpansion' || part.prefix !== undefined) return null
  return part.index === undefined ? part.parameter : null
}

function isPlain(part: WordPart): boolean {
  return part.type !== 'ParameterExpansion' || part.operation === undefined
}

/** Under which name a value is chosen: of a variable, or of one with a default. */
function choiceName(part: WordPart): string | null {
  return isPlain(part) ? variableOf(part) : part.text
}

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

/** Every way to fill in the variables of some words whose value is one of several. */
export function choicesFor(
  scope: ValueScope,
  parts: readonly WordPart[],
): readonly ValueChoice[] | null {
  const open = new Map<string, readonly string[]>()
  collect(scope, parts, open)
  let choices: Map<string, string>[] = [new Map()]
  for (const [name, values] of open) {
    if (choices.length * values.length > valuesMax) return null
    choices = choices.flatMap((choice) =>
      values.map((value) => new Map([...choice, [name, value] as const])),
    )
  }
  return open.size === 0 ? [] : choices
}

function collect(
  scope: ValueScope,
  parts: readonly WordPart[],
  open: Map<string, readonly string[]>,
): void {
  for (const part of parts) {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
      collect(scope, part.parts as readonly WordPart[], open)
      continue
    }
    const name = choiceName(part)
    if (name === null || open.has(name)) continue
    if (isPlain(part)) {
      const values = scope.facts.known?.get(name)?.values ?? []
      if (values.length > 0 && certainValue(scope, name) === null) open.set(name, values)
    } else {
      const values = defaultValues(scope, part)
      if (values.length > 0) open.set(name, values)
    }
  }
}

/** `${x:-d}` may be `d`, or what `x` is known to be; `${x#a}` is a part of that. */
function defaultValues(scope: ValueScope, part: WordPart): readonly string[] {
  const cut = cutOf(part, scope)
  if (cut !== null && cutValue(scope, part) === null) {
    return (scope.facts.known?.get(cut.name)?.values ?? []).map(cut.from)
  }
  if (part.type !== 'ParameterExpansion' || part.operation?.type !== 'Default') return []
  const word = readWord(part.operation.operand, lookupIn(scope))[0]
  const value = word === undefined ? null : (word.value ?? guessOption(word))
  const known = scope.facts.known?.get(part.parameter)?.values ?? []
  return value === null ? known : [value, ...known]
}
