/**
 * A walk through a definition: a family of runs and everything that was done to it so far.
 * A walk never changes; each input gives a new one, so going back is keeping the old one.
 * Knows runs and cases. Must not know lines, colours or terminals.
 */
import { assertNever } from '../core/assert.ts'
import { type View, viewMember } from '../core/dialects/run-view.ts'
import { type AgentSignal, toCommand } from '../core/dialects/to-command.ts'
import type {
  Family,
  FamilyDecision,
  FamilyMember,
  Library,
  Recorded,
} from '../core/engine/family.ts'
import {
  commandFamily,
  mainOf,
  memberOfBranch,
  openLeaf,
  startFamily,
} from '../core/engine/family.ts'
import { newSession } from '../core/engine/session-past.ts'
import type { Actor, Command, Reply, Report } from '../core/engine/types.ts'
import type { JsonObject } from '../core/json.ts'
import type { Machine, Policy } from '../core/machine/machine.ts'
import { readCall } from '../core/tools/read-call.ts'

/** One thing done to a run. The same verbs as in a case, so that a walk can become one. */
export type WalkAction = { readonly branch: string | null } & (
  | { readonly kind: 'signal'; readonly name: string; readonly data: JsonObject | null }
  | { readonly kind: 'answer'; readonly answer: string }
  | { readonly kind: 'submit'; readonly inputs: JsonObject; readonly goTo: string | null }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonObject }
  | { readonly kind: 'report'; readonly report: Partial<Report> }
  | { readonly kind: 'approve' | 'refuse'; readonly note: string }
  | { readonly kind: 'pause'; readonly by: WalkActor; readonly release: boolean }
  | { readonly kind: 'resume'; readonly by: WalkActor }
  | { readonly kind: 'force'; readonly stage: string; readonly vars: JsonObject }
  | { readonly kind: 'wait'; readonly time: string }
  | { readonly kind: 'look' }
)

export type WalkActor = 'agent' | 'person'

export type WalkSetting = {
  readonly machine: Machine
  readonly library: Library
  readonly stage: string | null
  readonly vars: JsonObject
  /** Laid over the run, the highest authority first. */
  readonly policies: readonly Policy[]
}

/** What was done, and what was seen after it. */
export type Moment = {
  readonly act: WalkAction
  readonly reply: Reply
  readonly recorded: readonly Recorded[]
  /** Of the run that was addressed. */
  readonly view: View
}

export type Walk = {
  readonly setting: WalkSetting
  readonly family: Family
  readonly at: number
  /** The first one is the start. */
  readonly moments: readonly [Moment, ...Moment[]]
}

/** Inputs of one walk. */
export const momentsMax = 5_000

/** Where relative paths begin: the place cases use too. */
export const workspace = '/workspace'

// WHY the same clock as in a case: a saved walk must see the same hours and days.
const clockStart = Date.UTC(2026, 2, 11, 10, 30)

const agent: Actor = { kind: 'agent', name: 'agent' }
const person: Actor = { kind: 'person', name: 'person' }

/** Begins a walk; a definition may refuse the stage it should begin in. */
export function startWalk(setting: WalkSetting): Walk | Extract<Reply, { kind: 'refused' }> {
  const { machine, library, stage, vars, policies } = setting
  const at = clockStart
  const started = startFamily(
    { runId: 'play', machine },
    { type: 'StartRun', stage, vars, branch: null },
    { library, at, actor: agent, policies },
  )
  if (started.reply.kind === 'refused') return started.reply
  const { family, reply, recorded } = started
  const view = viewMember(family, mainOf(family), { policies, at })
  const act: WalkAction = { kind: 'look', branch: null }
  return { setting, family, at, moments: [{ act, reply, recorded, view }] }
}

