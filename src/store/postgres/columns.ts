/**
 * The columns of the tables of a run, and statements built from them.
 * Knows columns. Must not know when a change is a conflict.
 */
import type {
  ApprovalRow,
  EventRecord,
  OutboxItem,
  RunHead,
  Snapshot,
  StoredMachine,
} from '../../runtime/ports.ts'
import { printEntry, type RegisterEntry } from '../../runtime/record/register.ts'
import type { Pool } from './pool.ts'

type Type = 'text' | 'bigint'
type Value = string | number | null
export type Columns<T> = readonly {
  readonly key: keyof T & string
  readonly name: string
  readonly type: Type
}[]

// The name of a column is that of the field in snake case; the compiler misses none of them.
function columnsOf<T>(types: Record<keyof T & string, Type>): Columns<T> {
  return (Object.entries(types) as [keyof T & string, Type][]).map(([key, type]) => ({
    key,
    name: key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type,
  }))
}

/** A row of `runs`; beside it there is `bytes`. */
export const headPgColumns = columnsOf<RunHead>({
  id: 'text',
  machine: 'text',
  definition: 'text',
  dialect: 'text',
  status: 'text',
  stage: 'text',
  seq: 'bigint',
  hash: 'text',
  workspace: 'text',
  callsCount: 'bigint',
  costMicroUsd: 'bigint',
  startedAt: 'bigint',
  updatedAt: 'bigint',
  endedAt: 'bigint',
})
/** A row of `events`, without its run. */
export const eventPgColumns = columnsOf<EventRecord>({
  seq: 'bigint',
  member: 'text',
  type: 'text',
  data: 'text',
  at: 'bigint',
  actor: 'text',
  commandId: 'text',
  binds: 'text',
  hash: 'text',
})
/** A row of `approvals`, without its run. */
export const approvalPgColumns = columnsOf<Omit<ApprovalRow, 'runId'>>({
  id: 'text',
  member: 'text',
  kind: 'text',
  message: 'text',
  hash: 'text',
  status: 'text',
  requestedAt: 'bigint',
  expiresAt: 'bigint',
  decidedAt: 'bigint',
  decidedBy: 'text',
  note: 'text',
  pending: 'text',
})
/** A row of `outbox`, without its run. */
export const outboxPgColumns = columnsOf<Omit<OutboxItem, 'runId'>>({
  id: 'text',
  kind: 'text',
  data: 'text',
  dueAt: 'bigint',
  attempts: 'bigint',
})
/** A row of `machines`, without its time. */
export const machineColumns = columnsOf<StoredMachine>({
  hash: 'text',
  name: 'text',
  dialect: 'text',
  format: 'bigint',
  compiled: 'text',
})
const snapshotColumns = columnsOf<Snapshot>({ seq: 'bigint', version: 'bigint', state: 'text' })
type Reply = { readonly id: string; readonly reply: string }
const replyColumns = columnsOf<Reply>({ id: 'text', reply: 'text' })

/** Columns under the names of their fields, for a SELECT. */
export function selected<T>(columns: Columns<T>, table: string): string {
  return columns.map(({ name, key }) => `${table}.${name} AS "${key}"`).join(', ')
}

/** The names of columns, for an INSERT. */
export function columnNames<T>(columns: Columns<T>): string {
  return columns.map(({ name }) => name).join(', ')
}

/** `?::type` for each column. */
export function columnSlots<T>(columns: Columns<T>): string {
  return columns.map(({ type }) => `?::${type}`).join(', ')
}

/** The values of a row, in the order of its columns. */
export function columnValues<T>(columns: Columns<T>, row: T): readonly Value[] {
  // WHY: every field of these records is a text, a number or null; the tables above say so.
  return columns.map(({ key }) => row[key] as Value)
}

/** A part of a statement, with a `?` for each of its values. */
export type SqlPart = { readonly text: string; readonly values: readonly unknown[] }

/** A part with its values. */
export function sqlPart(text: string, ...values: readonly unknown[]): SqlPart {
  return { text, values }
}

const numbered = new Map<string, string>()

/**
 * Runs one statement made of parts. There are few different ones, and each is prepared once.
 * WHY not templates of the driver: putting them together costs as much as the statement itself.
 */
export function runParts<T extends object>(
  pool: Pool,
  parts: readonly SqlPart[],
): Promise<readonly T[]> {
  const text = parts.map((one) => one.text).join('')
  const statement = numbered.get(text) ?? number(text)
  const values = parts.flatMap((one) => one.values) as Value[]
  return pool.run<T>((sql) => sql.unsafe<T[]>(statement, values, { prepare: true }))
}

