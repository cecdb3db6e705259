/**
 * What the log of a run says of one call: that it was let through, and how it ended.
 */
import type { Event } from '../../core/engine/types.ts'
import type { RunStore } from '../ports.ts'
import type { CallReport } from './calls.ts'

const pageRecords = 500
/** Pages that are looked through; what ended later than that counts as unreported. */
const pagesMax = 40
/** Records that the command which let a call through may have written after it. */
const commandRecordsMax = 8

type Asked = {
  readonly callId: string
  /** Records in the log when the call was answered. */
  readonly seq: number
}

/** Null: the call was never let through. */
export async function findReport(
  store: Pick<RunStore, 'readEvents'>,
  runId: string,
  { callId, seq }: Asked,
): Promise<CallReport | 'unreported' | null> {
  let after = Math.max(0, seq - commandRecordsMax)
  let isAllowed = false
  for (let page = 0; page < pagesMax; page += 1) {
    const records = await store.readEvents(runId, { after, limit: pageRecords })
    for (const { type, data } of records) {
      if (type !== 'call.allowed' && type !== 'call.reported') continue
      const event = JSON.parse(data) as Extract<Event, { type: typeof type }>
      if (event.callId !== callId) continue
      if (event.type === 'call.reported') {
        const { ok, exitCode, bytes, costMicroUsd } = event
        return { ok, exitCode, bytes, costMicroUsd }
      }
      isAllowed = true
    }
    after = records.at(-1)?.seq ?? after
    if (records.length < pageRecords) return isAllowed ? 'unreported' : null
  }
  // Too far away to be seen: nobody can say that it did not happen.
  return 'unreported'
}
