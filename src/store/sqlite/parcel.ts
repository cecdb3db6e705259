/**
 * A change on its way to the thread that writes it: one plain list of values.
 * WHY not the change itself, or its JSON: copied with all its names it costs three times as much.
 */
import type { Change, EventRecord } from '../../runtime/ports.ts'
import type { Hint } from './recall.ts'

/** A change and what is known of its run. */
export type HintedChange = { readonly change: Change; readonly hint: Hint | null }

type Value = string | number | boolean | null | Seldom
export type Parcel = readonly Value[]

/** What most changes do not have. */
type Seldom = Pick<Change, 'approvals' | 'owed' | 'snapshot'> & Pick<Hint, 'indexed'>

const commonCount = 22
const eventCount = 8

export function pack({ change, hint }: HintedChange): Parcel {
  const { head, reply, events } = change
  // WHY not put together from shorter lists: that takes six times as long.
  const values: Value[] = [
    change.runId,
    change.expectedSeq,
    head.id,
    head.machine,
    head.definition,
    head.dialect,
    head.workspace,
    head.status,
    head.stage,
    head.seq,
    head.hash,
    head.callsCount,
    head.costMicroUsd,
    head.startedAt,
    head.updatedAt,
    head.endedAt,
    reply?.commandId ?? null,
    reply?.text ?? null,
    hint?.log ?? null,
    hint?.minute ?? null,
    hint?.isOlder ?? null,
    seldomIn(change, hint?.indexed ?? null),
  ]
  for (const { seq, member, type, data, at, actor, commandId, hash } of events) {
    values.push(seq, member, type, data, at, actor, commandId, hash)
  }
  return values
}

function seldomIn(change: Change, indexed: Hint['indexed']): Seldom | null {
  const { approvals, owed, snapshot } = change
  const isPlain = approvals.length + owed.length === 0 && snapshot === null && indexed === null
  return isPlain ? null : { approvals, owed, snapshot, indexed }
}

const plain: Seldom = { approvals: [], owed: [], snapshot: null, indexed: null }

// WHY the casts: nobody but `pack` makes parcels.
export function unpack(parcel: Parcel): HintedChange {
  const { approvals, owed, snapshot, indexed } = (parcel[21] as Seldom | null) ?? plain
  const head = {
    id: parcel[2] as string,
    machine: parcel[3] as string,
    definition: parcel[4] as string,
    dialect: parcel[5] as string,
    workspace: parcel[6] as string | null,
    status: parcel[7] as string,
    stage: parcel[8] as string,
    seq: parcel[9] as number,
    hash: parcel[10] as string,
    callsCount: parcel[11] as number,
    costMicroUsd: parcel[12] as number,
    startedAt: parcel[13] as number,
    updatedAt: parcel[14] as number,
    endedAt: parcel[15] as number | null,
  }
  const [commandId, text] = [parcel[16] as string | null, parcel[17] as string]
  const log = parcel[18] as number | null
  const seen = { minute: parcel[19] as number, isOlder: parcel[20] as boolean, indexed }
  const reply = commandId === null ? null : { commandId, text }
  const [runId, expectedSeq] = [parcel[0] as string, parcel[1] as number]
  const events = eventsIn(parcel)
  return {
    change: { runId, expectedSeq, head, events, reply, approvals, owed, snapshot },
    hint: log === null ? null : { log, ...seen },
  }
}

function eventsIn(parcel: Parcel): readonly EventRecord[] {
  const events: EventRecord[] = []
  for (let at = commonCount; at < parcel.length; at += eventCount) {
    events.push({
      seq: parcel[at] as number,
      member: parcel[at + 1] as string,
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
