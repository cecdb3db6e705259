/**
 * What an argument does, by its kind in the tables of programs: whether it is more than a list of
 * commands allows, and why it is more than reading. The kinds stand in `argument-kinds.json`.
 */
import { type ArgumentScope, argumentChecks } from './argument-checks.ts'
import table from './argument-kinds.json' with { type: 'json' }
import type { ProgramArgument } from './read-arguments.ts'

/** It speaks of an argument that matches and that the check means; of all, if there is neither. */
type RawRule = {
  /** `…`: the word itself is put there. */
  readonly why?: string
  /** Tested on what is known of the value from its beginning. */
  readonly matches?: string
  readonly inAnyCase?: boolean
  readonly check?: string
}

type RawKind = {
  /** The value has to be known, or to come from outside of the text. */
  readonly isChosen?: boolean
  readonly list?: readonly RawRule[]
  readonly reading?: readonly RawRule[]
}

type KindRule = {
  readonly why: string
  readonly speaksOf: (argument: ProgramArgument, scope: ArgumentScope) => boolean
}

function ruleOf({ why = '', matches = '', inAnyCase, check }: RawRule): KindRule {
  const pattern = new RegExp(matches, inAnyCase ? 'i' : '')
  if (check === undefined) return { why, speaksOf: ({ start }) => pattern.test(start) }
  const holds = argumentChecks[check as keyof typeof argumentChecks]
  if (holds === undefined) throw new Error(`no check of arguments: ${check}`)
  return {
    why,
    speaksOf: (argument, scope) => pattern.test(argument.start) && holds(argument, scope),
  }
}

const kinds = new Map(
  Object.entries(table as Readonly<Record<string, RawKind>>).flatMap(([names, raw]) => {
    const { isChosen = false, list = [], reading = [] } = raw
    const kind = { isChosen, list: list.map(ruleOf), reading: reading.map(ruleOf) }
    return names.split(' ').map((name) => [name, kind] as const)
  }),
)

/** Whether an argument does more than a list of commands allows. */
export function isListTrouble(argument: ProgramArgument, scope: ArgumentScope): boolean {
  const kind = kinds.get(argument.kind)
  if (kind === undefined) return false
  const isOpen = argument.value === null && argument.isMade && argument.start === ''
  if (isOpen && kind.isChosen) return true
  return kind.list.some(({ speaksOf }) => speaksOf(argument, scope))
}

/** Why an argument is more than reading, with the word it stands in; null: it is not. */
export function whyByKind(
  argument: ProgramArgument,
  word: string,
  scope: ArgumentScope,
): string | null {
  const found = kinds.get(argument.kind)?.reading.find(({ speaksOf }) => speaksOf(argument, scope))
  return found === undefined ? null : found.why.replace('…', () => `\`${word}\``)
}
