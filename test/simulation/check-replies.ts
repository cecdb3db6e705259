/**
 * What was spoken: every reply is held against the record in the moment it is heard, and against
 * what the same command was told before.
 */

import type { EventRecord, Store } from '../../src/runtime/ports.ts'
import { findStoredReply } from '../../src/runtime/runs/stored-reply.ts'
import type { By, CommandOutcome, RunReading } from '../../src/runtime/runtime.ts'
import { hold } from './broken-promise.ts'

export type ReplyChecker = {
  readonly heard: (by: By, outcome: CommandOutcome) => Promise<void>
  /** A decision of a person that was accepted; its note is like no other. */
  readonly decided: (approvalId: string, note: string) => void
  /** How far a run is known to be; what is read afterwards cannot be older. */
  readonly knownSeq: (runId: string) => number
  readonly read: (reading: RunReading, knownSeq: number) => void
  /** Records that were acknowledged, by run: the hash at each number. */
  readonly acknowledged: ReadonlyMap<string, ReadonlyMap<number, string>>
  /** Accepted decisions: the note by approval. */
  readonly decisions: ReadonlyMap<string, string>
}

export function openReplyChecker(raw: Store): ReplyChecker {
  const replies = new Map<string, string>()
  const acknowledged = new Map<string, Map<number, string>>()
  const known = new Map<string, number>()
  const decisions = new Map<string, string>()
  return {
    acknowledged,
    decisions,
    knownSeq: (runId) => known.get(runId) ?? 0,
    heard: async ({ commandId }, outcome) => {
      const { runId, seq, reply } = outcome
      const text = JSON.stringify({ seq, reply })
      known.set(runId, Math.max(known.get(runId) ?? 0, seq))
      const [record] = await raw.readEvents(runId, { after: seq - 1, limit: 1 })
      hold(record !== undefined, () => `${runId}: record ${seq} was spoken of and is not there`)
      const hashes = acknowledged.get(runId) ?? new Map<number, string>()
      acknowledged.set(runId, hashes.set(seq, record.hash))
      if (commandId === null) return holdUnnamed(outcome, record)
      const key = `${runId} ${commandId}`
      const before = replies.get(key) ?? text
      hold(before === text, () => `${key} was told ${before} and then ${text}`)
      replies.set(key, text)
      const found = await findStoredReply(raw, runId, commandId)
      const kept = found === null ? null : JSON.stringify({ seq: found.seq, reply: found.reply })
      hold(kept === text, () => `${key} was told ${text}, and the record has ${kept}`)
    },
    decided: (approvalId, note) => {
      const before = decisions.get(approvalId) ?? note
      hold(before === note, () => `${approvalId}: both ${before} and ${note} were accepted`)
      decisions.set(approvalId, note)
    },
    read: ({ head }, knownSeq) =>
      hold(
        head.seq >= knownSeq,
        () => `${head.id} was read at ${head.seq}, after ${knownSeq} had been spoken`,
      ),
  }
}

/** A verdict that nobody can ask for again has its event as the last of its change, or near it. */
function holdUnnamed({ runId, seq, reply, isRepeated }: CommandOutcome, record: EventRecord): void {
  hold(!isRepeated, () => `${runId}: a command without an id was called a repetition`)
  if (reply.kind !== 'verdict') return
  const types = {
    allow: ['call.allowed', 'limit.reached'],
    ask: ['approval.requested'],
    deny: ['call.denied'],
  }
  hold(
    types[reply.verdict].includes(record.type),
    () => `${runId}: ${reply.verdict} was said of record ${seq}, which is ${record.type}`,
  )
}
