/**
 * What is remembered for rules on what happened before: one small entry for each rule, whatever
 * the length of the log. Plain data, total, and frozen with the events: it judges nothing.
 */
import type { OpenCall, OrderMark, OrderResult } from '../engine/types.ts'
import { type FailedCall, foldFailure } from './failed-calls.ts'
import { addAmount, addToTally, type Tally, takeFromTally } from './tallies.ts'

export type OrderMeter = {
  readonly tally?: Tally
  readonly seen?: SeenCalls
  /** Calls that have failed; absent: none is kept here. */
  readonly failed?: readonly FailedCall[]
}

/** Calls of one kind that ended well. */
export type SeenCalls = {
  readonly last: SeenCall
  /** The newest with their values, oldest first; absent: no rule compares values. */
  readonly values?: readonly (SeenCall & { readonly value: string })[]
}

export type SeenCall = {
  readonly at: number
  /** How many calls that may change files had been made by then. */
  readonly changes: number
  /** When it began; absent in old records. */
  readonly since?: number
}

/** Calls with their values that one meter remembers; the oldest are forgotten. */
export const seenValuesMax = 256

/** The meter that counts calls which may change files. */
export const changesMeter = 'changes'

/** Whether a call that was let through may change files. */
export function mayChange({ order = [] }: Pick<OpenCall, 'order'>): boolean {
  return order.some(({ kind }) => kind === 'change')
}

/** A moment, and how many calls that may change files were made until then. */
export type OrderMoment = SeenCall

/** A meter after a call was let through that left a mark on it. */
export function foldMark(
  before: OrderMeter | undefined,
  mark: OrderMark,
  { at }: OrderMoment,
): OrderMeter | undefined {
  if (mark.kind === 'seen' || mark.kind === 'restart') return before
  const added =
    mark.kind === 'change'
      ? { at, calls: 1, amount: 0, windowMs: null }
      : { at, calls: 1, amount: mark.amount, windowMs: mark.windowMs }
  return { ...before, tally: addToTally(before?.tally, added) }
}

/** A meter after the end of a call that had left a mark on it. */
export function foldResult(
  before: OrderMeter | undefined,
  result: OrderResult,
  { at, changes }: OrderMoment,
): OrderMeter | undefined {
  switch (result.kind) {
    case 'seen': {
      const { value, since } = result
      const last = { at, changes, ...(since === undefined ? {} : { since }) }
      return { ...before, seen: addSeen(before?.seen, last, value) }
    }
    case 'change':
      return {
        ...before,
        tally: addToTally(before?.tally, { at, calls: 1, amount: 0, windowMs: null }),
      }
    case 'release':
      return withTally(before, takeFromTally(before?.tally, { ...result, calls: 1 }))
    case 'amount':
      return withTally(before, addAmount(before?.tally, result))
    default:
      return { ...before, failed: foldFailure(before?.failed ?? [], result, at) }
  }
}

function withTally(
  before: OrderMeter | undefined,
  tally: Tally | undefined,
): OrderMeter | undefined {
  return tally === undefined ? before : { ...before, tally }
}

/** What several logs have seen, as one; undefined: nothing. */
export function mergeSeen(all: readonly SeenCalls[]): SeenCalls | undefined {
  const [first, second] = all
  if (first === undefined || second === undefined) return first
  const byTime = (one: SeenCall, other: SeenCall): number => one.at - other.at
  const last =
    all
      .map((one) => one.last)
      .toSorted(byTime)
      .at(-1) ?? first.last
  const values = all.flatMap((one) => one.values ?? []).toSorted(byTime)
  return values.length === 0 ? { last } : { last, values }
}

function addSeen(before: SeenCalls | undefined, last: SeenCall, value?: string): SeenCalls {
  if (value === undefined) return { ...before, last }
  const others = (before?.values ?? []).filter((one) => one.value !== value)
  return { last, values: [...others.slice(-(seenValuesMax - 1)), { ...last, value }] }
}
