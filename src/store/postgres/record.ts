/**
 * What checking the record reads: the register, and rows that no list shows.
 * Knows SQL. Must not know what an entry means.
 */
import type { Claim, OutboxItem, Snapshot, StoredMachine } from '../../runtime/ports.ts'
import type {
  RecordStore,
  RegisterRow,
  RegisterTip,
  RunRows,
  StrayRow,
} from '../../runtime/record/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import {
  machineColumns,
  noteText,
  outboxPgColumns,
  runParts,
  selected,
  sqlPart,
} from './columns.ts'
import type { Pool } from './pool.ts'

const straysMax = 100
const ofRuns = ['commands', 'approvals', 'snapshots', 'outbox'] as const
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
  JOIN definitions AS d ON d.id = definition_id WHERE v.version > d.latest
  LIMIT ${straysMax}`

/** The part of a store that is about the register and what it binds. */
export function createRecord(pool: Pool): RecordStore {
  return {
    readRegister: ({ after, limit }) =>
      pool.run<RegisterRow>(
        (sql) => sql`SELECT seq, text, hash FROM register
          WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`,
      ),
    readRegisterTip: async () => {
      const [row] = await pool.run<RegisterTip>((sql) => sql`SELECT seq, hash FROM register_tip`)
      return row ?? null
    },
    noteInRegister: async (text) => {
      const [row] = await runParts<RegisterTip>(pool, [
        sqlPart('WITH head AS (SELECT 1)'),
        noteText(text),
        sqlPart(' SELECT seq, hash FROM tip'),
      ])
      if (row === undefined) throw new Error('bug: the register has no tip')
      return row
    },
    readRunRows: (runId) => readRunRows(pool, runId),
    ...createLists(pool),
  }
}

async function readRunRows(pool: Pool, runId: string): Promise<RunRows> {
  const outboxSelected = selected(outboxPgColumns, 'outbox')
  const [replies, outbox, [snapshot], [head]] = await Promise.all([
    pool.run<RunRows['replies'][number]>(
      (sql) => sql`SELECT id AS "commandId", reply AS text FROM commands WHERE run_id = ${runId}`,
    ),
    pool.run<OutboxItem>(
      (sql) => sql`SELECT ${sql.unsafe(outboxSelected)}, run_id AS "runId" FROM outbox
        WHERE run_id = ${runId} ORDER BY id`,
    ),
    pool.run<Snapshot>(
      (sql) => sql`SELECT seq, version, state FROM snapshots WHERE run_id = ${runId}`,
    ),
    pool.run<{ bytes: number }>((sql) => sql`SELECT bytes FROM runs WHERE id = ${runId}`),
  ])
  return { replies, outbox, snapshot: snapshot ?? null, logBytes: head?.bytes ?? null }
}

type Lists = Pick<RecordStore, 'listClaims' | 'listMachines' | 'listCollections' | 'findStrays'>

function createLists(pool: Pool): Lists {
  return {
    listClaims: async ({ after, limit }) => {
      const [run, branch] = after === null ? ['', ''] : parseCursor(after, ['', ''])
      const rows = await pool.run<Claim>(
        (sql) => sql`SELECT run_id AS "runId", branch, session, at FROM claims
          WHERE (run_id, branch) > (${run}::text, ${branch}::text)
          ORDER BY run_id, branch LIMIT ${limit + 1}`,
      )
      return pageFrom(rows, limit, (row) => [row.runId, row.branch])
    },
    listMachines: async ({ after, limit }) => {
      const [last] = after === null ? [''] : parseCursor(after, [''])
      const rows = await pool.run<StoredMachine>(
        (sql) => sql`SELECT ${sql.unsafe(selected(machineColumns, 'machines'))} FROM machines
          WHERE hash > ${last} ORDER BY hash LIMIT ${limit + 1}`,
      )
      return pageFrom(rows, limit, (row) => [row.hash])
    },
    listCollections: async () => {
      const rows = await pool.run<{ drawer: string }>(
        (sql) => sql`SELECT DISTINCT drawer FROM cards ORDER BY drawer`,
      )
      return rows.map((row) => row.drawer)
    },
    findStrays: () => pool.run<StrayRow>((sql) => sql.unsafe<StrayRow[]>(strays)),
  }
}
