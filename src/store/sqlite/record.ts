/**
 * What checking the record reads: the register, and rows that no list shows.
 */
import type { Claim, OutboxItem, Snapshot, StoredMachine } from '../../runtime/ports.ts'
import type { RecordStore, RegisterRow, RunRows, StrayRow } from '../../runtime/record/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import { asRecord, asRecordOrNull, outboxColumns } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

type Reply = RunRows['replies'][number]

const straysMax = 100
const ofRuns = ['replies', 'approvals', 'snapshots', 'owed'] as const
const withoutLog = (table: string, id: string): string =>
  `SELECT DISTINCT '${table}' AS "table", ${id} AS id FROM ${table}
   WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.run_id = ${table}.${id})`
const ofNoRun = [withoutLog('runs', 'id'), ...ofRuns.map((one) => withoutLog(one, 'run_id'))]
const strays = `
  ${ofNoRun.join(' UNION ALL ')}
  UNION ALL
  SELECT DISTINCT 'definition_versions', definition_id FROM definition_versions
  WHERE definition_id NOT IN (SELECT id FROM definitions)
  UNION ALL
  SELECT 'definition_versions', definition_id FROM definition_versions AS v
  JOIN definitions AS d ON d.id = definition_id WHERE v.version > d.version
  LIMIT ${straysMax}`

export function recordCalls(shared: SqliteContext): RecordStore {
  const { db, register, read, write } = shared
  const lines = db.prepare(
    'SELECT seq, text, hash FROM register WHERE seq > ? ORDER BY seq LIMIT ?',
  )
  const claims = db.prepare(
    `SELECT run_id AS runId, branch, session, at FROM claims
     WHERE (run_id, branch) > (?, ?) ORDER BY run_id, branch LIMIT ?`,
  )
  const machines = db.prepare(
    `SELECT hash, name, dialect, format, compiled FROM machines
     WHERE hash > ? ORDER BY hash LIMIT ?`,
  )
  const collections = db.prepare('SELECT DISTINCT drawer FROM cards ORDER BY drawer')
  const findStrays = db.prepare(strays)
  return {
    readRegister: ({ after, limit }) =>
      read(() => lines.all(after, limit).map((row) => asRecord<RegisterRow>(row))),
    readRegisterTip: () => read(register.tip),
    noteInRegister: (text) => write(() => register.noteText(text)),
    readRunRows: readRunRows(shared),
    listClaims: ({ after, limit }) =>
      read(() => {
        const key = after === null ? ['', ''] : parseCursor(after, ['', ''])
        // WHY nothing before it: a branch may be empty, but a run has a name.
        const rows = claims.all(...key, limit + 1).map((row) => asRecord<Claim>(row))
        return pageFrom(rows, limit, (row) => [row.runId, row.branch])
      }),
    listMachines: ({ after, limit }) =>
      read(() => {
        const [last] = after === null ? [''] : parseCursor(after, [''])
        const rows = machines.all(last, limit + 1).map((row) => asRecord<StoredMachine>(row))
        return pageFrom(rows, limit, (row) => [row.hash])
      }),
    listCollections: () => read(() => collections.all().map((row) => String(row.drawer))),
    findStrays: () => read(() => findStrays.all().map((row) => asRecord<StrayRow>(row))),
  }
}

function readRunRows({ db, read }: SqliteContext): RecordStore['readRunRows'] {
  const replies = db.prepare('SELECT command_id AS commandId, text FROM replies WHERE run_id = ?')
  const outbox = db.prepare(`SELECT ${outboxColumns} FROM owed WHERE run_id = ? ORDER BY id`)
  const snapshot = db.prepare('SELECT seq, version, state FROM snapshots WHERE run_id = ?')
  const bytes = db.prepare('SELECT log_bytes AS bytes FROM runs WHERE id = ?')
  return (runId) =>
    read(() => {
      const counted = bytes.get(runId)?.bytes
      return {
        replies: replies.all(runId).map((row) => asRecord<Reply>(row)),
        outbox: outbox.all(runId).map((row) => asRecord<OutboxItem>(row)),
        snapshot: asRecordOrNull<Snapshot>(snapshot.get(runId)),
        logBytes: counted === undefined ? null : Number(counted),
      }
    })
}
