/**
 * A run and its child runs as one unit: finds the run that a command belongs to, starts and
 * cancels children, and notifies a parent when a child has ended. Pure: a family is data, and one
 * command gives the events of every run it touched.
 */

import type { WorkspaceState } from '../evidence/meets-requirement.ts'
import { emptyRecord, type Json, type JsonObject, own } from '../json.ts'
import type { Machine, Policy, Source } from '../machine/machine.ts'
import { type ProofLevel, strongestProof } from '../machine/proof-levels.ts'
import type { Meters } from '../policy/meters.ts'
import { foldMeters, noMeters } from '../policy/meters.ts'
import type { WrittenValues } from './command.ts'
import { decide } from './decide.ts'
import { evidenceAround } from './evidence-around.ts'
import { unborn } from './evolve.ts'
import { hasEnded } from './is-running.ts'
import { judgingContextOf } from './judging-context.ts'
import type { SessionPast } from './session-past.ts'
import type {
  Actor,
  Command,
  Decision,
  Effect,
  Envelope,
  Event,
  Reply,
  RunState,
  StartRun,
} from './types.ts'

export type FamilyMember = {
  readonly runId: string
  readonly parentId: string | null
  readonly machine: Machine
  readonly state: RunState
}

export type Family = {
  readonly mainId: string
  /** In the order in which the runs began; the main run first. */
  readonly members: readonly FamilyMember[]
  /** What all of them together have used of policies' limits: a fork multiplies nothing. */
  readonly meters: Meters
}

/** Machines by the name an invoke uses. */
export type Library = (name: string) => Machine | undefined

export type Recorded = { readonly runId: string; readonly event: Event }

export type FamilyDecision = {
  readonly family: Family
  readonly reply: Reply
  readonly recorded: readonly Recorded[]
  readonly effects: readonly Effect[]
}

export type Context = {
  readonly library: Library
  readonly at: number
  readonly actor: Actor
  /** Laid over every run of the family, the highest authority first. Absent: none. */
  readonly policies?: readonly Policy[]
  /** How long a question to a person stays open. Absent: for ever. */
  readonly approvalMs?: number
  /** How decisions have to be proven at least. Absent: as definitions and policies say. */
  readonly proof?: ProofLevel
  /** How the workspace is now. Absent: no rule asks. */
  readonly workspace?: WorkspaceState
  /** What the session has done that makes a call. Absent: no rule asks, or nobody knows. */
  readonly session?: SessionPast
}

/** Child runs a family may have had; a loop that forks for ever ends here. */
export const familyMembersMax = 1_000

/** Invocations inside invocations. */
export const familyDepthMax = 16

/** Starts the main run of a new family. */
export function startFamily(
  main: { readonly runId: string; readonly machine: Machine },
  start: StartRun,
  context: Context,
): FamilyDecision {
  const { runId, machine } = main
  const member: FamilyMember = { runId, parentId: null, machine, state: unborn }
  const work = openWork({ mainId: runId, members: [member], meters: noMeters }, context)
  const reply = apply(work, member, start)
  return closeWork(work, reply)
}

/** Carries out a command; `branch` names the branch it is for, null the main run. */
export function commandFamily(
  family: Family,
  what: { readonly command: Command; readonly branch: string | null },
  context: Context,
): FamilyDecision {
  const work = openWork(family, context)
  const { command, branch } = what
  const addressed = branch === null ? mainOf(family) : memberOfBranch(family, branch)
  if (addressed === undefined) return closeWork(work, unknownBranch(branch ?? ''))
  if (command.type === 'FinishBranch')
    return closeWork(work, finish(work, openLeaf(family, addressed), command.branch))
  const target = isForWhole(command)
    ? addressed
    : (askerOf(family, addressed, command) ?? moneyHeldBy(family, openLeaf(family, addressed)))
  return closeWork(work, apply(work, target, command))
}

/** The member that a branch name means; null, or a branch that is not there: the main run. */
export function addressedMember(family: Family, branch: string | null): FamilyMember {
  return (branch === null ? undefined : memberOfBranch(family, branch)) ?? mainOf(family)
}

/** The run that is worked on now: the addressed one, or the child it waits for. */
export function openLeaf(family: Family, from: FamilyMember): FamilyMember {
  let member = from
  for (let depth = 0; depth <= familyDepthMax; depth += 1) {
    const childId = openChildId(member)
    const child = childId === null ? undefined : memberById(family, childId)
    if (child === undefined) return member
    member = child
  }
  return member
}

/** The main run of a family. */
export function mainOf(family: Family): FamilyMember {
  return family.members[0] as FamilyMember
}

/** The latest child run of a branch of that name. */
export function memberOfBranch(family: Family, branch: string): FamilyMember | undefined {
  return family.members.findLast((member) => member.state.branch?.name === branch)
}

