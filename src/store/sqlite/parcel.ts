/**
 * A change on its way to the thread that writes it: one plain list of values.
 * WHY not the change itself, or its JSON: copied with all its names it costs three times as much.
 */
import type { Change, EventRecord, RunHead } from '../../runtime/ports.ts'
import type { Hint } from './recall.ts'

/** A change and what is known of its run. */
export type HintedChange = { readonly change: Change; readonly hint: Hint | null }

type Value = string | number | boolean | null | Seldom
export type Parcel = readonly Value[]

/** What most changes do not have. */
type Seldom = Pick<Change, 'approvals' | 'owed' | 'snapshot'> & {
  /** Null: the run is there. */
  readonly pinned: Pinned | null
}

/** What is written with the first records of a run, and never again. */
type Pinned = Pick<RunHead, 'machine' | 'definition' | 'dialect' | 'workspace'>

const commonCount = 19
const eventCount = 8

/** Stands for a text that is in the parcel already: most of a change's texts are there twice. */
const same = null

/** INVARIANT: all arrives as it was, but for what a run is pinned to where the run is there. */
export function pack({ change, hint }: HintedChange): Parcel {
  const { runId, head, reply, events } = change
  const last = events.at(-1)
  // WHY not put together from shorter lists: that takes six times as long.
  const values: Value[] = [
    runId,
    change.expectedSeq,
    head.id === runId ? same : head.id,
    head.status,
    head.stage,
    head.seq,
    head.hash === last?.hash ? same : head.hash,
    head.callsCount,
    head.costMicroUsd,
    head.startedAt,
    head.updatedAt,
    head.endedAt,
    reply?.commandId === last?.commandId ? same : (reply?.commandId ?? null),
    reply?.text ?? null,
    hint?.log ?? null,
    hint?.minute ?? null,
    hint?.isOlder ?? null,
    hint?.due ?? null,
    seldomIn(change),
  ]
  for (const { seq, member, type, data, at, actor, commandId, hash } of events) {
    values.push(seq, member === runId ? same : member, type, data, at, actor, commandId, hash)
  }
  return values
}

function seldomIn(change: Change): Seldom | null {
  const { approvals, owed, snapshot, expectedSeq } = change
  const isPlain = approvals.length + owed.length === 0 && snapshot === null
  if (isPlain && expectedSeq > 0) return null
  const { machine, definition, dialect, workspace } = change.head
  const pinned = expectedSeq > 0 ? null : { machine, definition, dialect, workspace }
  return { approvals, owed, snapshot, pinned }
}

const plain: Seldom = { approvals: [], owed: [], snapshot: null, pinned: null }
const unsaid: Pinned = { machine: '', definition: '', dialect: '', workspace: null }

// WHY the casts: nobody but `pack` makes parcels.
export function unpack(parcel: Parcel): HintedChange {
  const { approvals, owed, snapshot, pinned } = (parcel[18] as Seldom | null) ?? plain
  const { machine, definition, dialect, workspace } = pinned ?? unsaid
  const [runId, expectedSeq] = [parcel[0] as string, parcel[1] as number]
  const events = eventsIn(parcel, runId)
  const last = events.at(-1)
  const head = {
    id: (parcel[2] as string | null) ?? runId,
    machine,
    definition,
    dialect,
    workspace,
    status: parcel[3] as string,
    stage: parcel[4] as string,
    seq: parcel[5] as number,
    hash: (parcel[6] as string | null) ?? (last?.hash as string),
    callsCount: parcel[7] as number,
    costMicroUsd: parcel[8] as number,
    startedAt: parcel[9] as number,
    updatedAt: parcel[10] as number,
    endedAt: parcel[11] as number | null,
  }
  const text = parcel[13] as string | null
  const commandId = (parcel[12] as string | null) ?? (last?.commandId as string)
  const log = parcel[14] as number | null
  const minute = parcel[15] as number
  const [isOlder, due] = [parcel[16] as boolean, parcel[17] as Hint['due']]
  const reply = text === null ? null : { commandId, text }
  return {
    change: { runId, expectedSeq, head, events, reply, approvals, owed, snapshot },
    hint: log === null ? null : { log, minute, isOlder, due },
  }
}

function eventsIn(parcel: Parcel, runId: string): readonly EventRecord[] {
  const events: EventRecord[] = []
  for (let at = commonCount; at < parcel.length; at += eventCount) {
    events.push({
      seq: parcel[at] as number,
      member: (parcel[at + 1] as string | null) ?? runId,
      type: parcel[at + 2] as string,
      data: parcel[at + 3] as string,
      at: parcel[at + 4] as number,
      actor: parcel[at + 5] as string,
      commandId: parcel[at + 6] as string,
      hash: parcel[at + 7] as string,
    })
  }
  return events
}
