/** Checks that every store makes on a change. */
import { assert } from '../core/assert.ts'
import type { EventRecord, RunChange } from '../runtime/ports.ts'

/** Stops a change that would leave a gap in a log: a bug of whoever made it. */
export function checkChange(change: RunChange): void {
  const { runId, expectedSeq, head, events } = change
  assert(head.id === runId, 'a head belongs to the run that changes')
  assert(head.seq === expectedSeq + events.length, 'a head counts the records of its log')
  assert(head.seq > 0, 'a log begins with a record')
  assert(
    events.every((event, index) => event.seq === expectedSeq + index + 1),
    'records follow each other without gaps',
  )
}

/** Bytes of the texts in these records, as a log counts them. */
export function countLogBytes(events: readonly EventRecord[]): number {
  return events.reduce((sum, event) => sum + Buffer.byteLength(event.data), 0)
}
