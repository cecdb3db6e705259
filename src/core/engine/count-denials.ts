/**
 * The calls of a log that were denied, or that an enforced run would have denied or asked about,
 * counted by rule.
 */
import { ruleText } from '../judge/rule-answer.ts'
import type { Event } from './types.ts'

export type RecordedDenial = {
  readonly verdict: 'deny' | 'ask'
  /** The call was let through all the same: its rule is only observed. */
  readonly isObserved: boolean
  readonly tool: string
  /** Null where a person would have been asked. */
  readonly code: string | null
  /** Null: built into Pawl. */
  readonly rule: string | null
  readonly reason: string
}

export type CountedDenial = RecordedDenial & { readonly count: number }

/** Rules that are told apart; a log with more of them is counted in part. */
const rowsMax = 1_000

/** The denial that an event records; null: it records none. */
export function denialIn(event: Event): RecordedDenial | null {
  if (event.type === 'call.denied') {
    const { tool, code, reason } = event
    return { verdict: 'deny', isObserved: false, tool, code, rule: ruleText(event), reason }
  }
  if (event.type !== 'call.allowed' || event.observed === undefined) return null
  const { verdict, code, reason } = event.observed
  const rule = ruleText(event.observed)
  return { verdict, isObserved: true, tool: event.tool, code, rule, reason }
}

/** Counts denials as they come. */
export type DenialCounter = {
  readonly add: (denial: RecordedDenial) => void
  /** One row for each rule, tool and code, the most frequent first, with the first reason given. */
  readonly rows: () => readonly CountedDenial[]
}

export function openDenialCounter(): DenialCounter {
  const rows = new Map<string, CountedDenial>()
  return {
    add: (one) => {
      const key = JSON.stringify([one.verdict, one.isObserved, one.tool, one.code, one.rule])
      const before = rows.get(key)
      if (before !== undefined) rows.set(key, { ...before, count: before.count + 1 })
      else if (rows.size < rowsMax) rows.set(key, { ...one, count: 1 })
    },
    rows: () => [...rows.values()].toSorted((a, b) => b.count - a.count),
  }
}
