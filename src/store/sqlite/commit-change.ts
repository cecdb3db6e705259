/**
 * The statements that write runs: their heads, events, replies and what is projected from them.
 * All of them run inside a transaction.
 */
import type { DatabaseSync } from 'node:sqlite'
import type {
  ApprovalRow,
  Committed,
  EventRecord,
  OutboxItem,
  RunChange,
  RunHead,
  Snapshot,
} from '../../runtime/ports.ts'
import { hashText } from '../../runtime/record/binds.ts'
import { checkChange, countLogBytes } from '../check-change.ts'
import type { Register } from './register.ts'

export type RunWriter = {
  readonly commit: (change: RunChange) => Committed
  /** Writes a run that comes from another store; false: there is a run of that id. */
  readonly insertRun: (head: RunHead, events: readonly EventRecord[]) => boolean
  /** Replaces the head of a run, also one that was lost; false: the run has no log. */
  readonly replaceHead: (head: RunHead) => boolean
  readonly putApprovals: (approvals: readonly ApprovalRow[]) => void
  readonly putSnapshot: (runId: string, snapshot: Snapshot) => void
}

export function prepareRunWriter(db: DatabaseSync, { note }: Register): RunWriter {
  const heads = prepareHeads(db)
  const { hasReply, insertEvents, insertReply, insertOutboxItems, ...rows } = prepareRows(db)

  const commit = (change: RunChange): Committed => {
    checkChange(change)
    const { runId, expectedSeq, head, events, reply, snapshot } = change
    // INVARIANT: nothing is written before it is known that the change fits.
    if (reply !== null && hasReply(runId, reply.commandId)) return 'repeated'
    if (heads.currentSeq(runId) !== expectedSeq) return 'conflict'
    const bytes = countLogBytes(events)
    if (expectedSeq === 0) {
      heads.insert(head, bytes)
      note({ type: 'run.started', runId, hash: events[0]?.hash ?? '' })
    } else heads.advance(head, bytes)
    insertEvents(runId, events)
    if (reply !== null) {
      const { commandId, text } = reply
      insertReply(runId, reply)
      // No record binds it, so the register does.
      if (events.length === 0) note({ type: 'reply.kept', runId, commandId, hash: hashText(text) })
    }
    rows.putApprovals(change.approvals)
    insertOutboxItems(change.outbox)
    if (snapshot !== null) rows.putSnapshot(runId, snapshot)
    return 'committed'
  }
  const insertRun = (head: RunHead, events: readonly EventRecord[]): boolean => {
    if (heads.currentSeq(head.id) !== 0) return false
    heads.insert(head, countLogBytes(events))
    insertEvents(head.id, events)
    note({ type: 'run.imported', head: [head.id, head.seq, head.hash] })
    return true
  }
  return { commit, insertRun, replaceHead: heads.replace, ...rows }
}

/** `null`: there are events, but their head was lost. Such a log is not begun a second time. */
type CurrentSeq = (runId: string) => number | null

function prepareHeads(db: DatabaseSync) {
  const findSeq = db.prepare('SELECT seq FROM runs WHERE id = ?')
  const findEvent = db.prepare('SELECT 1 FROM events WHERE run_id = ? LIMIT 1')
  const measure = db.prepare(
    'SELECT coalesce(sum(octet_length(data)), 0) AS bytes FROM events WHERE run_id = ?',
  )
  const put = db.prepare(
    'INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  // A run never changes what it is pinned to, so those columns and their index stay as they are.
  const update = db.prepare(
    `UPDATE runs SET status = ?, stage = ?, seq = ?, hash = ?, calls_count = ?, cost_micro_usd = ?,
       updated_at = ?, ended_at = ?, log_bytes = log_bytes + ? WHERE id = ?`,
  )
  const hasEvents = (runId: string): boolean => findEvent.get(runId) !== undefined
  const currentSeq: CurrentSeq = (runId) => {
    const seq = findSeq.get(runId)?.seq
    if (seq !== undefined) return Number(seq)
    return hasEvents(runId) ? null : 0
  }
  const insert = (h: RunHead, bytes: number): void => {
    const pinned = [h.id, h.machine, h.definition, h.dialect] as const
    const state = [h.status, h.stage, h.seq, h.hash] as const
    const counts = [h.workspace, h.callsCount, h.costMicroUsd] as const
    put.run(...pinned, ...state, ...counts, h.startedAt, h.updatedAt, h.endedAt, bytes)
  }
  const advance = (h: RunHead, moreBytes: number): void => {
    const state = [h.status, h.stage, h.seq, h.hash, h.callsCount, h.costMicroUsd] as const
    update.run(...state, h.updatedAt, h.endedAt, moreBytes, h.id)
  }
  const replace = (head: RunHead): boolean => {
    if (!hasEvents(head.id)) return false
    insert(head, Number(measure.get(head.id)?.bytes))
    return true
  }
  return { currentSeq, insert, advance, replace }
}

function prepareRows(db: DatabaseSync) {
  const addEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const findReply = db.prepare('SELECT 1 FROM replies WHERE run_id = ? AND command_id = ?')
  const addReply = db.prepare('INSERT INTO replies VALUES (?, ?, ?)')
  const addOutboxItem = db.prepare('INSERT INTO owed VALUES (?, ?, ?, ?, ?, ?)')
  const putSnapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)')
  const putApproval = db.prepare(
    'INSERT OR REPLACE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  return {
    hasReply: (runId: string, commandId: string): boolean =>
      findReply.get(runId, commandId) !== undefined,
    insertEvents: (runId: string, events: readonly EventRecord[]): void => {
      for (const { seq, member, type, data, at, actor, commandId, hash, binds } of events) {
        addEvent.run(runId, seq, member, type, data, at, actor, commandId, hash, binds)
      }
    },
    insertReply: (runId: string, { commandId, text }: NonNullable<RunChange['reply']>): void => {
      addReply.run(runId, commandId, text)
    },
    insertOutboxItems: (outbox: readonly OutboxItem[]): void => {
      for (const o of outbox) addOutboxItem.run(o.runId, o.id, o.kind, o.data, o.dueAt, o.attempts)
    },
    putApprovals: (approvals: readonly ApprovalRow[]): void => {
      for (const a of approvals) {
        const asked = [a.runId, a.id, a.member, a.kind, a.message, a.hash, a.status] as const
        const times = [a.requestedAt, a.expiresAt, a.decidedAt] as const
        putApproval.run(...asked, ...times, a.decidedBy, a.note, a.pending)
      }
    },
    putSnapshot: (runId: string, { seq, version, state }: Snapshot): void => {
      putSnapshot.run(runId, seq, version, state)
    },
  }
}
