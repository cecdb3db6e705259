/**
 * Columns as the port names them, and how rows become records.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { parseCursor } from '../cursor.ts'

export type SqliteRow = ReturnType<StatementSync['all']>[number]

// WHY: a number that JavaScript cannot hold would make every read throw that meets its row.
const safe = (column: string): string => `min(${column}, ${Number.MAX_SAFE_INTEGER})`

/** The columns of a head, named as in `RunHead`. */
export const headColumns = `id, machine, definition, dialect, status, stage, seq, hash, workspace,
  ${safe('calls_count')} AS callsCount, ${safe('cost_micro_usd')} AS costMicroUsd,
  started_at AS startedAt,
  updated_at AS updatedAt, ended_at AS endedAt`

/** The columns of a record, named as in `EventRecord`. */
export const eventColumns =
  'seq, member, type, data, at, actor, command_id AS commandId, binds, hash'

/** The columns of a question, named as in `ApprovalRow`. */
export const approvalColumns = `id, run_id AS runId, member, kind, message, hash, status,
  requested_at AS requestedAt, expires_at AS expiresAt, decided_at AS decidedAt,
  decided_by AS decidedBy, note, pending`

/** The columns of the outbox, named as in `OutboxItem`. */
export const outboxColumns = 'id, run_id AS runId, kind, data, due_at AS dueAt, attempts'

/** A row as the record that its columns spell. */
// WHY `as`: the tables are STRICT and the lists of columns above spell these types.
export const asRecord = <T>(row: SqliteRow): T => ({ ...row }) as T

export const asRecordOrNull = <T>(row: SqliteRow | undefined): T | null =>
  row === undefined ? null : asRecord<T>(row)

/** A condition with its values; null: it is left out. */
export type Condition = readonly [sql: string, values: Values | null]
type Values = string | number | readonly (string | number)[]

/** Prepares each text once: lists with other filters are other statements. */
export function statementCache(db: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}

/** A WHERE of all conditions that have values, with the values in order. */
export function whereAll(conditions: readonly Condition[]): {
  readonly where: string
  readonly values: readonly (string | number)[]
} {
  const given = conditions.filter(([, values]) => values !== null)
  const where = given.length === 0 ? '' : `WHERE ${given.map(([sql]) => sql).join(' AND ')}`
  return { where, values: given.flatMap(([, values]) => values ?? []) }
}

/** The key in the cursor of a list that is sorted by time and id. */
export const timeAndId = (after: string | null) =>
  after === null ? null : parseCursor(after, [0, ''])
