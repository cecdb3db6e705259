/**
 * Finds one call in the log of a run: whether a person was asked, whether it was allowed, and how
 * it ended.
 */
import type { CallIdentity } from '../../core/engine/call-identity.ts'
import type { Event } from '../../core/engine/types.ts'
import type { RunStore } from '../ports.ts'
import type { CallReport } from './calls.ts'

const pageRecords = 500
/** Pages that are looked through; what ended later than that counts as unreported. */
const pagesMax = 40
/** Records that the command which let a call through may have written after it. */
const commandRecordsMax = 8

type LoggedCallQuery = {
  readonly caller: string
  readonly key: string
  /** Records in the log when the key was answered first. */
  readonly seq: number
}

type LoggedCall = {
  /** The last question to a person about it; null: none. */
  readonly approvalId: string | null
  /** Null: it was never let through. */
  readonly callId: string | null
  /** Null: its end was never reported. */
  readonly report: CallReport | null
}

/** The call of that key, from where it was answered first. */
export async function findLoggedCall(
  store: Pick<RunStore, 'readEvents'>,
  runId: string,
  asked: LoggedCallQuery,
): Promise<LoggedCall> {
  let after = Math.max(0, asked.seq - commandRecordsMax)
  let found: LoggedCall = { approvalId: null, callId: null, report: null }
  for (let page = 0; page < pagesMax; page += 1) {
    const records = await store.readEvents(runId, { after, limit: pageRecords })
    for (const { type, data } of records) {
      if (!types.has(type)) continue
      found = { ...found, ...factIn(JSON.parse(data) as Event, asked, found) }
    }
    after = records.at(-1)?.seq ?? after
    if (records.length < pageRecords) return found
  }
  // Too far away to be seen: nobody can say that it did not happen.
  return { ...found, callId: found.callId ?? '' }
}

const types: ReadonlySet<string> = new Set(['approval.requested', 'call.allowed', 'call.reported'])

function factIn(
  event: Event,
  { caller, key }: LoggedCallQuery,
  found: LoggedCall,
): Partial<LoggedCall> {
  const isMeant = (one: CallIdentity): boolean => one.key === key && one.caller === caller
  switch (event.type) {
    case 'approval.requested': {
      const { id, pending } = event.approval
      return 'tool' in pending && isMeant(pending) ? { approvalId: id } : {}
    }
    case 'call.allowed':
      return isMeant(event) ? { callId: event.callId, report: null } : {}
    case 'call.reported': {
      const { ok, exitCode, bytes, costMicroUsd } = event
      return event.callId === found.callId ? { report: { ok, exitCode, bytes, costMicroUsd } } : {}
    }
    default:
      return {}
  }
}
