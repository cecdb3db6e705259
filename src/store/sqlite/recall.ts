/**
 * What the store remembers of busy runs, so that a change of theirs is written without looking:
 * where the run stands, and which of its latest commands have a reply. The database knows the same.
 * Knows what was written. Must not decide whether a change fits: whoever writes it does.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Change } from '../../runtime/ports.ts'
import { asRecordOrNull, minuteOf } from './rows.ts'
import type { Result } from './write-group.ts'

/** What is known of a change's run before it is written; the writer trusts it no further. */
export type Hint = {
  readonly log: number
  /** When the head was last changed, in minutes. */
  readonly minute: number
  /** Whether the reply could be among those that are not remembered. */
  readonly isOlder: boolean
  /** All that are to be found by their command from now on; null: nothing is indexed now. */
  readonly indexed: readonly Answered[] | null
}

/** A command and the record that has its reply. */
export type Answered = readonly [commandId: string, seq: number]

export type Recall = {
  /** One for each change of a group, in order; null: it has to be looked. */
  readonly hintsFor: (changes: readonly Change[]) => readonly (Hint | null)[]
  /** What became of each. */
  readonly settle: (tried: readonly Tried[]) => void
  readonly forget: (runId: string) => void
}

export type Tried = {
  readonly change: Change
  readonly hint: Hint | null
  readonly result: Result | undefined
}

/** Runs that are remembered; beyond it the one longest unused makes room. */
const runsMax = 1_000
/** Replies of a run that are remembered before they are indexed, many at once. */
const recentMax = 128
/** Records, with or without a reply, that are looked through for the replies among them. */
const tailMax = 1_024

/** Whether the reply has a row of its own, since no record is of the same command. */
export function isLoose({ events, reply }: Change): boolean {
  return reply !== null && events.at(-1)?.commandId !== reply.commandId
}

type Known = {
  readonly log: number
  seq: number
  minute: number
  /** Up to where replies are found by their command. */
  indexedSeq: number
  isOlder: boolean
  readonly recent: Map<string, number>
}

export function openRecall(db: DatabaseSync): Recall {
  const runs = new Map<string, Known>()
  const load = prepareLoad(db)
  const knownOf = (runId: string): Known | null => {
    const known = runs.get(runId) ?? load(runId)
    runs.delete(runId)
    if (known === null) return null
    runs.set(runId, known)
    const oldest = runs.size > runsMax ? runs.keys().next().value : undefined
    if (oldest !== undefined) runs.delete(oldest)
    return known
  }
  const hintFor = (change: Change): Hint | null => {
    const { runId, expectedSeq, events, reply } = change
    // WHY not without records: the run stands where it stood, and nothing tells two of them apart.
    if (events.length === 0 || expectedSeq === 0 || isLoose(change)) return null
    const known = knownOf(runId)
    if (known === null || known.seq !== expectedSeq) return null
    const { log, minute, isOlder, recent } = known
    if (reply !== null && recent.has(reply.commandId)) return null
    const isDue = recent.size >= recentMax || known.seq - known.indexedSeq >= tailMax
    return { log, minute, isOlder, indexed: isDue ? [...recent] : null }
  }
  return {
    hintsFor: (changes) => {
      const met = new Set<string>()
      return changes.map((change) => {
        // WHY: what the first of a run in a group does is known only when the group is written.
        if (met.has(change.runId)) return null
        met.add(change.runId)
        return hintFor(change)
      })
    },
    settle: (tried) => {
      for (const { change, hint, result } of tried) {
        const known = runs.get(change.runId)
        const isKept = result?.kind === 'done' && result.value === 'committed'
        if (hint === null || known === undefined || !isKept) runs.delete(change.runId)
        else remember(known, change, hint)
      }
    },
    forget: (runId) => void runs.delete(runId),
  }
}

function remember(known: Known, { head, reply }: Change, { indexed }: Hint): void {
  if (indexed !== null) {
    known.indexedSeq = known.seq
    known.isOlder ||= known.recent.size > 0
    known.recent.clear()
  }
  known.seq = head.seq
  known.minute = minuteOf(head.updatedAt)
  if (reply !== null) known.recent.set(reply.commandId, head.seq)
}

type Place = {
  readonly log: number
  readonly seq: number
  readonly minute: number
  readonly indexedSeq: number
  readonly isOlder: 0 | 1
}

function prepareLoad(db: DatabaseSync): (runId: string) => Known | null {
  const find = db.prepare(
    `SELECT no AS log, seq, updated_minute AS minute, indexed_seq AS indexedSeq,
       EXISTS (SELECT 1 FROM replies WHERE log = no)
         OR EXISTS (SELECT 1 FROM answered WHERE answered.log = no) AS isOlder
     FROM logs JOIN runs ON log = no WHERE run_id = ?`,
  )
  const answered = db.prepare(
    `SELECT command_id AS commandId, seq FROM events
     WHERE log = ? AND seq > ? AND reply IS NOT NULL ORDER BY seq`,
  )
  const look = (runId: string): Known | null => {
    const place = asRecordOrNull<Place>(find.get(runId))
    if (place === null) return null
    const { log, seq, minute, indexedSeq } = place
    const rows = answered.all(log, indexedSeq)
    const recent = new Map(rows.map((row) => [String(row.commandId), Number(row.seq)]))
    return { log, seq, minute, indexedSeq, isOlder: place.isOlder === 1, recent }
  }
  return (runId) => {
    try {
      return look(runId)
    } catch {
      // A disk in trouble: whoever writes meets the same fault, and tells it.
      return null
    }
  }
}
