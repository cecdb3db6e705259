/** Formats alternatives as one short sentence. Does not know how they were found. */
import { visible } from '../policy/format-call-input.ts'
import type { Alternative } from './types.ts'

const nameCharsMax = 60
const asksPerson = ' (asks a person)'

/** How a hint for one reader names what he can do. */
export type HintWords = {
  /** The tools that an author lists, as the reader has them, and what replaces those he lacks. */
  readonly tools: (written: readonly string[]) => ToolWords
  /** How signals are sent: `send A or B to move on`. */
  readonly send: (signals: string) => string
  /** Characters of one list; the first name is told however long it is. */
  readonly listCharsMax: number
  /** Where all of a list is told that is longer. */
  readonly rest: string
}

type ToolWords = { readonly names: readonly string[]; readonly besides: string }

/** The words of the definition itself. */
const plainWords: HintWords = {
  tools: (names) => ({ names, besides: '' }),
  send: (signals) => `send ${signals} to move on`,
  listCharsMax: 240,
  rest: '',
}

/** The advice of a rule and what is possible instead. Never empty. */
export function formatHint(
  advice: string,
  instead: readonly Alternative[],
  words: HintWords = plainWords,
): string {
  const sentence = insteadText(instead, words)
  const hint = [advice, sentence].filter((part) => part !== '').join('; ')
  if (hint !== '') return hint
  const isWaiting = instead.some((one) => one.kind === 'wait')
  return isWaiting ? 'wait' : 'nothing is possible here; ask a person for help'
}

/** A hint that `formatHint` made, in the words of another reader. */
export function rewordHint(
  hint: string,
  instead: readonly Alternative[],
  words: HintWords,
): string {
  const plain = insteadText(instead, plainWords)
  if (plain === '' || !hint.endsWith(plain)) return hint
  return formatHint(hint.slice(0, -plain.length).replace(/; $/, ''), instead, words)
}

function insteadText(instead: readonly Alternative[], words: HintWords): string {
  const tools = instead.filter((one) => one.kind === 'tool')
  const asking = tools.filter(({ asks }) => asks)
  const { names, besides } = words.tools(tools.filter(({ asks }) => !asks).map(({ name }) => name))
  const asked = words.tools(asking.map(({ name }) => name))
  const signals = instead.filter((one) => one.kind === 'signal').map(signalText)
  const kinds: readonly (readonly [string, readonly string[], string])[] = [
    ['use', [...names.map(quoted), ...asked.names.map((name) => quoted(name) + asksPerson)], ''],
    ['run', instead.flatMap((one) => (one.kind === 'command' ? [commandText(one)] : [])), ''],
    ['edit', instead.flatMap((one) => (one.kind === 'file' ? [quoted(one.path)] : [])), ' again'],
  ]
  const parts = kinds.map(([verb, all, after]) =>
    all.length === 0 ? '' : `${verb} ${listed(all, 'or', words)}${after}`,
  )
  const way = signals.length === 0 ? '' : words.send(listed(signals, 'or', words))
  return [...parts, besides, way].filter((part) => part !== '').join(', or ')
}

function commandText({ entry, asks }: Extract<Alternative, { kind: 'command' }>): string {
  return `${quoted(entry.trim())}${asks ? asksPerson : ''}`
}

function signalText({ name, asks, needs }: Extract<Alternative, { kind: 'signal' }>): string {
  const fields = needs.length === 0 ? '' : ` with ${listed(needs.map(quoted), 'and', plainWords)}`
  return `${quoted(name)}${fields}${asks ? asksPerson : ''}`
}

/** WHY: names are the author's or the agent's, and a hint is one line of a terminal. */
function quoted(name: string): string {
  const text = name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name
  return `\`${visible(text)}\``
}

function listed(names: readonly string[], word: 'or' | 'and', words: HintWords): string {
  const { listCharsMax, rest } = words
  const shown: string[] = []
  let chars = 0
  for (const name of names) {
    chars += name.length + 2
    if (shown.length > 0 && chars > listCharsMax) {
      return `${shown.join(', ')}, …${rest === '' ? '' : ` (${rest})`}`
    }
    shown.push(name)
  }
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`
}
