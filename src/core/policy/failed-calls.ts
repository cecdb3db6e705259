/**
 * Calls that have failed, with how often in a row and nothing changed since: one small entry for
 * each. Plain data, total, and frozen with the events: it judges nothing.
 */
import { own } from '../json.ts'
import type { Meters } from './meters.ts'

export type FailedCall = {
  /** See `contentKey`. */
  readonly same: string
  readonly count: number
  /** When it failed last. */
  readonly at: number
  /** The agent was told what to do instead; absent: not yet. */
  readonly isTold?: true
}

/** The meter that keeps them. */
export const failuresMeter = 'failures'

/** Calls that are kept; the one that failed longest ago is forgotten. */
export const failedCallsMax = 32

/** What an event says of a call that fails again and again. */
export type FailureNote =
  /** It has failed, for the time in a row that is named. */
  | {
      readonly kind: 'failed'
      readonly meter: string
      readonly same: string
      readonly count: number
    }
  /** It has ended well. */
  | { readonly kind: 'worked'; readonly meter: string; readonly same: string }
  /** The agent was told. */
  | { readonly kind: 'told'; readonly meter: string; readonly same: string }
  /** Another call may have changed something: what failed before may work now. */
  | { readonly kind: 'restart'; readonly meter: string; readonly same: string }

/** The failed calls after one more note. */
export function foldFailure(
  before: readonly FailedCall[],
  note: FailureNote,
  at: number,
): readonly FailedCall[] {
  const { same } = note
  const others = before.filter((one) => one.same !== same)
  const known = before.find((one) => one.same === same)
  switch (note.kind) {
    case 'failed': {
      const told = note.count > 1 && known?.isTold === true ? ({ isTold: true } as const) : {}
      const failed = { same, count: note.count, at, ...told }
      return [...others.slice(-(failedCallsMax - 1)), failed]
    }
    case 'worked':
      return others
    case 'told':
      return known === undefined ? before : before.map((one) => (one === known ? told(one) : one))
    case 'restart':
      return known === undefined ? [] : [known]
  }
}

function told(one: FailedCall): FailedCall {
  return { ...one, isTold: true }
}

/** The calls of a family that have failed, oldest first. */
export function failedCallsIn(meters: Meters | null): readonly FailedCall[] {
  return own(meters ?? {}, failuresMeter)?.order?.failed ?? []
}
