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
import { type Answers, prepareAnswers } from './answers.ts'
import type { FreshAnswers } from './fresh-answers.ts'
import { type Hint, isLoose } from './recall.ts'
import { prepareLinks, type RecordLinks } from './record-links.ts'
import { minuteOf, replyKeyOf } from './rows.ts'

export type RunWriter = {
  /** The hint spares a look; without one, or where it is wrong, it is looked. */
  readonly commit: (change: Change, hint: Hint | null) => Committed
  /** Writes a run that comes from elsewhere, without replies; false: it is there. */
  readonly carryRun: (head: RunHead, events: readonly EventRecord[]) => boolean
  /** Puts a head in the place of the one that is there, or was lost; false: there is no log. */
  readonly replaceHead: (head: RunHead) => boolean
  readonly putApprovals: (approvals: readonly ApprovalRow[]) => void
  readonly putSnapshot: (runId: string, snapshot: Snapshot) => void
}

/** `fresh`: what this connection has written lately, where that is remembered. */
export function prepareRunWriter(db: DatabaseSync, fresh: FreshAnswers | null): RunWriter {
  const heads = prepareHeads(db)
  const links = prepareLinks(db)
  const append = prepareAppend(db, links)
  const answers = prepareAnswers(db, fresh)
  const { place, placeByHint } = preparePlaces({ ...heads, append }, answers)
  const addReply = db.prepare('INSERT INTO replies VALUES (?, ?, ?, ?)')
  const putApproval = db.prepare(
    'INSERT OR REPLACE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const addSnapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)')
  const addOwed = db.prepare('INSERT INTO owed VALUES (?, ?, ?, ?, ?, ?)')

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
    const { runId, reply, snapshot } = change
    const log = (hint === null ? null : placeByHint(change, hint)) ?? place(change)
    if (typeof log === 'string') return log
    if (reply !== null && isLoose(change)) {
      addReply.run(log, ...replyKeyOf(reply.commandId), reply.text)
    }
    putApprovals(change.approvals)
    insertOwed(change.owed)
    if (snapshot !== null) putSnapshot(runId, snapshot)
    return 'committed'
  }
  const carryRun = (head: RunHead, events: readonly EventRecord[]): boolean => {
    const found = heads.placeOf(head.id)
    if (isThere(found) || (found !== undefined && heads.hasRecords(found.no))) return false
    const where = heads.insertHead(head, found)
    const lastNo = append(where.no, { runId: head.id, expectedSeq: 0, events, reply: null })
    heads.updateHead(head, { ...where, lastNo, moreBytes: countLogBytes(events) })
    answers.skip(where.no, events.length)
    return true
  }
  const replaceHead = (head: RunHead): boolean => {
    const found = heads.placeOf(head.id)
    if (found === undefined) return false
    const { lastNo, bytes } = links.mend(found.no, head.seq)
    heads.removeHead(found.no)
    heads.updateHead(head, { ...heads.insertHead(head, found), lastNo, moreBytes: bytes })
    return true
  }
  return { commit, carryRun, replaceHead, putApprovals, putSnapshot }
}

type Append = ReturnType<typeof prepareAppend>

/** Writes records behind the head that they were decided on. */
function prepareAppend(db: DatabaseSync, { mark }: Pick<RecordLinks, 'mark'>) {
  const values = Array.from({ length: 8 }, () => '?').join(', ')
  const addFirst = db.prepare(
    `INSERT INTO events SELECT NULL, log, ?, last_no, ${values} FROM runs
     WHERE log = ? AND seq = ? AND id = ?`,
  )
  const addNext = db.prepare(`INSERT INTO events VALUES (NULL, ?, ?, ?, ${values})`)

  type Appended = Pick<Change, 'runId' | 'expectedSeq' | 'events' | 'reply'>
  /** Gives the place of the last one; null: there is none, or the head is elsewhere. */
  return (log: number, change: Appended): number | null => {
    const { runId, expectedSeq, events, reply } = change
    let no: number | null = null
    for (const e of events) {
      const what = [e.member, e.type, e.data, e.at, e.actor, e.commandId, e.hash] as const
      const isLast = e === events.at(-1) && reply?.commandId === e.commandId
      const said = isLast ? reply.text : null
      const { changes, lastInsertRowid }: ReturnType<typeof addFirst.run> =
        no === null
          ? addFirst.run(e.seq, ...what, said, log, expectedSeq, runId)
          : addNext.run(log, e.seq, no, ...what, said)
      if (changes === 0) return null
      no = Number(lastInsertRowid)
      mark(log, e.seq, no)
    }
    return no
  }
}

type Writing = Heads & { readonly append: Append }

