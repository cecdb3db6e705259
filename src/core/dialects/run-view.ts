/**
 * A run as the agent or a person sees it: a machine and a state turned back into the words of the
 * author. Only reads.
 */

import type { Family, FamilyMember } from '../engine/family.ts'
import { moneyHeldBy, openLeaf } from '../engine/family.ts'
import { hasEnded } from '../engine/is-running.ts'
import { judgingContextOf } from '../engine/judging-context.ts'
import { warnedPercents } from '../engine/model-spend.ts'
import { checkFields } from '../engine/signal-fields.ts'
import type { RunState, Status } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import { own } from '../json.ts'
import { isObservedByPolicy } from '../judge/observe-mode.ts'
import type { Field, Machine, Policy, Stage } from '../machine/machine.ts'
import type { Presentation } from './presentation.ts'
import { presentProcess } from './process/present.ts'
import { type RuleSummary, summarizeRules } from './rule-summary.ts'
import { withRules } from './rules-text.ts'
import { presentSteps } from './steps/present.ts'
import { presentWorkflow } from './workflow/present.ts'

export type View = {
  readonly runId: string
  readonly name: string
  readonly dialect: Machine['dialect']
  readonly stage: string
  readonly status: Status
  readonly reason: string
  /** What the agent is told, as one text, with the rules it is held to at its end. */
  readonly brief: string
  /** The author's first words about the stage, as they are written. */
  readonly goal: string
  readonly tools: 'all' | readonly string[]
  /** What the agent may send now. */
  readonly signals: readonly string[]
  /** Fields the stage asks for, and those still to be collected. */
  readonly fields: readonly Field[]
  readonly missing: readonly string[]
  /** Stages that the signal may name to go to; empty: it may not choose. */
  readonly goTo: readonly string[]
  /** The queued calls, oldest first; the first of them is the one to make next. */
  readonly pendingCalls: readonly QueuedToolCall[]
  readonly pendingCall: QueuedToolCall | null
  readonly approval: {
    readonly id: string
    readonly kind: 'move' | 'call'
    readonly message: string
  } | null
  readonly branches: { readonly [name: string]: string }
  /** Calls this stage still allows; null: not limited. */
  readonly callsLeft: number | null
  /** Bytes of results that it still takes; null: not limited. */
  readonly bytesLeft: number | null
  /** Money that was spent of the nearest budget; null: no budget holds here. */
  readonly budget: Budget | null
  /** Every rule that holds here, and what is left of it. */
  readonly rules: RuleSummary
  /** The agent has to call a tool before it replies: `toolChoice`. */
  readonly mustCall: boolean
  /** The queued call that is allowed, else the submission; null: the agent may choose. */
  readonly toolChoice: string | null
  /** Calls are judged and recorded, and not everything is enforced. */
  readonly observes: boolean
  /** The author lets a person put the run into any stage. */
  readonly hasDebug: boolean
  readonly vars: JsonObject
  readonly local: JsonObject
  readonly inputs: JsonObject
}

export type QueuedToolCall = { readonly name: string; readonly arguments: JsonObject }

export type Budget = {
  readonly spentMicroUsd: number
  readonly maxMicroUsd: number
  /** The share, in percent, of which a warning was given; 100: all is spent, 0: none yet. */
  readonly warned: number
}

const tellers = { process: presentProcess, workflow: presentWorkflow, steps: presentSteps } as const

/** What a view cannot know from a family: the policies laid over it, and the time. */
type ViewContext = { readonly policies: readonly Policy[]; readonly at: number }

const noContext: ViewContext = { policies: [], at: 0 }