function memberById(family: Family, runId: string): FamilyMember | undefined {
  return family.members.find((member) => member.runId === runId)
}

function openChildId(member: FamilyMember): string | null {
  const { fork, child, status } = member.state
  if (status === 'paused') return null
  if (child !== null) return child.runId
  return fork?.branches.find((branch) => branch.status === 'running')?.runId ?? null
}

/** What means the addressed run, not the child it waits for. */
function isForWhole(command: Command): boolean {
  return (
    command.type === 'PauseRun' ||
    command.type === 'ResumeRun' ||
    command.type === 'CancelRun' ||
    command.type === 'ForceStage' ||
    command.type === 'RaiseWarning' ||
    command.type === 'NoteSession'
  )
}

/**
 * The run that an answer belongs to: a report to the run whose call it is, a decision to the run
 * that asked. Named by id, or the nearest one that waits for such an answer.
 */
function askerOf(
  family: Family,
  addressed: FamilyMember,
  command: Command,
): FamilyMember | undefined {
  if (!isAnswer(command)) return undefined
  const waits = (member: FamilyMember): boolean =>
    command.type === 'ReportCall'
      ? hasOpenCall(member.state, command)
      : hasApproval(member.state, command.approvalId)
  const leaf = openLeaf(family, addressed)
  if (waits(leaf)) return undefined
  const below = family.members.filter((member) => isBelow(family, member, addressed))
  return below.findLast(waits)
}

function isAnswer(
  command: Command,
): command is Extract<Command, { type: 'ReportCall' | 'ResolveApproval' | 'ExpireApproval' }> {
  const { type } = command
  return type === 'ReportCall' || type === 'ResolveApproval' || type === 'ExpireApproval'
}

function hasOpenCall(
  { openCalls, grants }: RunState,
  { callId, holder, key, caller }: Extract<Command, { type: 'ReportCall' }>,
): boolean {
  if (callId === null && key !== undefined) {
    return openCalls.some((open) => open.key === key && open.caller === caller)
  }
  if (callId === null) return openCalls.some((open) => open.holder === holder)
  const isOpen = openCalls.some((open) => open.callId === callId)
  return isOpen || grants.some((grant) => grant.call.callId === callId)
}

function hasApproval({ approval }: RunState, id: string | null): boolean {
  return approval !== null && (id === null || approval.id === id)
}

function isBelow(family: Family, member: FamilyMember, above: FamilyMember): boolean {
  let next: FamilyMember | undefined = member
  for (let depth = 0; next !== undefined && depth <= familyDepthMax; depth += 1) {
    if (next.runId === above.runId) return true
    next = next.parentId === null ? undefined : memberById(family, next.parentId)
  }
  return false
}

/** A paused ancestor holds everything below it. */
export function moneyHeldBy(family: Family, member: FamilyMember): FamilyMember {
  let holder = member
  let parentId = member.parentId
  for (let depth = 0; parentId !== null && depth <= familyDepthMax; depth += 1) {
    const parent = memberById(family, parentId)
    if (parent === undefined) break
    if (parent.state.status === 'paused') holder = parent
    parentId = parent.parentId
  }
  return holder
}

function unknownBranch(name: string): Reply {
  const reason = `no branch \`${name}\` is open`
  return { kind: 'refused', code: 'BRANCH_UNKNOWN', reason, hint: 'check which branches are open' }
}

// ── work: a family in the making ────────────────────────────────────────────

type Work = { family: Family; recorded: Recorded[]; effects: Effect[]; readonly context: Context }

function openWork(family: Family, context: Context): Work {
  return { family, recorded: [], effects: [], context }
}

function closeWork(work: Work, reply: Reply): FamilyDecision {
  return { family: work.family, reply, recorded: work.recorded, effects: work.effects }
}

function apply(work: Work, member: FamilyMember, command: Command): Reply {
  const { at, actor, approvalMs } = work.context
  const until = approvalMs === undefined ? {} : { approvalMs }
  const seen = evidenceAround(work, member, command)
  const envelope = { runId: member.runId, at, actor, ...until, ...proofIn(work), ...seen }
  const around = judgingContextOf(work.family, member, {
    policies: work.context.policies ?? [],
    at,
    session: work.context.session,
  })
  const where = { machine: member.machine, envelope, around }
  const decision = decide(where, command.type === 'StartRun' ? null : member.state, command)
  keep(work, member, decision)
  for (const effect of decision.effects) perform(work, member, effect)
  tellParent(work, member.runId)
  return decision.reply
}

/** WHY of the whole family: what its main run demands, a child run cannot loosen. */
function proofIn({ family, context }: Work): Pick<Envelope, 'proof'> {
  const machines = family.members.flatMap(({ machine }) => [machine.proof, machine.policy?.proof])
  const policies = (context.policies ?? []).map((policy) => policy.proof)
  const isSigned = strongestProof([context.proof, ...machines, ...policies]) === 'passkey'
  return isSigned ? { proof: 'passkey' } : {}
}

