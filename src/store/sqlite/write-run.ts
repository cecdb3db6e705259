/**
 * The statements that write what is kept of one run. All of them run inside a transaction.
 */
import type { DatabaseSync } from 'node:sqlite'
import type {
  ApprovalRow,
  Change,
  Committed,
  EventRecord,
  Owed,
  RunHead,
  Snapshot,
} from '../../runtime/ports.ts'
import { countLogBytes } from '../check-change.ts'

export type RunWriter = {
  readonly commit: (change: Change) => Committed
  /** Writes a head that is not there; false: it is there, and nothing was changed. */
  readonly insertHead: (head: RunHead, logBytes: number) => boolean
  readonly insertEvents: (runId: string, events: readonly EventRecord[]) => void
  readonly putApprovals: (approvals: readonly ApprovalRow[]) => void
  readonly putSnapshot: (runId: string, snapshot: Snapshot) => void
}

export function prepareRunWriter(db: DatabaseSync): RunWriter {
  const addHead = db.prepare(
    `INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  // What a run is pinned to never changes, so its columns are not written again.
  const moveHead = db.prepare(
    `UPDATE runs SET status = ?, stage = ?, seq = ?, hash = ?, calls_count = ?, cost_micro_usd = ?,
       updated_at = ?, ended_at = ?, log_bytes = log_bytes + ?
     WHERE id = ? AND seq = ?`,
  )
  const addEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const addReply = db.prepare('INSERT INTO replies VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const takeBackReply = db.prepare('DELETE FROM replies WHERE run_id = ? AND command_id = ?')
  const putApproval = db.prepare(
    'INSERT OR REPLACE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const putSnapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)')
  const addOwed = db.prepare('INSERT INTO owed VALUES (?, ?, ?, ?, ?, ?)')

  const insertHead = (h: RunHead, logBytes: number) => {
    const pinned = [h.id, h.machine, h.definition, h.dialect] as const
    const now = [h.status, h.stage, h.seq, h.hash, h.workspace] as const
    const counts = [h.callsCount, h.costMicroUsd, h.startedAt, h.updatedAt, h.endedAt] as const
    return addHead.run(...pinned, ...now, ...counts, logBytes).changes === 1
  }
  const updateHead = (h: RunHead, expectedSeq: number, logBytes: number) => {
    const now = [h.status, h.stage, h.seq, h.hash, h.callsCount, h.costMicroUsd] as const
    const { updatedAt, endedAt } = h
    return moveHead.run(...now, updatedAt, endedAt, logBytes, h.id, expectedSeq).changes === 1
  }
  const insertEvents = (runId: string, events: readonly EventRecord[]) => {
    for (const e of events) {
      addEvent.run(runId, e.seq, e.member, e.type, e.data, e.at, e.actor, e.commandId, e.hash)
    }
  }
  const putApprovals = (approvals: readonly ApprovalRow[]) => {
    for (const a of approvals) {
      const asked = [a.runId, a.id, a.member, a.kind, a.message, a.hash, a.status] as const
      const times = [a.requestedAt, a.expiresAt, a.decidedAt] as const
      putApproval.run(...asked, ...times, a.decidedBy, a.note, a.pending)
    }
  }
  const insertOwed = (owed: readonly Owed[]) => {
    for (const o of owed) addOwed.run(o.runId, o.id, o.kind, o.data, o.dueAt, o.attempts)
  }
  const writeSnapshot = (runId: string, { seq, version, state }: Snapshot) => {
    putSnapshot.run(runId, seq, version, state)
  }

  const commit = (change: Change): Committed => {
    const { runId, expectedSeq, head, events, reply, snapshot } = change
    // WHY no savepoint: these two rows say whether the change fits, and only one is taken back.
    if (reply !== null && addReply.run(runId, reply.commandId, reply.text).changes === 0) {
      return 'repeated'
    }
    const logBytes = countLogBytes(events)
    const fits =
      expectedSeq === 0 ? insertHead(head, logBytes) : updateHead(head, expectedSeq, logBytes)
    if (!fits) {
      if (reply !== null) takeBackReply.run(runId, reply.commandId)
      return 'conflict'
    }
    insertEvents(runId, events)
    putApprovals(change.approvals)
    insertOwed(change.owed)
    if (snapshot !== null) writeSnapshot(runId, snapshot)
    return 'committed'
  }
  return { commit, insertHead, insertEvents, putApprovals, putSnapshot: writeSnapshot }
}
