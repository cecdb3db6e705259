/**
 * What a line of a walk can mean, and what its readers share.
 * Must not know how a line is read, nor terminals.
 */
import type { View } from '../../../core/dialects/run-view.ts'
import type { OpenCall } from '../../../core/engine/types.ts'
import type { Machine, Stage } from '../../../core/machine/machine.ts'
import type { WalkAction } from '../../../testing/walk.ts'
import type { Trouble } from './read-data.ts'

/** What the reader has to know of the run that will hear the line. */
export type Situation = {
  readonly machine: Machine
  readonly stage: Stage
  readonly view: View
  readonly openCall: OpenCall | null
}

export type PlayInput =
  | { readonly kind: 'nothing' }
  /** Done one after the other, as long as each is granted. `note`: how the line was read. */
  | {
      readonly kind: 'acts'
      readonly acts: readonly [WalkAction, ...WalkAction[]]
      readonly note: string
    }
  | { readonly kind: 'look'; readonly branch: string | null }
  | { readonly kind: 'vars'; readonly branch: string | null }
  | { readonly kind: 'log' }
  | { readonly kind: 'draw' }
  | { readonly kind: 'map' }
  | { readonly kind: 'help'; readonly word: string }
  | { readonly kind: 'undo'; readonly count: number }
  | { readonly kind: 'save'; readonly file: string; readonly mayReplace: boolean }
  | { readonly kind: 'restart' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'unclear'; readonly trouble: Trouble }

/** What to read, for whom, and in which situation. */
export type PlaySignal = {
  readonly text: string
  readonly branch: string | null
  readonly situation: Situation
}

/** A line that could not be understood, and what to write instead. */
export function unclear(message: string, hint: string): PlayInput {
  return { kind: 'unclear', trouble: { message, hint } }
}

/** The longest of the names that a text begins with, as a word of its own. */
export function beginningOf(text: string, names: readonly string[]): string | null {
  let best: string | null = null
  for (const name of names) {
    const fits = text === name || (text.startsWith(name) && /\s/.test(text[name.length] as string))
    if (name !== '' && fits && name.length > (best?.length ?? 0)) best = name
  }
  return best
}

/** Fields that take text: digits in them stay text. */
export function textFields({ view }: Situation): ReadonlySet<string> {
  return new Set(view.fields.filter((one) => one.type === 'string').map((one) => one.name))
}

/** A command that makes no sense now leaves its word to the signal. */
export function isPossible(command: string, { view, openCall }: Situation): boolean {
  if (command === 'ok' || command === 'fail' || command === 'report') return openCall !== null
  if (command === 'approve' || command === 'refuse') return view.approval !== null
  if (command === 'goto' || command === 'submit') return view.dialect === 'steps'
  if (command === 'done') return Object.keys(view.branches).length > 0
  if (command === 'resume') return view.status === 'paused'
  return true
}
