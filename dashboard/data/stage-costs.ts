/** What models cost in each visit of a stage, from the log. */
import type { Event } from '../../src/core/engine/types.ts'
import type { LogRecord } from './run-log.ts'

/** Sums in millionths of a dollar, by the number of the record that entered the stage. */
export function stageCosts(records: readonly LogRecord[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  /** Where each run of the family stands. */
  const entered = new Map<string, number>()
  for (const { seq, member, data } of records) {
    // WHY the cast: the log holds events and nothing else.
    const event = data as unknown as Event
    if (event.type === 'stage.entered') entered.set(member, seq)
    if (event.type !== 'money.spent') continue
    const at = entered.get(member)
    if (at !== undefined) sums.set(at, (sums.get(at) ?? 0) + event.costMicroUsd)
  }
  return sums
}
