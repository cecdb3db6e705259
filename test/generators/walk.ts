/**
 * Leads a family through planned steps and keeps everything that was seen on the way.
 * All that goes into the engine is frozen: a change in place throws and fails the walk.
 */

import { type View, viewMember } from '../../src/core/dialects/run-view.ts'
import { type AgentSignal, toCommand } from '../../src/core/dialects/to-command.ts'
import type { Context, Family, FamilyDecision, FamilyMember } from '../../src/core/engine/family.ts'
import {
  commandFamily,
  mainOf,
  memberOfBranch,
  openLeaf,
  startFamily,
} from '../../src/core/engine/family.ts'
import type { Actor, Command } from '../../src/core/engine/types.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Field } from '../../src/core/machine/machine.ts'
import { readCall } from '../../src/core/tools/read-call.ts'
import type { StepPlan } from './commands.ts'
import { deepFreeze, type Setup } from './compile-generated.ts'
import { pick } from './generator-helpers.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const person: Actor = { kind: 'person', name: 'ada' }
const system: Actor = { kind: 'system', name: 'clock' }

export type Step = {
  /** Null for the start. */
  readonly before: Family | null
  readonly command: Command
  readonly branch: string | null
  readonly actor: Actor
  readonly answered: FamilyDecision
}

export type Trace = { readonly setup: Setup; readonly steps: readonly Step[] }

/** The family after the last step. */
export function lastFamily(trace: Trace): Family {
  const last = trace.steps.at(-1)
  if (last === undefined) throw new Error('bug: a trace begins with its start')
  return last.answered.family
}

/** Starts a run and takes every step; a start that is refused is the whole trace. */
export function walk(setup: Setup, plans: readonly StepPlan[]): Trace {
  const { machine, library } = setup
  let at = 1_000
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const started = startFamily({ runId: 'run', machine }, start, { library, at, actor: agent })
  deepFreeze(started)
  const steps: Step[] = [
    { before: null, command: start, branch: null, actor: agent, answered: started },
  ]
  if (started.reply.kind === 'refused') return { setup, steps }
  let family = started.family
  for (const plan of plans) {
    at += 1_000
    const step = take(family, plan, { library, at })
    steps.push(step)
    family = step.answered.family
  }
  return { setup, steps }
}

function take(family: Family, plan: StepPlan, where: Omit<Context, 'actor'>): Step {
  const branch = branchOf(family, plan.branch)
  const addressed =
    branch === null ? mainOf(family) : (memberOfBranch(family, branch) ?? mainOf(family))
  const { command, actor } = commandOf(plan, family, addressed)
  deepFreeze(command)
  const answered = commandFamily(family, { command, branch }, { ...where, actor })
  return { before: family, command, branch, actor, answered: deepFreeze(answered) }
}

function branchOf(family: Family, number: number | null): string | null {
  const names = family.members.flatMap((member) => member.state.branch?.name ?? [])
  if (number === null || number % 3 === 0) return null
  return pick([...names, 'nobody'], number)
}

type ActorCommand = { readonly command: Command; readonly actor: Actor }

function actorOf(by: 'agent' | 'person'): Actor {
  return by === 'agent' ? agent : person
}

function commandOf(plan: StepPlan, family: Family, addressed: FamilyMember): ActorCommand {
  const leaf = openLeaf(family, addressed)
  switch (plan.kind) {
    case 'known':
    case 'submit':
    case 'unknown':
    case 'stale':
      return { command: spoken(plan, family, addressed), actor: agent }
    case 'nudge':
      return nudge(plan, family, addressed)
    case 'call':
      return {
        command: {
          type: 'CheckCall',
          call: readCall(plan, { machine: leaf.machine, workspace: '/workspace' }),
        },
        actor: agent,
      }
    case 'report':
      return { command: reportOf(plan, leaf), actor: agent }
    case 'resolve': {
      const approvalId = idOf(plan.id, leaf)
      const command = {
        type: 'ResolveApproval',
        approvalId,
        granted: plan.granted,
        note: 'so be it',
      } as const
      return { command, actor: actorOf(plan.by) }
    }
    case 'expire':
      return {
        command: { type: 'ExpireApproval', approvalId: idOf(plan.id, leaf) ?? '' },
        actor: system,
      }
    case 'pause':
      return { command: { type: 'PauseRun', release: plan.release }, actor: actorOf(plan.by) }
    case 'resume':
      return { command: { type: 'ResumeRun' }, actor: actorOf(plan.by) }
    case 'cancel':
      return { command: { type: 'CancelRun', reason: 'enough' }, actor: person }
    case 'force': {
      const stage = pick([...Object.keys(addressed.machine.stages), '__proto__'], plan.stage)
      return { command: { type: 'ForceStage', stage, vars: plan.vars }, actor: actorOf(plan.by) }
    }
    case 'finish':
      return { command: { type: 'FinishBranch', branch: plan.name }, actor: agent }
  }
}

