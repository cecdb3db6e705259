/**
 * Which commands have a reply, and which.
 */
import type { DatabaseSync } from 'node:sqlite'
import { noLimit, prepareRead } from './record-links.ts'
import { replyKeyOf } from './rows.ts'

/** A command and the record that has its reply. */
export type Answered = readonly [commandId: string, seq: number]

/** Finds the reply to a command; null: there is none. */
export function prepareFindReply(
  db: DatabaseSync,
): (log: number, commandId: string) => string | null {
  const loose = db.prepare(
    'SELECT text FROM replies WHERE log = ? AND command_key = ? AND command_id = ?',
  )
  const indexed = db.prepare('SELECT seq FROM answered WHERE log = ? AND command_key = ?')
  const start = db.prepare('SELECT indexed_seq AS seq FROM logs WHERE no = ?')
  const read = prepareRead(db, 'e.command_id AS commandId, e.reply')
  return (log, commandId) => {
    const [key] = replyKeyOf(commandId)
    const text = loose.get(log, key, commandId)?.text
    if (text !== undefined) return String(text)
    const records = [
      ...indexed.all(log, key).flatMap((row) => read(log, Number(row.seq) - 1, 1)),
      ...read(log, Number(start.get(log)?.seq), noLimit),
    ]
    const found = records.find((one) => one.commandId === commandId && one.reply !== null)
    return found === undefined ? null : String(found.reply)
  }
}

export type Answers = {
  readonly isAnswered: (log: number, commandId: string) => boolean
  /** By its key alone, among those that are indexed. */
  readonly isMaybeAnswered: (log: number, commandId: string) => boolean
  /** INVARIANT: all that have their reply in a record up to there are indexed. */
  readonly index: (log: number, answered: readonly Answered[], upTo: number) => void
}

export function prepareAnswers(db: DatabaseSync): Answers {
  const find = prepareFindReply(db)
  const older = db.prepare(
    `SELECT 1 FROM answered WHERE log = ?1 AND command_key = ?2
     UNION ALL SELECT 1 FROM replies WHERE log = ?1 AND command_key = ?2 LIMIT 1`,
  )
  const add = db.prepare('INSERT OR IGNORE INTO answered VALUES (?, ?, ?)')
  const move = db.prepare('UPDATE logs SET indexed_seq = ? WHERE no = ?')
  return {
    isAnswered: (log, commandId) => find(log, commandId) !== null,
    isMaybeAnswered: (log, commandId) => older.get(log, replyKeyOf(commandId)[0]) !== undefined,
    index: (log, answered, upTo) => {
      const rows = answered.map(([id, seq]) => [replyKeyOf(id)[0], seq] as const)
      // WHY sorted: neighbours share a page.
      for (const row of rows.toSorted((a, b) => a[0] - b[0])) add.run(log, ...row)
      move.run(upTo, log)
    },
  }
}
