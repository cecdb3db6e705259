/** Formats alternatives as one short sentence. Does not know how they were found. */
import { visible } from '../policy/format-input.ts'
import type { Alternative } from './types.ts'

/** Names that one hint tells; the others are told by their number. */
const namesMax = 6
/** Of them, signals beside something else. */
const signalsMax = 2
/** Fields told with one signal. */
const fieldsMax = 4
const nameCharsMax = 60

/** The advice of a rule and what is possible instead. Never empty. */
export function formatHint(advice: string, instead: readonly Alternative[]): string {
  const signals = instead.filter((one) => one.kind === 'signal').map(signalText)
  const others = instead.filter((one) => one.kind !== 'signal' && one.kind !== 'wait')
  const room = others.length === 0 ? namesMax : Math.min(signalsMax, signals.length)
  const parts = [
    ...kinds.map(({ kind, word, after }) => {
      const names = others.filter((one) => one.kind === kind).map(nameText)
      return names.length === 0 ? '' : `${word} ${either(names, namesMax - room)}${after}`
    }),
    signals.length === 0 ? '' : `send ${either(signals, room)} to move on`,
  ].filter((part) => part !== '')
  const sentence = parts.join(', or ')
  const isWaiting = instead.some((one) => one.kind === 'wait')
  const words = [advice, sentence].filter((part) => part !== '').join('; ')
  return words !== ''
    ? words
    : isWaiting
      ? 'wait'
      : 'nothing is possible here; ask a person for help'
}

const kinds = [
  { kind: 'tool', word: 'use', after: '' },
  { kind: 'command', word: 'run', after: '' },
  { kind: 'file', word: 'edit', after: ' again' },
] as const

function nameText(one: Exclude<Alternative, { kind: 'signal' | 'wait' }>): string {
  if (one.kind === 'file') return quoted(one.path)
  return `${quoted(one.kind === 'tool' ? one.name : one.entry.trim())}${asksText(one.asks)}`
}

function signalText({ name, asks, needs }: Extract<Alternative, { kind: 'signal' }>): string {
  const fields = needs.length === 0 ? '' : ` with ${both(needs.map(quoted), fieldsMax)}`
  return `${quoted(name)}${fields}${asksText(asks)}`
}

function asksText(asks: unknown): string {
  return asks === true ? ' (asks a person)' : ''
}

/** WHY: names are the author's or the agent's, and a hint is one line of a terminal. */
function quoted(name: string): string {
  const text = name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name
  return `\`${visible(text)}\``
}

function either(names: readonly string[], max: number): string {
  return listed(names, max, 'or')
}

function both(names: readonly string[], max: number): string {
  return listed(names, max, 'and')
}

function listed(names: readonly string[], max: number, word: 'or' | 'and'): string {
  const shown = names.slice(0, max)
  const more = names.length - shown.length
  const last = more > 0 ? `${more} more` : (shown.pop() ?? '')
  if (shown.length === 0) return last
  return `${shown.join(', ')} ${more > 0 ? 'and' : word} ${last}`
}