function nudge(
  plan: Extract<StepPlan, { kind: 'nudge' }>,
  family: Family,
  addressed: FamilyMember,
): ActorCommand {
  const { state } = openLeaf(family, addressed)
  if (state.pause !== null) return { command: { type: 'ResumeRun' }, actor: person }
  if (state.approval !== null) {
    const granted = plan.signal % 4 !== 0
    const command = { type: 'ResolveApproval', approvalId: null, granted, note: '' } as const
    return { command, actor: person }
  }
  return { command: spoken({ ...plan, kind: 'known' }, family, addressed), actor: agent }
}

function idOf(id: 'none' | 'right' | 'wrong', leaf: FamilyMember): string | null {
  if (id === 'none') return null
  return id === 'wrong' ? 'run:a0' : (leaf.state.approval?.id ?? 'run:a0')
}

function reportOf(plan: Extract<StepPlan, { kind: 'report' }>, leaf: FamilyMember): Command {
  const open = leaf.state.openCalls
  const callId = plan.call === null || open.length === 0 ? null : pick(open, plan.call).callId
  const { ok, output, bytes } = plan
  return {
    type: 'ReportCall',
    callId,
    report: { ok, output, exitCode: ok ? 0 : 1, bytes, costMicroUsd: 10 },
  }
}

type Speaking = Extract<StepPlan, { kind: 'known' | 'submit' | 'unknown' | 'stale' }>

function spoken(plan: Speaking, family: Family, addressed: FamilyMember): Command {
  const { machine } = openLeaf(family, addressed)
  const view = viewMember(family, addressed)
  if (plan.kind === 'unknown') {
    return { type: 'SendSignal', name: plan.name, data: plan.data, expectStage: null, goTo: null }
  }
  if (plan.kind === 'stale') {
    const name = view.signals.length === 0 ? '' : pick(view.signals, plan.signal)
    return { type: 'SendSignal', name, data: null, expectStage: `${view.stage}?`, goTo: null }
  }
  if (machine.dialect === 'steps')
    return toCommand(machine, submission(plan, view, Object.keys(machine.stages)))
  const number = plan.kind === 'known' ? plan.signal : 0
  const data = plan.kind === 'known' ? plan.data : plan.inputs
  const name = view.signals.length === 0 ? 'GO' : pick(view.signals, number)
  return toCommand(machine, utter(view, name, data))
}

/** A signal of a view, in the way its dialect says it. */
export function utter(
  view: Pick<View, 'dialect'>,
  name: string,
  data: JsonObject | null,
): AgentSignal {
  if (view.dialect === 'process') return { kind: 'answer', answer: name, stage: null }
  if (view.dialect === 'steps') return { kind: 'submit', inputs: data ?? {}, goTo: null }
  return { kind: 'signal', name, data }
}

function submission(
  plan: Extract<StepPlan, { kind: 'known' | 'submit' }>,
  view: View,
  stages: readonly string[],
): AgentSignal {
  if (plan.kind === 'known') return { kind: 'submit', inputs: fitting(view.fields), goTo: null }
  const inputs = plan.fit ? { ...plan.inputs, ...fitting(view.fields) } : plan.inputs
  const goTo =
    plan.goTo === null || plan.goTo % 2 === 0 ? null : pick([...stages, 'nowhere'], plan.goTo)
  return { kind: 'submit', inputs, goTo }
}

/** What each field most likely takes. */
export function fitting(fields: readonly Field[]): JsonObject {
  const inputs: Record<string, Json> = {}
  const byType = {
    string: 'pass',
    number: 1.5,
    integer: 2,
    boolean: true,
    object: {},
    array: [1],
    null: null,
  }
  for (const field of fields) {
    const isDate = field.format === 'date' && field.type === 'string' && field.enum === null
    inputs[field.name] = isDate ? '2026-03-11' : byType[field.type]
  }
  return inputs
}