function keep(work: Work, member: FamilyMember, decision: Decision): void {
  const changed = { ...member, state: decision.state }
  const members = work.family.members.map((one) => (one.runId === member.runId ? changed : one))
  let { meters } = work.family
  for (const event of decision.events) {
    work.recorded.push({ runId: member.runId, event })
    meters = foldMeters(meters, event)
  }
  work.family = { ...work.family, members, meters }
}

function perform(work: Work, parent: FamilyMember, effect: Effect): void {
  if (effect.type === 'notify-person') work.effects.push(effect)
  else if (effect.type === 'cancel-child') cancel(work, effect.runId, effect.reason)
  else start(work, parent, effect)
}

function cancel(work: Work, runId: string, reason: string): void {
  const child = memberById(work.family, runId)
  if (child === undefined || hasEnded(child.state)) return
  apply(work, child, { type: 'CancelRun', reason })
}

function start(
  work: Work,
  parent: FamilyMember,
  effect: Extract<Effect, { type: 'start-child' }>,
): void {
  const machine = effect.machine === null ? parent.machine : work.context.library(effect.machine)
  const waiting = memberById(work.family, parent.runId)
  if (waiting === undefined || !waitsFor(waiting, effect.runId)) return
  const isTooMuch =
    work.family.members.length >= familyMembersMax || depthOf(work.family, parent) >= familyDepthMax
  if (machine === undefined || isTooMuch) {
    return fail(work, parent.runId, effect.runId)
  }
  const child: FamilyMember = {
    runId: effect.runId,
    parentId: parent.runId,
    machine,
    state: unborn,
  }
  work.family = { ...work.family, members: [...work.family.members, child] }
  const vars: JsonObject = effect.vars
  const reply = apply(work, child, {
    type: 'StartRun',
    stage: effect.stage,
    vars,
    branch: effect.branch,
    ...(waiting.state.observe === undefined ? {} : { observe: true }),
  })
  if (reply.kind !== 'refused') return
  // INVARIANT: a family holds what its events tell, and a refused start has none.
  const members = work.family.members.filter((one) => one.runId !== effect.runId)
  work.family = { ...work.family, members }
  fail(work, parent.runId, effect.runId)
}

/** A child that cannot begin has failed. */
function fail(work: Work, parentId: string, child: string): void {
  const parent = memberById(work.family, parentId)
  if (parent !== undefined) apply(work, parent, { type: 'EndChild', child, outcome: 'failed' })
}

function depthOf(family: Family, member: FamilyMember): number {
  let depth = 0
  for (let id = member.parentId; id !== null && depth <= familyDepthMax; depth += 1) {
    id = memberById(family, id)?.parentId ?? null
  }
  return depth
}

/** INVARIANT: a parent learns of a child's end in the command that ended it. */
function tellParent(work: Work, runId: string): void {
  const member = memberById(work.family, runId)
  if (member === undefined || member.parentId === null || !hasEnded(member.state)) return
  const parent = memberById(work.family, member.parentId)
  if (parent === undefined || !waitsFor(parent, runId)) return
  const outcome = member.state.status as 'completed' | 'blocked' | 'failed' | 'cancelled'
  const written = writtenIn(member.state)
  apply(work, parent, { type: 'EndChild', child: runId, outcome, written })
}

/** What was said in a run: neither what its author declared, nor what it was given at first. */
function writtenIn({ vars, sources }: RunState): WrittenValues {
  const written: { [source in Source]?: Record<string, Json> } = {}
  for (const [key, source] of Object.entries(sources)) {
    const value = own(vars, key)
    if (value === undefined) continue
    const values = written[source] ?? emptyRecord<Json>()
    values[key] = value
    written[source] = values
  }
  return written
}

function waitsFor(parent: FamilyMember, runId: string): boolean {
  const { fork, child } = parent.state
  if (child?.runId === runId) return true
  const branch = fork?.branches.find((one) => one.runId === runId)
  return branch?.status === 'running' || branch?.status === 'pending'
}

/** A branch is called done from itself, from a sibling or from a run above it. */
function finish(work: Work, from: FamilyMember, name: string): Reply {
  for (
    let member: FamilyMember | undefined = from, depth = 0;
    member !== undefined && depth <= familyDepthMax;
    depth += 1
  ) {
    const branch = member.state.fork?.branches.find((one) => one.name === name)
    const child = branch === undefined ? undefined : memberById(work.family, branch.runId)
    if (child !== undefined)
      return apply(work, moneyHeldBy(work.family, child), { type: 'FinishBranch', branch: name })
    member = member.parentId === null ? undefined : memberById(work.family, member.parentId)
  }
  return unknownBranch(name)
}