/** Finds the log of a change, and writes its records and its head, when the change fits. */
function preparePlaces(
  { placeOf, hasRecords, insertHead, updateHead, append }: Writing,
  { isAnswered, isMaybeAnswered, note, index }: Answers,
) {
  const advance = (change: Change, { no, minute }: Where): boolean => {
    const { expectedSeq, head, events } = change
    const lastNo = append(no, change)
    if (events.length > 0 && lastNo === null) return false
    const moreBytes = countLogBytes(events)
    return updateHead(head, { no, minute, expectedSeq, lastNo, moreBytes })
  }

  /** Where a change goes, when it fits: the number of its log. */
  const place = (change: Change): number | Exclude<Committed, 'committed'> => {
    const { runId, expectedSeq, head, reply } = change
    const found = placeOf(runId)
    if (found !== undefined && reply !== null && isAnswered(found.no, reply.commandId)) {
      return 'repeated'
    }
    if ((found?.seq ?? 0) !== expectedSeq) return 'conflict'
    if (isThere(found)) return advance(change, found) ? found.no : 'conflict'
    // A log that has lost its head is not begun a second time.
    if (found !== undefined && hasRecords(found.no)) return 'conflict'
    const where = insertHead(head, found)
    return advance(change, where) ? where.no : 'conflict'
  }

  /** The same for a change of which all is known that matters; null: it has to be looked. */
  const placeByHint = (
    change: Change,
    { log, minute, isOlder, due }: Hint,
  ): number | 'repeated' | null => {
    const { expectedSeq, reply } = change
    if (isOlder && reply !== null && isMaybeAnswered(log, reply.commandId)) {
      if (isAnswered(log, reply.commandId)) return 'repeated'
    }
    if (!advance(change, { no: log, minute })) return null
    if (due !== null) index(log, expectedSeq, due === 'fresh')
    note(log, { from: expectedSeq, to: change.head.seq }, reply?.commandId ?? null)
    return log
  }

  return { place, placeByHint }
}

/** The log of a run and how far its head is; null: the head was lost. */
type Place = {
  readonly no: number
  readonly seq: number | null
  /** When the head was last changed, in minutes. */
  readonly minute: number | null
}

const isThere = (place: Place | undefined): place is Place & { readonly seq: number } =>
  place !== undefined && place.seq !== null

type Where = Pick<Place, 'no' | 'minute'>

/** Where a head was, and what came behind it. */
type Moving = Where & {
  readonly expectedSeq: number
  /** The place of the last record; null: there was none more. */
  readonly lastNo: number | null
  readonly moreBytes: number
}

type Heads = {
  readonly placeOf: (runId: string) => Place | undefined
  readonly hasRecords: (log: number) => boolean
  /** Writes the head of a run without records. */
  readonly insertHead: (head: RunHead, place: Place | undefined) => Where & { expectedSeq: 0 }
  /** False: the head is not where it was expected, and stays as it is. */
  readonly updateHead: (head: RunHead, moving: Moving) => boolean
  readonly removeHead: (log: number) => void
}

function prepareHeads(db: DatabaseSync): Heads {
  const find = db.prepare(
    `SELECT no, seq, updated_minute AS minute FROM logs LEFT JOIN runs ON log = no
     WHERE run_id = ?`,
  )
  const anyRecord = db.prepare('SELECT 1 FROM events WHERE log = ? LIMIT 1')
  const addLog = db.prepare('INSERT INTO logs (run_id) VALUES (?)')
  const add = db.prepare(
    `INSERT INTO runs VALUES (?, ?, ?, ?, ?, '', '', 0, '', ?, 0, 0, ?, ?, ?, NULL, 0, NULL)`,
  )
  // What a run is pinned to never changes, so its columns are not written again.
  const move = db.prepare(
    `UPDATE runs SET status = ?, stage = ?, seq = ?, hash = ?, calls_count = ?, cost_micro_usd = ?,
       updated_at = ?, ended_at = ?, log_bytes = log_bytes + ?, last_no = coalesce(?, last_no)
     WHERE log = ? AND seq = ? AND id = ?`,
  )
  const moveInLists = db.prepare('UPDATE runs SET updated_minute = ? WHERE log = ?')
  const remove = db.prepare('DELETE FROM runs WHERE log = ?')
  return {
    // WHY the cast: the columns of the statement spell the type.
    placeOf: (runId) => find.get(runId) as Place | undefined,
    hasRecords: (log) => anyRecord.get(log) !== undefined,
    insertHead: (h, place) => {
      const no = place?.no ?? Number(addLog.run(h.id).lastInsertRowid)
      const minute = minuteOf(h.updatedAt)
      const pinned = [no, h.id, h.machine, h.definition, h.dialect, h.workspace] as const
      add.run(...pinned, h.startedAt, h.updatedAt, minute)
      return { no, minute, expectedSeq: 0 }
    },
    updateHead: (h, { no, minute, expectedSeq, lastNo, moreBytes }) => {
      const now = [h.status, h.stage, h.seq, h.hash, h.callsCount, h.costMicroUsd] as const
      const more = [h.updatedAt, h.endedAt, moreBytes, lastNo] as const
      if (move.run(...now, ...more, no, expectedSeq, h.id).changes === 0) return false
      const nextMinute = minuteOf(h.updatedAt)
      if (nextMinute !== minute) moveInLists.run(nextMinute, no)
      return true
    },
    removeHead: (log) => void remove.run(log),
  }
}
