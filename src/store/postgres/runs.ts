/**
 * Reading runs, their records, approvals and the outbox.
 * Knows SQL that looks. Must not know what a record says.
 */
import type {
  ApprovalRow,
  EventRecord,
  OutboxItem,
  RunHead,
  RunQuery,
  RunStore,
  StoredRun,
} from '../../runtime/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import {
  approvalPgColumns,
  eventPgColumns,
  headPgColumns,
  noteEntry,
  outboxPgColumns,
  runParts,
  selected,
  sqlPart,
} from './columns.ts'
import { createCommit } from './commit.ts'
import type { Pool, Sql } from './pool.ts'

const head = selected(headPgColumns, 'runs')
const event = selected(eventPgColumns, 'events')
const approval = `${selected(approvalPgColumns, 'approvals')}, run_id AS "runId"`
const outboxSelected = `${selected(outboxPgColumns, 'outbox')}, outbox.run_id AS "runId"`
const timeKey: readonly [at: number, id: string] = [0, '']

/** The part of a store that is about runs. */
export function createRuns(pool: Pool): RunStore {
  return {
    commit: createCommit(pool),
    loadRun: (runId) => loadRun(pool, runId),
    readHead: async (runId) => {
      const [row] = await pool.run<RunHead>(
        (sql) => sql`SELECT ${sql.unsafe(head)} FROM runs WHERE id = ${runId}`,
      )
      return row ?? null
    },
    readSeqs: async (runIds) => {
      const rows = await pool.run<{ id: string; seq: number }>(
        (sql) => sql`SELECT id, seq FROM runs WHERE id = ANY(${[...runIds]}::text[])`,
      )
      return new Map(rows.map(({ id, seq }) => [id, seq]))
    },
    findReply: async (runId, commandId) => {
      const [row] = await pool.run<{ reply: string }>(
        (sql) => sql`SELECT reply FROM commands WHERE run_id = ${runId} AND id = ${commandId}`,
      )
      return row?.reply ?? null
    },
    readEvents: (runId, { after, limit }) =>
      pool.run<EventRecord>(
        (sql) => sql`SELECT ${sql.unsafe(event)} FROM events
          WHERE run_id = ${runId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
      ),
    ...createLists(pool),
    ...createOutbox(pool),
  }
}

type LoadedRow = RunHead & {
  readonly snapshotSeq: number | null
  readonly version: number
  readonly state: string
  readonly eventSeq: number | null
  readonly eventHash: string
} & Omit<EventRecord, 'seq' | 'hash'>

// WHY: one statement sees one moment. The text of the snapshot comes with the first row only.
async function loadRun(pool: Pool, runId: string): Promise<StoredRun | null> {
  const rows = await pool.run<LoadedRow>(
    (sql) => sql`SELECT ${sql.unsafe(head)}, s.seq AS "snapshotSeq", s.version,
        CASE WHEN e.seq IS NULL OR e.seq = s.seq THEN s.state END AS state,
        e.seq AS "eventSeq", e.member, e.type, e.data, e.at, e.actor,
        e.command_id AS "commandId", e.binds, e.hash AS "eventHash"
      FROM runs
      LEFT JOIN snapshots s ON s.run_id = runs.id
      LEFT JOIN events e ON e.run_id = runs.id AND e.seq >= coalesce(s.seq, 0)
      WHERE runs.id = ${runId} ORDER BY e.seq`,
  )
  const [first] = rows
  if (first === undefined) return null
  return { head: headIn(first), snapshot: snapshotIn(first), tail: rows.flatMap(eventIn) }
}

function headIn(row: LoadedRow): RunHead {
  const { snapshotSeq, version, state, eventSeq, eventHash, ...rest } = row
  const { member, type, data, at, actor, commandId, binds, ...kept } = rest
  return kept
}

function snapshotIn({ snapshotSeq, version, state }: LoadedRow): StoredRun['snapshot'] {
  return snapshotSeq === null ? null : { seq: snapshotSeq, version, state }
}

function eventIn(row: LoadedRow): readonly EventRecord[] {
  const { eventSeq: seq, member, type, data, at, actor, commandId, binds, eventHash: hash } = row
  return seq === null ? [] : [{ seq, member, type, data, at, actor, commandId, binds, hash }]
}

type Lists = Pick<RunStore, 'listRuns' | 'listApprovals' | 'readApproval' | 'dueApprovals'>

// Each with one `/` at its end, so that `/a` is not above `/ab`.
const nearTo = (sql: Sql, near: string) => sql`AND (
  starts_with(${near}, rtrim(workspace, '/') || '/')
  OR starts_with(rtrim(workspace, '/') || '/', ${near}))`

// WHY "C": its lower case is that of a to z, as in the other stores.
const saysAll = (sql: Sql, { words = [], beside }: RunQuery) => sql`AND NOT EXISTS (
  SELECT 1 FROM unnest(${[...words]}::text[]) AS word WHERE strpos(
    lower(concat_ws(chr(10), id, definition, status, stage, workspace,
      ${beside === undefined ? sql`NULL` : besideText(sql, beside)}) COLLATE "C"),
    lower(word COLLATE "C")) = 0)`

const besideText = (sql: Sql, { collection, field }: NonNullable<RunQuery['beside']>) => sql`(
  SELECT data::json ->> ${field} FROM cards WHERE drawer = ${collection} AND key = runs.id)`

function createLists(pool: Pool): Lists {
  return {
    listRuns: async (query) => {
      const { statuses, workspace, near, definition, stage, words = [], after, limit } = query
      const key = after === null ? null : parseCursor(after, timeKey)
      const rows = await pool.run<RunHead>(
        (sql) => sql`SELECT ${sql.unsafe(head)} FROM runs WHERE true
          ${key === null ? sql`` : sql`AND (updated_at, id) < (${key[0]}, ${key[1]})`}
          ${statuses === null ? sql`` : sql`AND status = ANY(${[...statuses]}::text[])`}
          ${equals(sql, 'workspace', workspace)} ${equals(sql, 'definition', definition)}
          ${equals(sql, 'stage', stage ?? null)} ${words.length === 0 ? sql`` : saysAll(sql, query)}
          ${near === undefined ? sql`` : nearTo(sql, `${near.replace(/\/+$/, '')}/`)}
          ORDER BY updated_at DESC, id DESC LIMIT ${limit + 1}`,
      )
      return pageFrom(rows, limit, (row) => [row.updatedAt, row.id])
    },
    listApprovals: async ({ status, runId, after, limit }) => {
      const key = after === null ? null : parseCursor(after, timeKey)
      const rows = await pool.run<ApprovalRow>(
        (sql) => sql`SELECT ${sql.unsafe(approval)} FROM approvals WHERE true
          ${key === null ? sql`` : sql`AND (requested_at, id) > (${key[0]}, ${key[1]})`}
          ${equals(sql, 'status', status)} ${equals(sql, 'run_id', runId)}
          ORDER BY requested_at, id LIMIT ${limit + 1}`,
      )
      return pageFrom(rows, limit, (row) => [row.requestedAt, row.id])
    },
    readApproval: async (id) => {
      const [row] = await pool.run<ApprovalRow>(
        (sql) => sql`SELECT ${sql.unsafe(approval)} FROM approvals WHERE id = ${id}`,
      )
      return row ?? null
    },
    dueApprovals: (at, limit) =>
      pool.run<ApprovalRow>(
        (sql) => sql`SELECT ${sql.unsafe(approval)} FROM approvals
          WHERE status = 'pending' AND expires_at <= ${at} ORDER BY expires_at, id LIMIT ${limit}`,
      ),
  }
}

function equals(sql: Sql, column: string, value: string | null) {
  return value === null ? sql`` : sql`AND ${sql(column)} = ${value}`
}

function createOutbox(
  pool: Pool,
): Pick<RunStore, 'takeOutbox' | 'settleOutboxItem' | 'delayOutboxItem'> {
  return {
    takeOutbox: ({ at, leaseMs, limit }) =>
      pool.run<OutboxItem>(
        (sql) => sql`WITH due AS (
            SELECT run_id, id FROM outbox WHERE due_at <= ${at}
            ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          UPDATE outbox SET due_at = ${at + leaseMs}, attempts = attempts + 1
          FROM due WHERE outbox.run_id = due.run_id AND outbox.id = due.id
          RETURNING ${sql.unsafe(outboxSelected)}`,
      ),
    settleOutboxItem: async (id) => {
      await runParts(pool, [
        sqlPart('WITH head AS (DELETE FROM outbox WHERE id = ? RETURNING id)', id),
        noteEntry({ type: 'outbox.settled', id }),
        sqlPart(' SELECT id FROM head'),
      ])
    },
    delayOutboxItem: async (id, dueAt) => {
      await pool.run((sql) => sql`UPDATE outbox SET due_at = ${dueAt} WHERE id = ${id}`)
    },
  }
}
