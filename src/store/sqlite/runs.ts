/**
 * Runs: how they move, and what can be read of them.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { EventRecord, RunHead, RunStore, Snapshot } from '../../runtime/ports.ts'
import { pageOf } from '../cursor.ts'
import { prepareFindReply } from './answers.ts'
import { approvalCalls } from './approvals.ts'
import { owedCalls } from './owed.ts'
import { noLimit, prepareRead } from './record-links.ts'
import {
  asRecord,
  asRecordOrNull,
  eventColumns,
  headColumns,
  logOf,
  minuteOf,
  statementCache,
  timeAndId,
  whereAll,
} from './rows.ts'
import type { Shared } from './shared.ts'

export function runCalls(shared: Shared): RunStore {
  const { commit } = shared
  return {
    commit,
    ...logCalls(shared),
    ...listCalls(shared),
    ...approvalCalls(shared),
    ...owedCalls(shared),
  }
}

type LogCalls = Pick<RunStore, 'loadRun' | 'readHead' | 'readSeqs' | 'findReply' | 'readEvents'>

function logCalls({ db, read }: Shared): LogCalls {
  const head = db.prepare(`SELECT ${headColumns} FROM runs WHERE log = ${logOf}`)
  const seq = db.prepare(`SELECT seq FROM runs WHERE log = ${logOf}`)
  const snapshot = db.prepare('SELECT seq, version, state FROM snapshots WHERE run_id = ?')
  const log = db.prepare('SELECT no FROM logs WHERE run_id = ?')
  const findReply = prepareFindReply(db)
  const readRecords = prepareRead(db, eventColumns)
  const logNo = (runId: string): number | null => {
    const found = log.get(runId)
    return found === undefined ? null : Number(found.no)
  }
  const readTail = (runId: string, after: number, limit: number) => {
    const no = logNo(runId)
    const rows = no === null ? [] : readRecords(no, after, limit)
    return rows.map((row) => asRecord<EventRecord>(row))
  }
  return {
    loadRun: (runId) =>
      read(() =>
        atOneMoment(db, () => {
          const found = asRecordOrNull<RunHead>(head.get(runId))
          if (found === null) return null
          const begin = asRecordOrNull<Snapshot>(snapshot.get(runId))
          const tail = readTail(runId, begin?.seq ?? 0, noLimit)
          return { head: found, snapshot: begin, tail }
        }),
      ),
    readHead: (runId) => read(() => asRecordOrNull<RunHead>(head.get(runId))),
    readSeqs: (runIds) =>
      read(() => {
        const seqs = new Map<string, number>()
        for (const id of runIds) {
          const row = seq.get(id)
          if (row !== undefined) seqs.set(id, Number(row.seq))
        }
        return seqs
      }),
    findReply: (runId, commandId) =>
      read(() => {
        const no = logNo(runId)
        return no === null ? null : findReply(no, commandId)
      }),
    readEvents: (runId, { after, limit }) => read(() => readTail(runId, after, limit)),
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

const wordSql = `instr(
  lower(concat_ws(char(10), id, definition, status, stage, workspace)), lower(?)) > 0`

function listCalls({ db, read }: Shared): Pick<RunStore, 'listRuns'> {
  const prepare = statementCache(db)
  return {
    listRuns: ({ after, limit, statuses, workspace, near, definition, stage, words = [] }) =>
      read(() => {
        const last = timeAndId(after)
        const { where, values } = whereAll([
          ['status IN (SELECT value FROM json_each(?))', statuses && JSON.stringify(statuses)],
          ['workspace = ?', workspace],
          [nearSql, near === undefined ? null : [near, near]],
          ['definition = ?', definition],
          ['stage = ?', stage ?? null],
          ...words.map((word) => [wordSql, word] as const),
          // The minute finds the page; what is inside of one minute is sorted.
          ['updated_minute <= ?', last && minuteOf(last[0])],
          ['(updated_at, id) < (?, ?)', last],
        ])
        const order = 'ORDER BY updated_minute DESC, updated_at DESC, id DESC LIMIT ?'
        const rows = prepare(`SELECT ${headColumns} FROM runs ${where} ${order}`)
          .all(...values, limit + 1)
          .map((row) => asRecord<RunHead>(row))
        return pageOf(rows, limit, (head) => [head.updatedAt, head.id])
      }),
  }
}
