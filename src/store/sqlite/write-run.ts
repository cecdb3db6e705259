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
import { type Answered, type Hint, isLoose } from './recall.ts'
import { minuteOf, replyKeyOf, replySql } from './rows.ts'

export type RunWriter = {
  /** The hint spares a look; without one, or where it is wrong, it is looked. */
  readonly commit: (change: Change, hint: Hint | null) => Committed
  /** Writes a run that is not there, under the number of its log; null: it is there. */
  readonly insertRun: (head: RunHead, logBytes: number) => number | null
  /** Records that come from elsewhere, without replies. */
  readonly carryEvents: (log: number, events: readonly EventRecord[]) => void
  readonly putApprovals: (approvals: readonly ApprovalRow[]) => void
  readonly putSnapshot: (runId: string, snapshot: Snapshot) => void
}

export function prepareRunWriter(db: DatabaseSync): RunWriter {
  const heads = prepareHeads(db)
  const answers = prepareAnswers(db)
  const { index } = answers
  const { place, placeByHint } = preparePlaces(heads, answers)
  const addEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const addReply = db.prepare('INSERT INTO replies VALUES (?, ?, ?, ?)')
  const putApproval = db.prepare(
    'INSERT OR REPLACE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const addSnapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)')
  const addOwed = db.prepare('INSERT INTO owed VALUES (?, ?, ?, ?, ?, ?)')

  const insertRun = (head: RunHead, logBytes: number): number | null => {
    const found = heads.placeOf(head.id)
    return isThere(found) ? null : heads.insertHead(head, found, logBytes)
  }
  const insertEvents = (
    log: number,
    events: readonly EventRecord[],
    reply: string | null = null,
  ) => {
    const last = events.length - 1
    for (const [at, e] of events.entries()) {
      const what = [e.seq, e.member, e.type, e.data, e.at, e.actor, e.commandId, e.hash] as const
      addEvent.run(log, ...what, at === last ? reply : null)
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
  const commit = (change: Change, hint: Hint | null): Committed => {
    checkChange(change)
    const { runId, events, reply, snapshot } = change
    const log = (hint === null ? null : placeByHint(change, hint)) ?? place(change)
    if (typeof log === 'string') return log
    const loose = reply !== null && isLoose(change) ? reply : null
    if (loose !== null) addReply.run(log, ...replyKeyOf(loose.commandId), loose.text)
    insertEvents(log, events, loose === null ? reply?.text : null)
    putApprovals(change.approvals)
    insertOwed(change.owed)
    if (snapshot !== null) putSnapshot(runId, snapshot)
    return 'committed'
  }
  const carryEvents = (log: number, events: readonly EventRecord[]) => {
    insertEvents(log, events)
    index(log, [], events.length)
  }
  return { commit, insertRun, carryEvents, putApprovals, putSnapshot }
}

/** Finds the log of a change and moves its head, when the change fits. */
function preparePlaces(heads: Heads, { isAnswered, isMaybeAnswered, index }: Answers) {
  const { placeOf, insertHead, updateHead } = heads

  /** Where a change goes, when it fits: the number of its log. */
  const place = (change: Change): number | Exclude<Committed, 'committed'> => {
    const { runId, expectedSeq, head, events, reply } = change
    if (reply !== null && isAnswered(runId, reply.commandId)) return 'repeated'
    const found = placeOf(runId)
    if ((found?.seq ?? 0) !== expectedSeq) return 'conflict'
    const logBytes = countLogBytes(events)
    if (!isThere(found)) return insertHead(head, found, logBytes)
    const isMoved = updateHead(head, { ...found, expectedSeq }, logBytes)
    return isMoved ? found.no : 'conflict'
  }

  /** The same for a change of which all is known that matters; null: it has to be looked. */
  const placeByHint = (
    change: Change,
    { log, minute, isOlder, indexed }: Hint,
  ): number | 'repeated' | null => {
    const { runId, expectedSeq, head, events, reply } = change
    if (isOlder && reply !== null && isMaybeAnswered(log, reply.commandId)) {
      if (isAnswered(runId, reply.commandId)) return 'repeated'
    }
    const where = { no: log, minute, expectedSeq }
    if (!updateHead(head, where, countLogBytes(events))) return null
    if (indexed !== null) index(log, indexed, expectedSeq)
    return log
  }

  return { place, placeByHint }
}

type Answers = ReturnType<typeof prepareAnswers>

/** Which commands have a reply. */
function prepareAnswers(db: DatabaseSync) {
  const reply = db.prepare(replySql)
  const older = db.prepare(
    `SELECT 1 FROM answered WHERE log = ?1 AND command_key = ?2
     UNION ALL SELECT 1 FROM replies WHERE log = ?1 AND command_key = ?2 LIMIT 1`,
  )
  const add = db.prepare('INSERT OR IGNORE INTO answered VALUES (?, ?, ?)')
  const move = db.prepare('UPDATE logs SET indexed_seq = ? WHERE no = ?')
  return {
    isAnswered: (runId: string, commandId: string): boolean =>
      reply.get(runId, ...replyKeyOf(commandId)) !== undefined,
    /** By its key alone, among those that are indexed. */
    isMaybeAnswered: (log: number, commandId: string): boolean =>
      older.get(log, replyKeyOf(commandId)[0]) !== undefined,
    /** INVARIANT: all that have their reply in a record up to there are indexed. */
    index: (log: number, answered: readonly Answered[], upTo: number): void => {
      const rows = answered.map(([id, seq]) => [replyKeyOf(id)[0], seq] as const)
      // WHY sorted: neighbours share a page.
      for (const row of rows.toSorted((a, b) => a[0] - b[0])) add.run(log, ...row)
      move.run(upTo, log)
    },
  }
}

/** The log of a run and how far its head is; null: the head was lost. */
type Place = {
  readonly no: number
  readonly seq: number | null
  /** When the head was last changed, in minutes. */
  readonly minute: number | null
}

const isThere = (place: Place | undefined): place is Place =>
  place !== undefined && place.seq !== null

type Moving = Pick<Place, 'no' | 'minute'> & { readonly expectedSeq: number }

type Heads = {
  readonly placeOf: (runId: string) => Place | undefined
  /** Gives the number of the log. */
  readonly insertHead: (head: RunHead, place: Place | undefined, logBytes: number) => number
  /** False: the head is not where it was expected, and stays as it is. */
  readonly updateHead: (head: RunHead, where: Moving, moreBytes: number) => boolean
}

function prepareHeads(db: DatabaseSync): Heads {
  const find = db.prepare(
    `SELECT no, seq, updated_minute AS minute FROM logs LEFT JOIN runs ON log = no
     WHERE run_id = ?`,
  )
  const addLog = db.prepare('INSERT INTO logs (run_id) VALUES (?)')
  const add = db.prepare(
    'INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  // What a run is pinned to never changes, so its columns are not written again.
  const move = db.prepare(
    `UPDATE runs SET status = ?, stage = ?, seq = ?, hash = ?, calls_count = ?, cost_micro_usd = ?,
       updated_at = ?, ended_at = ?, log_bytes = log_bytes + ?
     WHERE log = ? AND seq = ? AND id = ?`,
  )
  const moveInLists = db.prepare('UPDATE runs SET updated_minute = ? WHERE log = ?')
  return {
    // WHY the cast: the columns of the statement spell the type.
    placeOf: (runId) => find.get(runId) as Place | undefined,
    insertHead: (h, place, logBytes) => {
      const log = place?.no ?? Number(addLog.run(h.id).lastInsertRowid)
      const pinned = [log, h.id, h.machine, h.definition, h.dialect] as const
      const now = [h.status, h.stage, h.seq, h.hash, h.workspace] as const
      const counts = [h.callsCount, h.costMicroUsd] as const
      const times = [h.startedAt, h.updatedAt, minuteOf(h.updatedAt), h.endedAt] as const
      add.run(...pinned, ...now, ...counts, ...times, logBytes)
      return log
    },
    updateHead: (h, { no, minute, expectedSeq }, moreBytes) => {
      const now = [h.status, h.stage, h.seq, h.hash, h.callsCount, h.costMicroUsd] as const
      const where = [no, expectedSeq, h.id] as const
      if (move.run(...now, h.updatedAt, h.endedAt, moreBytes, ...where).changes === 0) return false
      const nextMinute = minuteOf(h.updatedAt)
      if (nextMinute !== minute) moveInLists.run(nextMinute, no)
      return true
    },
  }
}
