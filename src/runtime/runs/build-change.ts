/**
 * From a decision to what is kept of it: records with their place in the chain, the projections
 * they change, the reply, and what is owed.
 */
import type { Answered, Family } from '../../core/engine/family.ts'
import type { Actor, Event } from '../../core/engine/types.ts'
import type { Change, EventRecord, Owed, RunHead } from '../ports.ts'
import { cutEvent } from '../truncate.ts'
import { chained } from './hash-chain.ts'
import type { LoadedRun } from './load-run.ts'
import { approvalsOf, type Beginning, headOf, type Pins, snapshotOf } from './projections.ts'
import { keepReply } from './stored-reply.ts'

/** Records between two kept folds: what has to be folded when a run is opened. */
const snapshotEvery = 256

export type Kept = {
  readonly runId: string
  readonly commandId: string
  /** Whether the caller may send the same id again. */
  readonly isNamed: boolean
  /** What was asked, so that the same id is no answer to another question. */
  readonly asked: unknown
  readonly at: number
  readonly actor: Actor
  readonly owes: Owes
}

/**
 * What people outside are owed for what was recorded, beside what the engine owes itself; kept
 * together with it or not at all.
 */
export type Owes = (facts: {
  readonly head: RunHead
  readonly recorded: Answered['recorded']
}) => readonly Pick<Owed, 'kind' | 'data'>[]

/** Where a log stands before a command; a new one stands at its beginning. */
export type Standing = {
  readonly family: Family | null
  readonly seq: number
  readonly hash: string
  /** When it was last changed. */
  readonly at: number
  readonly beginning: Beginning
  readonly library: Pins
  readonly snapshotSeq: number
}

export function standingOf(run: LoadedRun): Standing {
  const { family, head, library, snapshotSeq } = run
  const { seq, hash, updatedAt } = head
  return { family, seq, hash, at: updatedAt, beginning: head, library, snapshotSeq }
}

/** The change that keeps a decision, and the run as it is once that is kept. */
export function changeOf(
  answered: Answered,
  standing: Standing,
  kept: Kept,
): { readonly change: Change; readonly run: LoadedRun } {
  const { family, recorded, reply } = answered
  const { runId, commandId, at, actor } = kept
  const by = `${actor.kind}:${actor.name}`
  const events: EventRecord[] = []
  let { seq, hash } = standing
  const stored: Event[] = []
  for (const { runId: member, event } of recorded) {
    seq += 1
    const cut = cutEvent(event)
    stored.push(cut)
    const data = JSON.stringify(cut)
    const record = { seq, member, type: event.type, data, at, actor: by, commandId }
    const linked = chained(runId, hash, record)
    events.push(linked)
    hash = linked.hash
  }
  // WHY: a head tells of its log and of nothing else, so that it can be rebuilt.
  const changedAt = events.length === 0 ? standing.at : at
  const head = headOf(family, { seq, hash, at: changedAt }, standing.beginning)
  const isDue = seq - standing.snapshotSeq >= snapshotEvery
  const snapshot = isDue ? snapshotOf(family, standing.library, { seq, hash }) : null
  const debts = [
    ...answered.effects.map((effect) => ({ kind: effect.type, data: JSON.stringify(effect) })),
    ...kept.owes({ head, recorded }),
  ]
  const change: Change = {
    runId,
    expectedSeq: standing.seq,
    head,
    events,
    reply: kept.isNamed ? { commandId, text: keepReply({ seq, reply }, kept.asked, stored) } : null,
    approvals: approvalsOf(standing.family, family, { recorded, at }),
    owed: debts.map(({ kind, data }, index) => {
      const id = `${runId}:e${seq}.${index}`
      return { id, runId, kind, data, dueAt: at, attempts: 0 }
    }),
    snapshot,
  }
  const snapshotSeq = snapshot === null ? standing.snapshotSeq : seq
  return { change, run: { family, head, library: standing.library, snapshotSeq } }
}
