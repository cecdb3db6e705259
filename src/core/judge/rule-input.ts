/**
 * A call, with everything that rules look at to answer it.
 * Must not judge.
 */
import type { Call, FamilyContext, Grant, RunState } from '../engine/types.ts'
import type { WorkspaceState } from '../evidence/meets-requirement.ts'
import type { RecordedEvidence } from '../evidence/recorded-evidence.ts'
import { own } from '../json.ts'
import type { Machine, Stage } from '../machine/machine.ts'
import { findGrant } from './grants.ts'
import {
  asks,
  type Consulted,
  consultPolicies,
  demandsIn,
  limitsIn,
  type PlacedLimit,
} from './policy-layers.ts'
import { asksAsRepeated } from './repeat-rule.ts'
import type { JudgingExtent, RuleAnswer } from './rule-answer.ts'
import { availabilityOf, type CallAvailability } from './rule-on-run-status.ts'

/** What a call is judged by. */
export type JudgingContext = {
  readonly machine: Machine
  readonly state: RunState
  readonly at: number
  readonly around: FamilyContext
  /** What the call may cost, as its maker says; absent: nobody said. */
  readonly estimateMicroUsd?: number
  /** What was seen of commands, and how the workspace is now; absent: nothing is known. */
  readonly seen?: EvidenceSeen
  /** Whom the call may wait for, and the id under which it has waited; absent: for nobody. */
  readonly asker?: CallAsker
}

export type EvidenceSeen = {
  readonly recorded: readonly RecordedEvidence[]
  /** Absent: nobody looked, so nothing is fresh. */
  readonly workspace?: WorkspaceState | undefined
}

export type CallAsker = {
  /** Callers whose calls it may wait for; see `CallPatience`. */
  readonly behind?: readonly string[]
  readonly waitId?: string
}

/** Nothing is known of other runs, and nothing of what was used. */
export const nothingAround: FamilyContext = {
  policies: [],
  above: [],
  below: { callsCount: 0, costMicroUsd: 0 },
  meters: null,
}

export type RuleInput = {
  readonly context: JudgingContext
  readonly machine: Machine
  readonly state: RunState
  readonly call: Call
  readonly extent: JudgingExtent
  /** Undefined: there is no such stage. */
  readonly stage: Stage | undefined
  readonly standing: CallAvailability
  /** What every policy says of the call; found out once, and only where it is needed. */
  readonly policies: () => readonly Consulted[]
  /** The limits of policies that the call counts against once it is let through. */
  readonly limits: () => readonly PlacedLimit[]
  /** The rules of policies that demand something of the past of such a call. */
  readonly demands: () => readonly PlacedLimit[]
  /** The yes of the person who was asked about this very call; null: there is none. */
  readonly grant: () => Grant | null
}

/** A rule of the list: what it says of a call. None: it does not speak of such calls. */
export type Rule = (question: RuleInput) => readonly RuleAnswer[]

/** What is asked of the rules about a call. */
export function ruleInputFor(
  call: Call,
  context: JudgingContext,
  extent: JudgingExtent,
): RuleInput {
  const { machine, state, at } = context
  const stage = own(machine.stages, state.stage)
  let consulted: readonly Consulted[] | null = null
  let grant: Grant | null | undefined
  const policies = (): readonly Consulted[] => {
    consulted ??= consultPolicies(context, call)
    return consulted
  }
  let limits: readonly PlacedLimit[] | null = null
  let demands: readonly PlacedLimit[] | null = null
  return {
    context,
    machine,
    state,
    call,
    extent,
    stage,
    standing: availabilityOf({ machine, state, stage }),
    policies,
    limits: () => {
      limits ??= limitsIn(policies())
      return limits
    },
    demands: () => {
      demands ??= demandsIn(policies(), call)
      return demands
    },
    grant: () => {
      if (grant === undefined) {
        const isAsked = policies().some(asks) || asksAsRepeated(context, call)
        grant = isAsked ? findGrant(state.grants, call, at) : null
      }
      return grant
    },
  }
}