/** Does one thing; what the definition refuses is a moment of the walk as well. */
export function takeAct(walk: Walk, act: WalkAction): Walk {
  const at = walk.at + (act.kind === 'wait' ? millisecondsOf(act.time) : 0)
  const { family, reply, recorded } = perform(walk, act, at)
  const { policies } = walk.setting
  const view = viewMember(family, addressed(family, act.branch), { policies, at })
  return { ...walk, family, at, moments: [...walk.moments, { act, reply, recorded, view }] }
}

/** The last thing that happened. */
export function lastMoment(walk: Walk): Moment {
  return walk.moments.at(-1) as Moment
}

/** The run a name stands for: a branch, or the main run when there is no such branch. */
export function addressed(family: Family, branch: string | null): FamilyMember {
  return (branch === null ? undefined : memberOfBranch(family, branch)) ?? mainOf(family)
}

/** The run that would hear an input now. */
export function listeningMember(walk: Walk, branch: string | null): FamilyMember {
  return openLeaf(walk.family, addressed(walk.family, branch))
}

/** What the walk looks like now, from the main run or from a branch. */
export function viewNow(walk: Walk, branch: string | null): View {
  const { policies } = walk.setting
  return viewMember(walk.family, addressed(walk.family, branch), { policies, at: walk.at })
}

function perform(walk: Walk, act: WalkAction, at: number): FamilyDecision {
  const { family, setting } = walk
  const { library, policies } = setting
  if (act.kind === 'look' || act.kind === 'wait') {
    return { family, reply: { kind: 'accepted' }, recorded: [], effects: [] }
  }
  const { command, actor } = commandOf(act, listeningMember(walk, act.branch).machine)
  const context = { library, at, actor, policies, session: newSession }
  return commandFamily(family, { command, branch: act.branch }, context)
}

type ActorCommand = { readonly command: Command; readonly actor: Actor }
type Acting = Exclude<WalkAction, { kind: 'look' | 'wait' }>

function commandOf(act: Acting, machine: Machine): ActorCommand {
  switch (act.kind) {
    case 'signal':
    case 'answer':
    case 'submit':
      return { command: toCommand(machine, utteranceOf(act)), actor: agent }
    case 'call':
      return {
        command: { type: 'CheckCall', call: readCall(act, { machine, workspace }) },
        actor: agent,
      }
    case 'report': {
      const report = { ...plainReport, ...act.report }
      return { command: { type: 'ReportCall', callId: null, report }, actor: agent }
    }
    case 'approve':
    case 'refuse': {
      const granted = act.kind === 'approve'
      const { note } = act
      return {
        command: { type: 'ResolveApproval', approvalId: null, granted, note },
        actor: person,
      }
    }
    case 'pause':
      return { command: { type: 'PauseRun', release: act.release }, actor: actorOf(act.by) }
    case 'resume':
      return { command: { type: 'ResumeRun' }, actor: actorOf(act.by) }
    case 'force':
      return {
        command: { type: 'ForceStage', stage: act.stage, vars: act.vars },
        actor: person,
      }
    default:
      return assertNever(act)
  }
}

const plainReport: Report = { ok: true, output: null, exitCode: null, bytes: null, costMicroUsd: 0 }

function utteranceOf(
  act: Extract<WalkAction, { kind: 'signal' | 'answer' | 'submit' }>,
): AgentSignal {
  switch (act.kind) {
    case 'signal':
      return { kind: 'signal', name: act.name, data: act.data }
    case 'answer':
      return { kind: 'answer', answer: act.answer, stage: null }
    case 'submit':
      return { kind: 'submit', inputs: act.inputs, goTo: act.goTo }
    default:
      return assertNever(act)
  }
}

function actorOf(by: WalkActor): Actor {
  return by === 'agent' ? agent : person
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A time as cases spell it: `500ms`, `61s`, `2h`, `1d`. */
export const timePattern = /^(\d{1,6})(ms|s|m|h|d)$/

function millisecondsOf(time: string): number {
  const [, count, unit] = timePattern.exec(time) ?? []
  return Number(count ?? 0) * units[(unit ?? 'ms') as keyof typeof units]
}