function number(text: string): string {
  const [first, ...rest] = text.split('?')
  const statement = [first, ...rest.map((piece, index) => `$${index + 1}${piece}`)].join('')
  numbered.set(text, statement)
  return statement
}

type Table<T> = { readonly columns: Columns<T>; readonly one: string; readonly many: string }
type Layout<T> = {
  readonly name: string
  readonly columns: Columns<T>
  /** A column whose value comes with the row that `head` gives. */
  readonly lead: string
  readonly from: string
  readonly conflict: string
}

// INVARIANT: what is inserted hangs on `head`. No row there, no rows here.
function tableOf<T>({ name, columns, lead, from, conflict }: Layout<T>): Table<T> {
  const insert = `,
    kept_${name} AS (INSERT INTO ${name} (${lead}, ${columnNames(columns)}) SELECT ${from},`
  const arrays = columns.map(({ type }) => `?::${type}[]`).join(', ')
  return {
    columns,
    one: `${insert} ${columnSlots(columns)} FROM head ${conflict})`,
    many: `${insert} new.* FROM head, unnest(${arrays}) AS new ${conflict})`,
  }
}

const ofRun = { lead: 'run_id', from: 'head.id' }
const events = tableOf({ ...ofRun, name: 'events', columns: eventPgColumns, conflict: '' })
const outbox = tableOf({ ...ofRun, name: 'outbox', columns: outboxPgColumns, conflict: '' })
const commands = tableOf({ ...ofRun, name: 'commands', columns: replyColumns, conflict: '' })
const approvals = tableOf({
  ...ofRun,
  name: 'approvals',
  columns: approvalPgColumns,
  conflict: replacing('run_id, id', approvalPgColumns),
})
const snapshots = tableOf({
  ...ofRun,
  name: 'snapshots',
  columns: snapshotColumns,
  conflict: replacing('run_id', snapshotColumns),
})
const machines = tableOf({
  name: 'machines',
  columns: machineColumns,
  lead: 'created_at',
  from: 'head.at',
  conflict: 'ON CONFLICT (hash) DO NOTHING',
})

function replacing<T>(key: string, columns: Columns<T>): string {
  const set = columns.map(({ name }) => `${name} = excluded.${name}`).join(', ')
  return `ON CONFLICT (${key}) DO UPDATE SET ${set}`
}

function keep<T>({ columns, one, many }: Table<T>, rows: readonly T[]): SqlPart {
  const [first] = rows
  if (first === undefined) return { text: '', values: [] }
  if (rows.length === 1) return { text: one, values: columnValues(columns, first) }
  const values = columns.map(({ key }) => rows.map((row) => row[key]))
  return { text: many, values }
}

const noteLine = `,
    tip AS (
      UPDATE register_tip SET seq = register_tip.seq + 1, hash = encode(
        sha256(convert_to(register_tip.hash || chr(10) || ?::text, 'UTF8')), 'hex')
      WHERE EXISTS (SELECT 1 FROM head) RETURNING seq, hash
    ),
    kept_line AS (INSERT INTO register (seq, text, hash) SELECT seq, ?::text, hash FROM tip)`

/**
 * Adds a line to the register if `head` has a row; at most once in a statement.
 * WHY the row of the tip: whoever comes second waits for it, and then hashes what is there.
 */
export function noteEntry(entry: RegisterEntry): SqlPart {
  return noteText(printEntry(entry))
}

/** The same with the text of an entry. */
export function noteText(text: string): SqlPart {
  return { text: noteLine, values: [text, text] }
}

/** Each of these is `, name AS (…)`, or nothing when there is nothing to keep. */
export const insertEvents = (rows: readonly EventRecord[]): SqlPart => keep(events, rows)
/** Each as it is last: one statement writes a row once. */
export const upsertApprovals = (rows: readonly ApprovalRow[]): SqlPart =>
  keep(approvals, [...new Map(rows.map((row) => [row.id, row])).values()])
export const insertOutbox = (rows: readonly OutboxItem[]): SqlPart => keep(outbox, rows)
export const insertReply = (reply: Reply | null): SqlPart => keep(commands, reply ? [reply] : [])
export const upsertSnapshot = (row: Snapshot | null): SqlPart => keep(snapshots, row ? [row] : [])
/** `head` has to tell the time, as `at`. */
export const insertMachines = (rows: readonly StoredMachine[]): SqlPart => keep(machines, rows)
