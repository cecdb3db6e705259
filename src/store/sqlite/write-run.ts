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
import { checkChange, countLogBytes } from '../check-change.ts'
import { minuteOf, replyKeyOf } from './rows.ts'

export type RunWriter = {
  readonly commit: (change: Change) => Committed
  /** Writes a run that is not there, under the number of its log; null: it is there. */
  readonly insertRun: (head: RunHead, logBytes: number) => number | null
  readonly insertEvents: (log: number, events: readonly EventRecord[]) => void
  readonly putApprovals: (approvals: readonly ApprovalRow[]) => void
  readonly putSnapshot: (runId: string, snapshot: Snapshot) => void
}

export function prepareRunWriter(db: DatabaseSync): RunWriter {
  const { placeOf, insertHead, updateHead } = prepareHeads(db)
  const addEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const addReply = db.prepare('INSERT INTO replies VALUES (?, ?, ?, ?)')
  const putApproval = db.prepare(
    'INSERT OR REPLACE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const addSnapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)')
  const addOwed = db.prepare('INSERT INTO owed VALUES (?, ?, ?, ?, ?, ?)')

  const insertRun = (head: RunHead, logBytes: number): number | null => {
    const place = placeOf(head.id, noReply)
    return isThere(place) ? null : insertHead(head, place, logBytes)
  }
  const insertEvents = (log: number, events: readonly EventRecord[]) => {
    for (const e of events) {
      addEvent.run(log, e.seq, e.member, e.type, e.data, e.at, e.actor, e.commandId, e.hash)
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
  const putSnapshot = (runId: string, { seq, version, state }: Snapshot) => {
    addSnapshot.run(runId, seq, version, state)
  }

  // INVARIANT: nothing is written before it is known that the change fits.
  const commit = (change: Change): Committed => {
    checkChange(change)
    const { runId, expectedSeq, head, events, reply, snapshot } = change
    const key = reply === null ? noReply : replyKeyOf(reply.commandId)
    const place = placeOf(runId, key)
    if (place?.isRepeated === 1) return 'repeated'
    if ((place?.seq ?? 0) !== expectedSeq) return 'conflict'
    const logBytes = countLogBytes(events)
    const log = isThere(place)
      ? updateHead(head, place, logBytes)
      : insertHead(head, place, logBytes)
    if (reply !== null) addReply.run(log, ...key, reply.text)
    insertEvents(log, events)
    putApprovals(change.approvals)
    insertOwed(change.owed)
    if (snapshot !== null) putSnapshot(runId, snapshot)
    return 'committed'
  }
  return { commit, insertRun, insertEvents, putApprovals, putSnapshot }
}

/** The log of a run and how far its head is; null: the head was lost. */
type Place = {
  readonly no: number
  readonly seq: number | null
  /** When the head was last changed, in minutes. */
  readonly minute: number | null
  /** Whether the command that was asked about has its reply; as SQLite says it. */
  readonly isRepeated: 0 | 1
}

type ReplyKey = ReturnType<typeof replyKeyOf> | typeof noReply
const noReply = [null, null] as const

const isThere = (place: Place | undefined): place is Place =>
  place !== undefined && place.seq !== null

type Heads = {
  readonly placeOf: (runId: string, key: ReplyKey) => Place | undefined
  /** These two give the number of the log. */
  readonly insertHead: (head: RunHead, place: Place | undefined, logBytes: number) => number
  readonly updateHead: (head: RunHead, place: Place, moreBytes: number) => number
}

function prepareHeads(db: DatabaseSync): Heads {
  const find = db.prepare(
    `SELECT no, seq, updated_minute AS minute,
       EXISTS (SELECT 1 FROM replies WHERE log = no AND command_key = ? AND command_id = ?)
         AS isRepeated
     FROM logs LEFT JOIN runs ON log = no WHERE run_id = ?`,
  )
  const addLog = db.prepare('INSERT INTO logs (run_id) VALUES (?)')
  const add = db.prepare(
    'INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  // What a run is pinned to never changes, so its columns are not written again.
  const move = db.prepare(
    `UPDATE runs SET status = ?, stage = ?, seq = ?, hash = ?, calls_count = ?, cost_micro_usd = ?,
       updated_at = ?, ended_at = ?, log_bytes = log_bytes + ?
     WHERE log = ?`,
  )
  const moveInLists = db.prepare('UPDATE runs SET updated_minute = ? WHERE log = ?')
  return {
    // WHY the cast: the columns of the statement spell the type.
    placeOf: (runId, key) => find.get(...key, runId) as Place | undefined,
    insertHead: (h, place, logBytes) => {
      const log = place?.no ?? Number(addLog.run(h.id).lastInsertRowid)
      const pinned = [log, h.id, h.machine, h.definition, h.dialect] as const
      const now = [h.status, h.stage, h.seq, h.hash, h.workspace] as const
      const counts = [h.callsCount, h.costMicroUsd] as const
      const times = [h.startedAt, h.updatedAt, minuteOf(h.updatedAt), h.endedAt] as const
      add.run(...pinned, ...now, ...counts, ...times, logBytes)
      return log
    },
    updateHead: (h, { no, minute }, moreBytes) => {
      const now = [h.status, h.stage, h.seq, h.hash, h.callsCount, h.costMicroUsd] as const
      move.run(...now, h.updatedAt, h.endedAt, moreBytes, no)
      const nextMinute = minuteOf(h.updatedAt)
      if (nextMinute !== minute) moveInLists.run(nextMinute, no)
      return no
    },
  }
}
