/**
 * Runs: committing changes, reading logs, lists.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { EventRecord, RunHead, RunStore, Snapshot } from '../../runtime/ports.ts'
import { pageFrom } from '../cursor.ts'
import { approvalCalls } from './approvals.ts'
import { outboxCalls } from './outbox.ts'
import {
  asRecord,
  asRecordOrNull,
  eventColumns,
  headColumns,
  statementCache,
  timeAndId,
  whereAll,
} from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

const noLimit = -1

export function runCalls(shared: SqliteContext): RunStore {
  const { runs, write } = shared
  return {
    commit: (change) => write(() => runs.commit(change)),
    ...logCalls(shared),
    ...listCalls(shared),
    ...approvalCalls(shared),
    ...outboxCalls(shared),
  }
}

type LogCalls = Pick<RunStore, 'loadRun' | 'readHead' | 'readSeqs' | 'findReply' | 'readEvents'>

function logCalls({ db, read }: SqliteContext): LogCalls {
  const headOf = db.prepare(`SELECT ${headColumns} FROM runs WHERE id = ?`)
  const seqOf = db.prepare('SELECT seq FROM runs WHERE id = ?')
  const snapshotOf = db.prepare('SELECT seq, version, state FROM snapshots WHERE run_id = ?')
  const replyTo = db.prepare('SELECT text FROM replies WHERE run_id = ? AND command_id = ?')
  const eventsAfter = db.prepare(
    `SELECT ${eventColumns} FROM events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const readEvents = (runId: string, after: number, limit: number) =>
    eventsAfter.all(runId, after, limit).map((row) => asRecord<EventRecord>(row))
  return {
    loadRun: (runId) =>
      read(() =>
        atOneMoment(db, () => {
          const head = asRecordOrNull<RunHead>(headOf.get(runId))
          if (head === null) return null
          const snapshot = asRecordOrNull<Snapshot>(snapshotOf.get(runId))
          return { head, snapshot, tail: readEvents(runId, (snapshot?.seq ?? 1) - 1, noLimit) }
        }),
      ),
    readHead: (runId) => read(() => asRecordOrNull<RunHead>(headOf.get(runId))),
    readSeqs: (runIds) =>
      read(() => {
        const seqs = new Map<string, number>()
        for (const id of runIds) {
          const row = seqOf.get(id)
          if (row !== undefined) seqs.set(id, Number(row.seq))
        }
        return seqs
      }),
    findReply: (runId, commandId) =>
      read(() => {
        const row = replyTo.get(runId, commandId)
        return row === undefined ? null : String(row.text)
      }),
    readEvents: (runId, { after, limit }) => read(() => readEvents(runId, after, limit)),
  }
}

// What several statements read belongs together, also when another program writes meanwhile.
function atOneMoment<T>(db: DatabaseSync, job: () => T): T {
  db.exec('BEGIN')
  try {
    return job()
  } finally {
    db.exec('COMMIT')
  }
}

// Each with one `/` at its end, so that `/a` is not above `/ab`.
const folderSql = (text: string): string => `rtrim(${text}, '/') || '/'`
const nearSql = `(instr(${folderSql('?')}, ${folderSql('workspace')}) = 1
  OR instr(${folderSql('workspace')}, ${folderSql('?')}) = 1)`

const besideSql = `(SELECT json_extract(data, '$.' || ?) FROM cards
  WHERE drawer = ? AND key = runs.id)`
const wordSql = `instr(lower(
  concat_ws(char(10), id, definition, status, stage, workspace, ${besideSql})), lower(?)) > 0`

function listCalls({ db, read }: SqliteContext): Pick<RunStore, 'listRuns'> {
  const prepare = statementCache(db)
  return {
    listRuns: (query) =>
      read(() => {
        const { after, limit, statuses, workspace, near, definition, stage, words = [] } = query
        const { collection = '', field = '' } = query.beside ?? {}
        const { where, values } = whereAll([
          ['status IN (SELECT value FROM json_each(?))', statuses && JSON.stringify(statuses)],
          ['workspace = ?', workspace],
          [nearSql, near === undefined ? null : [near, near]],
          ['definition = ?', definition],
          ['stage = ?', stage ?? null],
          ...words.map((word) => [wordSql, [field, collection, word]] as const),
          ['(updated_at, id) < (?, ?)', timeAndId(after)],
        ])
        const order = 'ORDER BY updated_at DESC, id DESC LIMIT ?'
        const rows = prepare(`SELECT ${headColumns} FROM runs ${where} ${order}`)
          .all(...values, limit + 1)
          .map((row) => asRecord<RunHead>(row))
        return pageFrom(rows, limit, (head) => [head.updatedAt, head.id])
      }),
  }
}