/** The view of a member of a family: of the child it waits for, while it waits for one. */
export function viewMember(family: Family, addressed: FamilyMember, context = noContext): View {
  const leaf = openLeaf(family, addressed)
  const forking = [addressed, ...family.members].find(
    (member) =>
      member.state.fork !== null && (member === addressed || addressed.parentId === member.runId),
  )
  const branches: Record<string, string> = {}
  for (const branch of forking?.state.fork?.branches ?? []) branches[branch.name] = branch.status
  const { runId, machine, state } = leaf
  const around = judgingContextOf(family, leaf, context)
  const rules = summarizeRules({ machine, around, at: context.at }, state)
  const observes = state.observe === true || isObservedByPolicy(machine, around)
  const view = { ...viewRun(machine, state, rules), runId, branches, observes }
  // A run above that rests holds this one, whatever it says of itself.
  if (moneyHeldBy(family, leaf) !== leaf) return { ...view, status: 'paused', signals: [] }
  return view.status === 'running' ? { ...view, brief: withRules(view.brief, rules) } : view
}

/** The fullest of the budgets that hold for a run: its own, and those of the runs above it. */
function budgetOf({ budgets }: RuleSummary): Budget | null {
  const shareOf = (one: Budget): number => one.spentMicroUsd / one.maxMicroUsd
  const ofRuns = budgets
    .filter(({ period }) => period === 'run')
    .map(({ spentMicroUsd, maxMicroUsd }): Budget => {
      const reached = [...warnedPercents, 100].findLast(
        (one) => spentMicroUsd * 100 >= maxMicroUsd * one,
      )
      return { spentMicroUsd, maxMicroUsd, warned: reached ?? 0 }
    })
  return ofRuns.toSorted((a, b) => shareOf(b) - shareOf(a))[0] ?? null
}

type Alone = Omit<View, 'runId' | 'branches' | 'observes'>

/** The view of one run by itself. */
function viewRun(machine: Machine, state: RunState, rules: RuleSummary): Alone {
  const stage = own(machine.stages, state.stage) as Stage
  const told: Presentation = tellers[machine.dialect](machine, stage, state)
  const trigger = Object.values(stage.signals).find((one) => one.fields !== null)
  const fields = hasEnded(state) ? [] : (trigger?.fields ?? [])
  const pendingCalls = state.queuedCalls.map(({ tool, arguments: args }) => ({
    name: tool,
    arguments: args,
  }))
  const signals = state.status === 'running' ? told.signals : []
  const mustCall = stage.mustCall && signals.length > 0
  return {
    name: machine.name,
    dialect: machine.dialect,
    stage: state.stage,
    // A policy may ask about a call after the end, too: then a person is waited for.
    status: state.approval === null || state.pause !== null ? state.status : 'waiting',
    reason: (state.status === 'paused' ? state.pause?.reason : undefined) ?? state.reason,
    brief: told.brief,
    goal: stage.brief[0]?.text ?? '',
    tools: rules.tools,
    signals,
    fields,
    missing: checkFields(fields, state.inputs).missing,
    goTo: trigger?.canName && !hasEnded(state) ? Object.keys(machine.stages) : [],
    pendingCalls,
    pendingCall: pendingCalls[0] ?? null,
    approval: approvalOf(state),
    callsLeft: rules.calls?.left ?? null,
    bytesLeft: rules.bytes?.left ?? null,
    budget: budgetOf(rules),
    rules,
    mustCall,
    toolChoice: mustCall ? forcedTool(rules, pendingCalls, signals) : null,
    hasDebug: machine.hasDebug,
    vars: state.vars,
    local: state.local,
    inputs: state.inputs,
  }
}

/** A queued call comes first, if the stage allows its tool; then the submission. */
function forcedTool(
  { tools }: RuleSummary,
  pending: readonly QueuedToolCall[],
  signals: readonly string[],
): string | null {
  const allowed = pending.find(({ name }) => tools === 'all' || tools.includes(name))
  return allowed?.name ?? signals[0] ?? null
}

function approvalOf(state: RunState): View['approval'] {
  if (state.approval === null) return null
  const { id, kind, message } = state.approval
  return { id, kind, message }
}
