/**
 * A decision while it is made: events are folded as they are recorded, so that later parts of one
 * command see earlier ones. Exists only during one call of `decide`.
 */
import type { RefusalCode } from '../errors.ts'
import type { Machine } from '../machine/machine.ts'
import type { OwnState } from './evolve.ts'
import { foldInto } from './evolve.ts'
import type { Decision, Effect, Envelope, Event, FieldIssue, Reply, RunState } from './types.ts'

export type DecisionBuilder = {
  readonly machine: Machine
  readonly envelope: Envelope
  /** A copy of its own, made with the first event; before that, the state it began with. */
  state: RunState
  own: OwnState | null
  events: Event[]
  effects: Effect[]
}

/** Why a command is not carried out. */
export type Refusal = {
  readonly code: RefusalCode
  readonly reason: string
  readonly hint: string
  readonly missing?: readonly string[]
  readonly issues?: readonly FieldIssue[]
}

/** A fresh draft on a state. */
export function openDecision(
  machine: Machine,
  state: RunState,
  envelope: Envelope,
): DecisionBuilder {
  return { machine, envelope, state, own: null, events: [], effects: [] }
}

/** Records a fact and folds it. */
export function emit(draft: DecisionBuilder, event: Event): void {
  if (draft.own === null) {
    draft.own = { ...draft.state }
    draft.state = draft.own
  }
  draft.events.push(event)
  foldInto(draft.own, event)
}

/** A copy to come back to. */
export function markDecision(draft: DecisionBuilder): DecisionBuilder {
  const { events, effects, state } = draft
  return { ...draft, state: { ...state }, own: null, events: [...events], effects: [...effects] }
}

/** Takes back everything since the mark. */
export function rewindDecision(draft: DecisionBuilder, mark: DecisionBuilder): void {
  draft.state = mark.state
  draft.own = null
  draft.events = [...mark.events]
  draft.effects = [...mark.effects]
}

/** The decision a draft has become. */
export function closeDecision(draft: DecisionBuilder, reply: Reply): Decision {
  return { events: draft.events, reply, effects: draft.effects, state: draft.state }
}

const accepted: Reply = { kind: 'accepted' }

/** Accepted, with all that was recorded. */
export function acceptCommand(draft: DecisionBuilder): Decision {
  return closeDecision(draft, accepted)
}

/** Refused: nothing of the command remains. */
export function refuseCommand(state: RunState, refusal: Refusal): Decision {
  return { events: [], reply: { kind: 'refused', ...refusal }, effects: [], state }
}
