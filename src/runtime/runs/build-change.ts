/**
 * Turns a decision into a change of the store: records with their place in the hash chain, the
 * projections they change, the reply, and items for the outbox.
 */
import type { Family, FamilyDecision } from '../../core/engine/family.ts'
import type { Actor, Event } from '../../core/engine/types.ts'
import type { EventRecord, OutboxItem, RunChange, RunHead, Snapshot } from '../ports.ts'
import { printBinds } from '../record/binds.ts'
import { truncateEvent } from '../truncate.ts'
import { chained } from './hash-chain.ts'
import type { LoadedRun } from './load-run.ts'
import { approvalsOf, type Beginning, headOf, type Pins, snapshotOf } from './projections.ts'
import { printReplyRecord } from './stored-reply.ts'

/** Records between two kept folds: what has to be folded when a run is opened. */
const snapshotEvery = 256

export type DecisionContext = {
  readonly runId: string
  readonly commandId: string
  /** Whether the caller may send the same id again. */
  readonly isNamed: boolean
  /** What was asked, so that the same id is no answer to another question. */
  readonly asked: unknown
  readonly at: number
  readonly actor: Actor
  readonly outboxFor: OutboxSource
}

/**
 * Items for the outbox besides the effects of the engine, such as notifications. Stored in the
 * same transaction as the records, or not at all.
 */
export type OutboxSource = (facts: {
  readonly head: Omit<RunHead, 'hash'>
  readonly recorded: FamilyDecision['recorded']
}) => readonly Pick<OutboxItem, 'kind' | 'data'>[]

/** Where a log stands before a command; a new one stands at its beginning. */
export type LogPosition = {
  readonly family: Family | null
  readonly seq: number
  readonly hash: string
  /** When it was last changed. */
  readonly at: number
  readonly beginning: Beginning
  readonly library: Pins
  readonly snapshotSeq: number
}

export function logPositionOf(run: LoadedRun): LogPosition {
  const { family, head, library, snapshotSeq } = run
  const { seq, hash, updatedAt } = head
  return { family, seq, hash, at: updatedAt, beginning: head, library, snapshotSeq }
}

/** The change that keeps a decision, and the run as it is once that is kept. */
export function buildChange(
  answered: FamilyDecision,
  standing: LogPosition,
  kept: DecisionContext,
): { readonly change: RunChange; readonly run: LoadedRun } {
  const { family, recorded, reply } = answered
  const { runId, commandId, at } = kept
  const seq = standing.seq + recorded.length
  const stored = recorded.map(({ event }) => truncateEvent(event))
  const replyText = kept.isNamed ? printReplyRecord({ seq, reply }, kept.asked, stored) : null
  // WHY: a head tells of its log and of nothing else, so that it can be rebuilt.
  const changedAt = recorded.length === 0 ? standing.at : at
  const { hash: _, ...facts } = headOf(
    family,
    { seq, hash: standing.hash, at: changedAt },
    standing.beginning,
  )
  const items = [
    ...answered.effects.map((effect) => ({ kind: effect.type, data: JSON.stringify(effect) })),
    ...kept.outboxFor({ head: facts, recorded }),
  ]
  const outbox = items.map(({ kind, data }, index) => {
    const id = `${runId}:e${seq}.${index}`
    return { id, runId, kind, data, dueAt: at, attempts: 0 }
  })
  const isDue = recorded.length > 0 && seq - standing.snapshotSeq >= snapshotEvery
  const take = (before: string): Snapshot | null =>
    isDue ? snapshotOf(family, standing.library, { seq, before, beginning: facts }) : null
  const rows = { reply: replyText, outbox, take }
  const { events, hash, snapshot } = chainRecords({ recorded, stored, rows }, standing, kept)
  const head = { ...facts, hash }
  const change: RunChange = {
    runId,
    expectedSeq: standing.seq,
    head,
    events,
    reply: replyText === null ? null : { commandId, text: replyText },
    approvals: approvalsOf(standing.family, family, { recorded, at }),
    outbox,
    snapshot,
  }
  const snapshotSeq = snapshot === null ? standing.snapshotSeq : seq
  return { change, run: { family, head, library: standing.library, snapshotSeq } }
}

type Unchained = {
  readonly recorded: FamilyDecision['recorded']
  /** The events as the log keeps them. */
  readonly stored: readonly Event[]
  /** What is stored with them, and bound by the last of them. */
  readonly rows: {
    readonly reply: string | null
    readonly outbox: readonly OutboxItem[]
    readonly take: (before: string) => Snapshot | null
  }
}

function chainRecords(
  { recorded, stored, rows }: Unchained,
  standing: LogPosition,
  { runId, commandId, at, actor }: DecisionContext,
): { readonly events: EventRecord[]; readonly hash: string; readonly snapshot: Snapshot | null } {
  const by = `${actor.kind}:${actor.name}`
  const events: EventRecord[] = []
  let { seq, hash } = standing
  let snapshot: Snapshot | null = null
  for (const [index, { runId: member, event }] of recorded.entries()) {
    seq += 1
    let binds: string | null = null
    if (index === recorded.length - 1) {
      snapshot = rows.take(hash)
      binds = printBinds({ ...rows, snapshot: snapshot?.state ?? null })
    }
    const data = JSON.stringify(stored[index])
    const record = { seq, member, type: event.type, data, at, actor: by, commandId, binds }
    const linked = chained(runId, hash, record)
    events.push(linked)
    hash = linked.hash
  }
  return { events, hash, snapshot }
}
