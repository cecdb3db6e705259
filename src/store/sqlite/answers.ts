/**
 * Which commands have a reply, and which.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Answered, FreshAnswers } from './fresh-answers.ts'
import { prepareEnd, prepareRead, walkedSql } from './record-links.ts'
import { replyKeyOf } from './rows.ts'

/** Finds the reply to a command; null: there is none. */
export type FindReply = (log: number, commandId: string) => string | null

export function prepareFindReply(db: DatabaseSync): FindReply {
  const loose = db.prepare(
    'SELECT text FROM replies WHERE log = ? AND command_key = ? AND command_id = ?',
  )
  const start = db.prepare('SELECT indexed_seq AS seq FROM logs WHERE no = ?')
  const findAmong = prepareFindAmong(db)
  const indexed = db.prepare('SELECT seq FROM answered WHERE log = ? AND command_key = ?')
  const read = prepareRead(db, 'e.command_id AS commandId, e.reply')
  return (log, commandId) => {
    const [key] = replyKeyOf(commandId)
    const text = loose.get(log, key, commandId)?.text
    if (text !== undefined) return String(text)
    // WHY these first: what is indexed meanwhile is found here or there.
    const recent = findAmong(log, Number(start.get(log)?.seq), commandId)
    if (recent !== null) return recent
    const older = indexed.all(log, key).flatMap(({ seq }) => read(log, Number(seq) - 1, 1))
    const found = older.find((one) => one.commandId === commandId && one.reply !== null)
    return found === undefined ? null : String(found.reply)
  }
}

/** Looks through the records behind a number. */
function prepareFindAmong(
  db: DatabaseSync,
): (log: number, after: number, commandId: string) => string | null {
  const end = prepareEnd(db)
  const walk = db.prepare(
    walkedSql('count(*) AS count, max(iif(e.command_id = :commandId, e.reply, NULL)) AS reply'),
  )
  const search = db.prepare(
    'SELECT max(reply) AS reply FROM events WHERE log = ? AND seq > ? AND command_id = ?',
  )
  return (log, after, commandId) => {
    const upTo = end(log)
    const walked = upTo === null ? undefined : walk.get({ log, after, upTo, commandId })
    const isWhole = upTo !== null && walked?.count === Math.max(0, upTo - after)
    const reply = isWhole ? walked?.reply : search.get(log, after, commandId)?.reply
    return typeof reply === 'string' ? reply : null
  }
}

export type Answers = {
  readonly isAnswered: (log: number, commandId: string) => boolean
  /** By its key alone, among those that are indexed. */
  readonly isMaybeAnswered: (log: number, commandId: string) => boolean
  /** What was appended, and of which command the reply in it is; null: it has none. */
  readonly note: (log: number, moved: Moved, commandId: string | null) => void
  /**
   * `isFresh`: all that are not indexed yet were noted here, if they were noted at all.
   * INVARIANT: all that have their reply in a record up to there are indexed.
   */
  readonly index: (log: number, upTo: number, isFresh: boolean) => void
  /** Says that no record up to there has a reply. */
  readonly skip: (log: number, upTo: number) => void
}

type Moved = { readonly from: number; readonly to: number }

export function prepareAnswers(db: DatabaseSync, fresh: FreshAnswers | null): Answers {
  const find = prepareFindReply(db)
  const older = db.prepare(
    `SELECT 1 FROM answered WHERE log = ?1 AND command_key = ?2
     UNION ALL SELECT 1 FROM replies WHERE log = ?1 AND command_key = ?2 LIMIT 1`,
  )
  const start = db.prepare('SELECT indexed_seq AS seq FROM logs WHERE no = ?')
  const read = prepareRead(db, 'e.seq, e.command_id AS commandId, e.reply IS NULL AS isBare')
  const add = db.prepare('INSERT OR IGNORE INTO answered VALUES (?, ?, ?)')
  const move = db.prepare('UPDATE logs SET indexed_seq = ? WHERE no = ?')
  const skip = (log: number, upTo: number): void => void move.run(upTo, log)
  const look = (log: number, { from, to }: Moved): Answered[] =>
    read(log, from, to - from)
      .filter(({ isBare }) => isBare === 0)
      .map(({ commandId, seq }) => [replyKeyOf(String(commandId))[0], Number(seq)])
  return {
    isAnswered: (log, commandId) => find(log, commandId) !== null,
    isMaybeAnswered: (log, commandId) => older.get(log, replyKeyOf(commandId)[0]) !== undefined,
    note: (log, moved, commandId) =>
      fresh?.note(log, moved, commandId === null ? null : replyKeyOf(commandId)[0]),
    index: (log, upTo, isFresh) => {
      const moved = { from: Number(start.get(log)?.seq), to: upTo }
      const noted = fresh?.take(log, moved) ?? null
      const answered = isFresh && noted !== null ? noted : look(log, moved)
      // WHY sorted: neighbours share a page.
      for (const [key, seq] of answered.sort((a, b) => a[0] - b[0])) add.run(log, key, seq)
      skip(log, upTo)
    },
    skip,
  }
}
