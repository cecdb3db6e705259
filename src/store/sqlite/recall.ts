/**
 * What the store remembers of busy runs, so that a change of theirs is written without looking:
 * where the run stands, and which of its latest commands have a reply. The database knows the same.
 * Knows what was written. Must not decide whether a change fits: whoever writes it does.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Change } from '../../runtime/ports.ts'
import { openRecentlyUsed } from '../../runtime/recently-used.ts'
import { type KeyFilter, type KeyList, keyOf, openKeyFilter, openKeyList } from './key-filter.ts'
import type { HintedChange } from './parcel.ts'
import { noLimit, prepareRead } from './record-links.ts'
import { asRecordOrNull, minuteOf } from './rows.ts'
import type { Result } from './write-group.ts'

/**
 * What is known of a change's run before it is written. The writer looks where the run stands by
 * itself; which commands have a reply it believes.
 */
export type Hint = {
  readonly log: number
  /** When the head was last changed, in minutes. */
  readonly minute: number
  /** Whether the reply could be among those that are indexed. */
  readonly isOlder: boolean
  /**
   * Whether the replies before it are to be indexed now; `fresh`: all of them were written by the
   * thread since it indexed the last ones.
   */
  readonly due: 'fresh' | 'any' | null
}

export type Recall = {
  /** Null: it has to be looked. To be asked just before a change is written, and settled then. */
  readonly hintFor: (change: Change) => Hint | null
  /** What became of a change, and who wrote it; null: nothing yet, it will be tried again. */
  readonly settle: (tried: HintedChange, result: Result | null, by: Hand) => void
  readonly forget: (runId: string) => void
}

/** Who writes: the thread, or this one. */
export type Hand = 'thread' | 'here'

/** Runs that are remembered; beyond it those longest unused make room. */
const runsMax = 1_000
/** Replies of a run before they are indexed, many at once; up to double. */
const recentMax = 256
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
  /** Commands that could be among those; null: any could. */
  readonly older: KeyFilter | null
  /** Commands that have their reply behind that. */
  readonly recent: KeyList
  /** INVARIANT: then all of those were written by the thread, which indexed the last ones. */
  isFresh: boolean
}

export function openRecall(db: DatabaseSync): Recall {
  const runs = openRecentlyUsed<Known>(runsMax)
  /** Changes of a run that are being written: what comes of them is not known yet. */
  const moving = new Map<string, number>()
  const load = prepareLoad(db)
  const knownOf = (runId: string): Known | null => {
    const known = runs.get(runId)
    if (known !== undefined) return known
    const loaded = load(runId)
    if (loaded !== null) runs.put(runId, loaded)
    return loaded
  }
  return {
    hintFor: (change) => {
      const { runId, expectedSeq, events, reply } = change
      const movingCount = moving.get(runId) ?? 0
      moving.set(runId, movingCount + 1)
      // WHY not without records: the run stands where it stood, and nothing tells two apart.
      if (events.length === 0 || expectedSeq === 0 || isLoose(change)) return null
      const known = movingCount === 0 ? knownOf(runId) : null
      if (known === null || known.seq !== expectedSeq) return null
      const { log, minute, older, recent } = known
      const key = reply === null ? null : keyOf(reply.commandId)
      if (key !== null && recent.mayHave(key)) return null
      const isOlder = key !== null && (older?.mayHave(key) ?? true)
      // WHY not all at the same: runs that began together would all be indexed together.
      const isFull = recent.size() >= recentMax + (log % recentMax)
      const isDue = isFull || known.seq - known.indexedSeq >= tailMax
      return { log, minute, isOlder, due: isDue ? (known.isFresh ? 'fresh' : 'any') : null }
    },
    settle: ({ change, hint }, result, by) => {
      const { runId } = change
      const movingCount = moving.get(runId) ?? 1
      if (movingCount === 1) moving.delete(runId)
      else moving.set(runId, movingCount - 1)
      const known = runs.get(runId)
      const isKept = result?.kind === 'done' && result.value === 'committed'
      if (hint === null || known === undefined || !isKept) runs.drop(runId)
      else remember(known, { change, hint, by })
    },
    forget: runs.drop,
  }
}

type Written = { readonly change: Change; readonly hint: Hint; readonly by: Hand }

function remember(known: Known, { change, hint, by }: Written): void {
  const { head, reply } = change
  if (hint.due !== null) {
    known.indexedSeq = known.seq
    known.recent.moveTo(known.older)
  }
  known.isFresh = by === 'thread' && (known.isFresh || hint.due !== null)
  known.seq = head.seq
  known.minute = minuteOf(head.updatedAt)
  if (reply !== null) known.recent.add(keyOf(reply.commandId))
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
  const read = prepareRead(db, 'e.command_id AS commandId, e.reply IS NULL AS isBare')
  const look = (runId: string): Known | null => {
    const place = asRecordOrNull<Place>(find.get(runId))
    if (place === null) return null
    const { log, seq, minute, indexedSeq } = place
    const rows = read(log, indexedSeq, noLimit).filter((row) => row.isBare === 0)
    const recent = openKeyList()
    const older = place.isOlder === 1 ? null : openKeyFilter()
    for (const row of rows) recent.add(keyOf(String(row.commandId)))
    return { log, seq, minute, indexedSeq, older, recent, isFresh: false }
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
