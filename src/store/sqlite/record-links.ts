/**
 * Where the records of a log are. Records lie in the order they came in, whatever run they are of;
 * each says where the one before it in its log is, and the head says where the last one is. Some
 * are marked by their number, so that a log can be entered anywhere.
 * WHY not an index: each record of another run would write a page of its own to the disk, which
 * costs as much as all the rest of a command.
 * Knows places. Must not know what records say.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Row } from './rows.ts'

/** Every so many records of a log one is marked, beginning with the first. */
const markEvery = 64

export const noLimit = -1

/**
 * The records of a log with their numbers: `:log`, up to `:upTo` or a bit more, down to behind
 * `:after`. From the next place that is known it is gone back from record to record, until one is
 * missing or does not fit.
 */
// WHY `CROSS`: with statistics SQLite would go through all records instead.
const walkSql = `WITH RECURSIVE
  entry(seq, no) AS (
    SELECT * FROM (
      SELECT * FROM (
        SELECT seq, no FROM marks WHERE log = :log AND seq >= :upTo ORDER BY seq LIMIT 1
      )
      UNION ALL SELECT seq, last_no FROM runs WHERE log = :log AND seq >= :upTo
    ) ORDER BY seq LIMIT 1
  ),
  walk(no, seq, before) AS (
    SELECT e.no, e.seq, e.before FROM entry CROSS JOIN events AS e
      WHERE e.no = entry.no AND e.log = :log AND e.seq = entry.seq
    UNION ALL
    SELECT e.no, e.seq, e.before FROM walk CROSS JOIN events AS e
      WHERE e.no = walk.before AND walk.seq > :after + 1
        AND e.log = :log AND e.seq = walk.seq - 1
  )`

/** What is asked of the records of a log behind `:after`, up to `:upTo`; `e` is the record. */
export const walkedSql = (columns: string): string =>
  `${walkSql} SELECT ${columns} FROM walk CROSS JOIN events AS e
   WHERE e.no = walk.no AND walk.seq > :after AND walk.seq <= :upTo`

/**
 * The number of the last record of a log. Null: the head was lost or put back, or somebody has
 * changed records; then all of them have to be looked at.
 */
export function prepareEnd(db: DatabaseSync): (log: number) => number | null {
  const end = db.prepare(
    `SELECT seq FROM runs WHERE log = ?
     AND EXISTS (SELECT 1 FROM events AS e
       WHERE e.no = runs.last_no AND e.log = runs.log AND e.seq = runs.seq)
     AND NOT EXISTS (SELECT 1 FROM marks WHERE marks.log = runs.log AND marks.seq > runs.seq)`,
  )
  return (log) => {
    const found = end.get(log)
    return found === undefined ? null : Number(found.seq)
  }
}

/** Reads records of a log behind a number, in order. */
export type ReadRecords = (log: number, after: number, limit: number) => readonly Row[]

export function prepareRead(db: DatabaseSync, columns: string): ReadRecords {
  const end = prepareEnd(db)
  const walk = db.prepare(`${walkedSql(columns)} ORDER BY walk.seq`)
  const search = db.prepare(
    `SELECT ${columns} FROM events AS e WHERE log = ? AND seq > ? ORDER BY seq, no LIMIT ?`,
  )
  return (log, after, limit) => {
    const last = end(log)
    if (last !== null) {
      const upTo = limit < 0 ? last : Math.min(last, after + limit)
      const found = upTo <= after ? [] : walk.all({ log, after, upTo })
      if (found.length === Math.max(0, upTo - after)) return found
    }
    return search.all(log, after, limit)
  }
}

export type RecordLinks = {
  /** To be told of each record that was written. */
  readonly mark: (log: number, seq: number, no: number) => void
  /** Links all records of a log again where they are not, and measures them. */
  readonly mend: (log: number, seq: number) => Measured
  /** Removes all records of a log. */
  readonly remove: (log: number) => void
}

type Measured = {
  /** The place of the last record; null: there is none. */
  readonly lastNo: number | null
  /** Bytes of the texts in all of them. */
  readonly bytes: number
}

/** Everything here is to be called in a transaction. */
export function prepareLinks(db: DatabaseSync): RecordLinks {
  const add = db.prepare('INSERT INTO marks VALUES (?, ?, ?)')
  const unmark = db.prepare('DELETE FROM marks WHERE log = ?')
  const end = prepareEnd(db)
  const removeLinked = db.prepare(`DELETE FROM events WHERE no IN (${walkedSql('e.no')})`)
  const removeFound = db.prepare('DELETE FROM events WHERE log = ?')
  return {
    mark: (log, seq, no) => {
      if (seq % markEvery === 1) add.run(log, seq, no)
    },
    mend: prepareMend(db),
    remove: (log) => {
      const upTo = end(log)
      const linked = upTo === null ? null : removeLinked.run({ log, after: 0, upTo }).changes
      if (upTo === null || Number(linked) !== upTo) removeFound.run(log)
      unmark.run(log)
    },
  }
}

function prepareMend(db: DatabaseSync): RecordLinks['mend'] {
  const bytes = 'coalesce(sum(octet_length(e.data)), 0) AS bytes'
  const walk = db.prepare(
    walkedSql(`count(*) AS count, max(iif(e.seq = :upTo, e.no, NULL)) AS lastNo, ${bytes}`),
  )
  const link = db.prepare(
    `UPDATE events SET before = found.before FROM (
       SELECT no, lag(no) OVER (ORDER BY seq, no) AS before FROM events WHERE log = ?
     ) AS found WHERE events.no = found.no`,
  )
  const mark = db.prepare(
    `INSERT OR REPLACE INTO marks SELECT log, seq, no FROM events
     WHERE log = ? AND seq % ${markEvery} = 1 ORDER BY seq, no`,
  )
  const markWalked = db.prepare(
    `INSERT OR REPLACE INTO marks ${walkedSql('e.log, e.seq, e.no')} AND e.seq % ${markEvery} = 1`,
  )
  const unmark = db.prepare(
    `DELETE FROM marks WHERE log = ? AND (seq > ? OR seq % ${markEvery} <> 1)`,
  )
  const measure = db.prepare(`SELECT ${bytes} FROM events AS e WHERE log = ?`)
  const last = db.prepare('SELECT no FROM events WHERE log = ? ORDER BY seq DESC, no DESC LIMIT 1')
  return (log, seq) => {
    const whole = { log, after: 0, upTo: seq }
    const walked = walk.get(whole)
    const isWhole = walked?.count === seq
    if (isWhole) markWalked.run(whole)
    else {
      link.run(log)
      mark.run(log)
    }
    unmark.run(log, seq)
    if (isWhole) return { lastNo: Number(walked.lastNo), bytes: Number(walked.bytes) }
    const lastNo = last.get(log)?.no
    return {
      lastNo: lastNo === undefined ? null : Number(lastNo),
      bytes: Number(measure.get(log)?.bytes),
    }
  }
}
