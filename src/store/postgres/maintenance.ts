/**
 * Rebuilding, carrying over, removing and counting. Knows SQL. Must not know what is old.
 */
import { PawlError } from '../../runtime/pawl-error.ts'
import type {
  ApprovalRow,
  RunCopy,
  RunHead,
  Snapshot,
  StoreMaintenance,
} from '../../runtime/ports.ts'
import { countLogBytes } from '../check-change.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import {
  columnNames,
  columnSlots,
  columnValues,
  headPgColumns,
  insertEvents,
  insertMachines,
  noteEntry,
  runParts,
  sqlPart,
  upsertApprovals,
  upsertSnapshot,
} from './columns.ts'
import { isOvertaken } from './faults.ts'
import type { Pool } from './pool.ts'

type Elsewhere = 'kind' | 'isShared' | 'onChange' | 'listenError' | 'tellChange' | 'close'
type Care = Omit<StoreMaintenance, Elsewhere>

// PostgreSQL takes a gigabyte in one statement, and escaping may double a text.
const importBytesMax = 200_000_000

const idKey: readonly [id: string] = ['']

/** The part of a store that keeps it in order. */
export function createMaintenance(pool: Pool): Care {
  return {
    replaceProjections: (head, approvals, snapshot) =>
      replaceProjections(pool, head, { approvals, snapshot }),
    importRun: (copy) => importRun(pool, copy),
    listRunIds: async ({ after, limit }) => {
      const key = after === null ? null : parseCursor(after, idKey)
      const rows = await pool.run<{ id: string }>(
        // WHY from the logs: a run whose head is lost is still there. Each step of the recursion
        // jumps to the next run, so the many records of one are not read.
        (sql) => sql`WITH RECURSIVE found AS (
            (SELECT run_id AS id FROM events WHERE run_id > ${key?.[0] ?? ''}
              ORDER BY run_id LIMIT 1)
            UNION ALL
            SELECT (SELECT run_id FROM events WHERE run_id > found.id ORDER BY run_id LIMIT 1)
            FROM found WHERE found.id IS NOT NULL
          )
          SELECT id FROM found WHERE id IS NOT NULL LIMIT ${limit + 1}`,
      )
      const page = pageFrom(rows, limit, (row) => [row.id])
      return { ...page, items: page.items.map((row) => row.id) }
    },
    listEnded: ({ before, limit }) =>
      pool.run<{ id: string; bytes: number; endedAt: number }>(
        (sql) => sql`SELECT id, bytes, ended_at AS "endedAt" FROM runs
          WHERE ended_at < ${before} ORDER BY ended_at, id LIMIT ${limit}`,
      ),
    removeRuns: async (runIds) => {
      const ids = [...runIds]
      if (ids.length === 0) return
      await runParts(pool, [
        sqlPart(removal, ids),
        noteEntry({ type: 'runs.removed', runIds: ids }),
        sqlPart(' SELECT 1'),
      ])
    },
    countBytes: async () => {
      const [row] = await pool.run<{ bytes: number }>(
        (sql) => sql`SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM runs`,
      )
      return row?.bytes ?? 0
    },
    findTrouble: () => findTrouble(pool),
  }
}

const removal = `WITH head AS (SELECT unnest(?::text[]) AS id),
  a AS (DELETE FROM runs USING head WHERE runs.id = head.id),
  b AS (DELETE FROM events USING head WHERE run_id = head.id),
  c AS (DELETE FROM commands USING head WHERE run_id = head.id),
  d AS (DELETE FROM snapshots USING head WHERE run_id = head.id),
  e AS (DELETE FROM approvals USING head WHERE run_id = head.id),
  f AS (DELETE FROM outbox USING head WHERE run_id = head.id),
  g AS (DELETE FROM fences USING head WHERE run_id = head.id),
  h AS (DELETE FROM claims USING head WHERE run_id = head.id)`

type Projections = {
  readonly approvals: readonly ApprovalRow[]
  readonly snapshot: Snapshot | null
}

// WHY the last condition: a row that was locked is seen as it is now, a row that is looked up as it
//      was when the statement began. A run that moved in between is left alone.
const replaceHead = `WITH head AS (
  INSERT INTO runs (${columnNames(headPgColumns)}, bytes)
  SELECT ${columnSlots(headPgColumns)},
    (SELECT coalesce(sum(octet_length(data)), 0) FROM events WHERE run_id = ?)
  WHERE NOT EXISTS (SELECT 1 FROM events WHERE run_id = ? AND seq > ?)
  ON CONFLICT (id) DO UPDATE SET
    ${headPgColumns.map(({ name }) => `${name} = excluded.${name}`).join(', ')},
    bytes = excluded.bytes
  WHERE runs.seq = (SELECT old.seq FROM runs old WHERE old.id = excluded.id)
  RETURNING id
)`
const dropApprovals = `, gone_approvals AS (
  DELETE FROM approvals USING head WHERE run_id = head.id AND approvals.id <> ALL(?::text[]))`
const dropSnapshot = `, gone_snapshot AS (
  DELETE FROM snapshots USING head WHERE run_id = head.id)`

async function replaceProjections(pool: Pool, head: RunHead, kept: Projections): Promise<void> {
  const ids = kept.approvals.map((row) => row.id)
  const rows = await runParts(pool, [
    sqlPart(replaceHead, ...columnValues(headPgColumns, head), head.id, head.id, head.seq),
    sqlPart(dropApprovals, ids),
    kept.snapshot === null ? sqlPart(dropSnapshot) : upsertSnapshot(kept.snapshot),
    upsertApprovals(kept.approvals),
    sqlPart(' SELECT id FROM head'),
  ])
  if (rows.length > 0) return
  throw new PawlError('STORE_CONFLICT', `run \`${head.id}\` changed while it was being rebuilt`, {
    hint: 'rebuild it again',
  })
}

const importHead = `WITH head AS (
  INSERT INTO runs (${columnNames(headPgColumns)}, bytes)
  SELECT ${columnSlots(headPgColumns)}, ?::bigint
  ON CONFLICT (id) DO NOTHING RETURNING id, started_at AS at
)`

async function importRun(pool: Pool, copy: RunCopy): Promise<'imported' | 'exists'> {
  const bytes = countLogBytes(copy.events)
  if (bytes > importBytesMax) {
    const message = `the log of \`${copy.head.id}\` has ${bytes} bytes, too many for one statement`
    throw new PawlError('REQUEST_TOO_LARGE', message, {
      hint: `PostgreSQL accepts logs of up to ${importBytesMax} bytes; import it into SQLite`,
    })
  }
  try {
    const rows = await runParts(pool, [
      sqlPart(importHead, ...columnValues(headPgColumns, copy.head), bytes),
      insertMachines(copy.machines),
      noteEntry({ type: 'run.imported', head: [copy.head.id, copy.head.seq, copy.head.hash] }),
      insertEvents(copy.events),
      upsertApprovals(copy.approvals),
      sqlPart(' SELECT id FROM head'),
    ])
    return rows.length > 0 ? 'imported' : 'exists'
  } catch (error) {
    if (isOvertaken(error)) return 'exists'
    throw error
  }
}

async function findTrouble(pool: Pool): Promise<string | null> {
  try {
    const [row] = await pool.run<{ isReadOnly: boolean }>(
      (sql) => sql`SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"
        FROM migrations`,
    )
    return row?.isReadOnly ? 'PostgreSQL is read-only: is this the address of a replica?' : null
  } catch (error) {
    return error instanceof PawlError ? error.message : String(error)
  }
}
