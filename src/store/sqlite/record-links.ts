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
 * The records of a log with their numbers: `:log`, behind `:after`, up to `:upTo`. From the next
 * place that is known it is gone back from record to record, until one is missing or does not fit.
 */
const walkSql = `WITH RECURSIVE
  entry(no) AS (
    SELECT no FROM (
      SELECT * FROM (
        SELECT seq, no FROM marks WHERE log = :log AND seq >= :upTo ORDER BY seq LIMIT 1
      )
      UNION ALL SELECT seq, last_no FROM runs WHERE log = :log AND seq >= :upTo
    ) ORDER BY seq LIMIT 1
  ),
  walk(no, seq, before) AS (
    SELECT e.no, e.seq, e.before FROM entry JOIN events AS e ON e.no = entry.no WHERE e.log = :log
    UNION ALL
    SELECT e.no, e.seq, e.before FROM walk JOIN events AS e ON e.no = walk.before
      WHERE walk.seq > :after + 1 AND e.log = :log AND e.seq = walk.seq - 1
  )`

/** Reads records of a log behind a number, in order. */
export type ReadRecords = (log: number, after: number, limit: number) => readonly Row[]

export function prepareRead(db: DatabaseSync, columns: string): ReadRecords {
  const end = db.prepare('SELECT seq FROM runs WHERE log = ?')
  const walk = db.prepare(
    `${walkSql} SELECT ${columns} FROM walk JOIN events AS e ON e.no = walk.no
     WHERE walk.seq <= :upTo ORDER BY walk.seq`,
  )
  const search = db.prepare(
    `SELECT ${columns} FROM events AS e WHERE log = ? AND seq > ? ORDER BY seq, no LIMIT ?`,
  )
  return (log, after, limit) => {
    const last = end.get(log)
    if (last !== undefined) {
      const upTo = limit < 0 ? Number(last.seq) : Math.min(Number(last.seq), after + limit)
      if (upTo <= after) return []
      const found = walk.all({ log, after, upTo })
      if (found.length === upTo - after) return found
    }
    // The head was lost, or somebody has changed records: then each of them is looked at.
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
  const end = db.prepare('SELECT seq FROM runs WHERE log = ?')
  const removeLinked = db.prepare(
    `DELETE FROM events WHERE no IN (${walkSql} SELECT no FROM walk WHERE seq <= :upTo)`,
  )
  const removeFound = db.prepare('DELETE FROM events WHERE log = ?')
  return {
    mark: (log, seq, no) => {
      if (seq % markEvery === 1) add.run(log, seq, no)
    },
    mend: prepareMend(db),
    remove: (log) => {
      const upTo = Number(end.get(log)?.seq ?? 0)
      const { changes } = removeLinked.run({ log, after: 0, upTo })
      if (upTo === 0 || Number(changes) !== upTo) removeFound.run(log)
      unmark.run(log)
    },
  }
}

function prepareMend(db: DatabaseSync): RecordLinks['mend'] {
  const measured = 'max(no) AS lastNo, coalesce(sum(octet_length(data)), 0) AS bytes'
  const walk = db.prepare(
    `${walkSql} SELECT count(*) AS count, ${measured}
     FROM events WHERE no IN (SELECT no FROM walk WHERE seq <= :upTo)`,
  )
  const link = db.prepare(
    `UPDATE events SET before = found.before FROM (
       SELECT no, lag(no) OVER (ORDER BY seq, no) AS before FROM events WHERE log = ?
     ) AS found WHERE events.no = found.no`,
  )
  const unmark = db.prepare('DELETE FROM marks WHERE log = ?')
  const mark = db.prepare(
    `INSERT INTO marks SELECT log, seq, max(no) FROM events
     WHERE log = ? AND seq % ${markEvery} = 1 GROUP BY log, seq`,
  )
  const measure = db.prepare(`SELECT ${measured} FROM events WHERE log = ?`)
  const asMeasured = (row: Row | undefined): Measured => ({
    lastNo: row?.lastNo === null ? null : Number(row?.lastNo),
    bytes: Number(row?.bytes),
  })
  return (log, seq) => {
    const linked = walk.get({ log, after: 0, upTo: seq })
    const isWhole = linked?.count === seq
    if (!isWhole) link.run(log)
    unmark.run(log)
    mark.run(log)
    return asMeasured(isWhole ? linked : measure.get(log))
  }
}
