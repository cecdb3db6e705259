/**
 * Commits one change of a run in one statement: all or nothing, and never with an unknown outcome.
 * Knows conflicts. Must not know what a record contains.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Committed, RunChange } from '../../runtime/ports.ts'
import { hashText } from '../../runtime/record/binds.ts'
import { checkChange, countLogBytes } from '../check-change.ts'
import {
  columnNames,
  columnSlots,
  columnValues,
  headPgColumns,
  insertEvents,
  insertOutbox,
  insertReply,
  noteEntry,
  runParts,
  type SqlPart,
  sqlPart,
  upsertApprovals,
  upsertSnapshot,
} from './columns.ts'
import { isOutcomeUnknown, isOvertaken, sqlStateOf } from './faults.ts'
import type { Pool } from './pool.ts'

// How long a lost answer is looked for, in timeouts of a statement.
const resolveTimeoutsMax = 2
const resolvePauseMs = 100

/** A way to commit through this pool. */
export function createCommit(pool: Pool): (change: RunChange) => Promise<Committed> {
  const node = randomUUID()
  let count = 0
  return async (change) => {
    checkChange(change)
    count += 1
    const attempt = `${node}:${count}`
    try {
      const rows = await runParts(pool, commitParts(change, attempt))
      if (rows.length > 0) return 'committed'
    } catch (error) {
      if (isOutcomeUnknown(error)) return resolveOutcome(pool, { change, attempt, error })
      if (!isOvertaken(error)) throw error
    }
    return (await hasReply(pool, change)) ? 'repeated' : 'conflict'
  }
}

async function hasReply(pool: Pool, { runId, reply }: RunChange): Promise<boolean> {
  if (reply === null) return false
  const rows = await pool.run(
    (sql) => sql`SELECT 1 FROM commands WHERE run_id = ${runId} AND id = ${reply.commandId}`,
  )
  return rows.length > 0
}

// INVARIANT: everything hangs on the row that `head` gives back. A second change waits for the
//            row, looks at it again, and finds another number: it writes nothing.
function commitParts(change: RunChange, attempt: string): readonly SqlPart[] {
  const { runId, expectedSeq, head, events, reply } = change
  const bytes = countLogBytes(events)
  const open = isOpen(change, attempt)
  const write =
    expectedSeq === 0
      ? [sqlPart(begin, ...columnValues(headPgColumns, head), bytes), open, sqlPart(beginEnd)]
      : [
          sqlPart(move, ...columnValues(moveColumns, head), bytes, runId, expectedSeq),
          open,
          sqlPart(moveEnd),
        ]
  return [
    ...write,
    insertReply(reply && { id: reply.commandId, reply: reply.text }),
    insertEvents(events),
    upsertApprovals(change.approvals),
    insertOutbox(change.outbox),
    upsertSnapshot(change.snapshot),
    ...registered(change),
    sqlPart(' SELECT id FROM head'),
  ]
}

/** A run that begins, and a reply that no record binds, are in the register. */
function registered({ runId, expectedSeq, events, reply }: RunChange): readonly SqlPart[] {
  if (expectedSeq === 0) {
    return [noteEntry({ type: 'run.started', runId, hash: events[0]?.hash ?? '' })]
  }
  if (reply === null || events.length > 0) return []
  const { commandId, text } = reply
  return [noteEntry({ type: 'reply.kept', runId, commandId, hash: hashText(text) })]
}

const insertHead = `INSERT INTO runs (${columnNames(headPgColumns)}, bytes)
  SELECT ${columnSlots(headPgColumns)}, ?::bigint`
const begin = `WITH head AS (${insertHead} WHERE `
const beginEnd = ' ON CONFLICT (id) DO NOTHING RETURNING id)'

const moveColumns = headPgColumns.filter(({ key }) => key !== 'id')
const move = `WITH head AS (UPDATE runs
  SET ${moveColumns.map(({ name }) => `${name} = ?`).join(', ')}, bytes = bytes + ?
  WHERE id = ? AND seq = ? AND `
const moveEnd = ' RETURNING id)'

/** Neither given up by its own node nor answered before. */
function isOpen({ runId, reply }: RunChange, attempt: string): SqlPart {
  const isHere = 'NOT EXISTS (SELECT 1 FROM fences WHERE run_id = ? AND attempt = ?)'
  if (reply === null) return sqlPart(isHere, runId, attempt)
  const isNew = 'NOT EXISTS (SELECT 1 FROM commands WHERE run_id = ? AND commands.id = ?)'
  return sqlPart(`${isHere} AND ${isNew}`, runId, attempt, runId, reply.commandId)
}

type Doubt = { readonly change: RunChange; readonly attempt: string; readonly error: unknown }

/**
 * The connection was lost with the answer. A fence keeps the statement from being carried out
 * from now on; waiting for its locks lets it end if it is under way; then the log tells.
 */
async function resolveOutcome(pool: Pool, doubt: Doubt): Promise<Committed> {
  const until = performance.now() + pool.options.timeoutMs * resolveTimeoutsMax
  for (;;) {
    try {
      await raiseFence(pool, doubt)
      await waitForLocks(pool, doubt.change)
      if (await isKept(pool, doubt.change)) return 'committed'
      break
    } catch (fault) {
      if (!isPassing(fault) || performance.now() > until) throw unresolved(doubt.error)
      await sleep(resolvePauseMs)
    }
  }
  throw doubt.error
}

async function raiseFence(pool: Pool, { change, attempt }: Doubt): Promise<void> {
  await pool.run(
    (sql) => sql`INSERT INTO fences (run_id, attempt) VALUES (${change.runId}, ${attempt})
      ON CONFLICT DO NOTHING`,
  )
}

async function isKept(pool: Pool, change: RunChange): Promise<boolean> {
  const last = change.events.at(-1)
  if (last === undefined) return hasReply(pool, change)
  const [row] = await pool.run<{ hash: string }>(
    (sql) => sql`SELECT hash FROM events WHERE run_id = ${change.runId} AND seq = ${last.seq}`,
  )
  return row?.hash === last.hash
}

function isPassing(fault: unknown): boolean {
  if (!(fault instanceof PawlError) || fault.code !== 'STORE_UNAVAILABLE') return false
  return sqlStateOf(fault) !== 'CONNECTION_ENDED'
}

// The one case in which a fault may leave something behind: the database did not come back.
function unresolved(cause: unknown): PawlError {
  const message = 'the connection was lost during a change, which may have been saved'
  const hint = 'send the same command id again: it is applied only once'
  return new PawlError('STORE_UNAVAILABLE', message, { hint, cause })
}

async function waitForLocks(pool: Pool, { runId, expectedSeq, head }: RunChange): Promise<void> {
  if (expectedSeq > 0) {
    await pool.run((sql) => sql`SELECT 1 FROM runs WHERE id = ${runId} FOR UPDATE`)
    return
  }
  // A run that begins has no row to lock yet, but two of them meet in its key. WHY the division:
  // it takes back the row after the meeting.
  const divisionByZero = '22012'
  try {
    await runParts(pool, [
      sqlPart(insertHead, ...columnValues(headPgColumns, head), 0),
      sqlPart(' ON CONFLICT (id) DO NOTHING RETURNING 1 / (seq - seq)'),
    ])
  } catch (error) {
    if (sqlStateOf(error) !== divisionByZero) throw error
  }
}
