/**
 * Child runs: the branches of a fork and invoked machines. A parent asks for them, waits,
 * and moves on when they have ended; it never looks inside them. What was written in an invoked
 * run comes back with its end; what was written in a branch does not.
 */

import { joinPointer } from '../finding.ts'
import type { JsonObject } from '../json.ts'
import { own } from '../json.ts'
import type { Move } from '../machine/machine.ts'
import type { Command, WrittenValues } from './command.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { emit } from './decision-builder.ts'
import { endRun, enterStage } from './enter-stage.ts'
import type { Child, Fork, ForkedBranch } from './types.ts'

/** Requests one child run per branch; the first one is open, the others pending. */
export function openFork(
  draft: DecisionBuilder,
  move: Extract<Move, { kind: 'fork' }>,
  data: JsonObject | null,
): void {
  const branches = move.branches.map(
    (branch, index): ForkedBranch => ({
      name: branch.name,
      runId: childId(draft, branch.name),
      initial: branch.initial,
      terminal: branch.terminal,
      status: index === 0 ? 'running' : 'pending',
    }),
  )
  const { join, onComplete, onFail } = move
  emit(draft, { type: 'fork.opened', fork: { branches, join, onComplete, onFail, data } })
  for (const { name, runId, initial, terminal } of branches) {
    const vars = draft.state.vars
    const branch = { name, terminal }
    draft.effects.push({ type: 'start-child', runId, machine: null, stage: initial, vars, branch })
  }
}

/** Requests a child run of another machine. */
export function openChild(
  draft: DecisionBuilder,
  move: Extract<Move, { kind: 'invoke' }>,
  data: JsonObject | null,
): void {
  const { machine, input, onComplete, onFail } = move
  const runId = childId(draft, machine)
  emit(draft, {
    type: 'child.requested',
    child: { runId, machine, input, onComplete, onFail, data },
  })
  draft.effects.push({
    type: 'start-child',
    runId,
    machine,
    stage: null,
    vars: input,
    branch: null,
  })
}

/** Unique within the family: the parent, the name, and how far the parent's log had come. */
function childId(draft: DecisionBuilder, name: string): string {
  return `${joinPointer(draft.envelope.runId, name)}.${draft.state.seq}`
}

type ChildEnd = Extract<Command, { type: 'EndChild' }>

/** Takes note that a child has ended, and moves on when that decides. */
export function endChild(
  draft: DecisionBuilder,
  { child: childRunId, outcome, written = {} }: ChildEnd,
): Refusal | null {
  const { fork, child } = draft.state
  if (fork?.branches.some((branch) => branch.runId === childRunId)) {
    emit(draft, { type: 'child.ended', child: childRunId, outcome })
    return joinFork(draft)
  }
  if (child?.runId === childRunId) {
    emit(draft, { type: 'child.ended', child: childRunId, outcome })
    return moveOn(draft, child, { hasSucceeded: outcome === 'completed', by: 'child', written })
  }
  return {
    code: 'RUN_UNKNOWN',
    reason: `\`${childRunId}\` is not an open child of this run`,
    hint: 'nothing was changed',
  }
}

function joinFork(draft: DecisionBuilder): Refusal | null {
  const fork = draft.state.fork
  if (fork === null) return null
  const verdict = joined(fork)
  if (verdict === 'open') return null
  emit(draft, { type: 'fork.closed', joined: verdict === 'done' })
  for (const branch of fork.branches) {
    if (branch.status !== 'running' && branch.status !== 'pending') continue
    const reason = 'the fork was decided without this branch'
    draft.effects.push({ type: 'cancel-child', runId: branch.runId, reason })
  }
  return moveOn(draft, fork, { hasSucceeded: verdict === 'done', by: 'join', written: {} })
}

function joined(fork: Fork): 'open' | 'done' | 'failed' {
  const open = fork.branches.filter((one) => one.status === 'running' || one.status === 'pending')
  const done = fork.branches.filter((one) => one.status === 'completed')
  const failed = fork.branches.length - open.length - done.length
  if (fork.join === 'any') return done.length > 0 ? 'done' : open.length > 0 ? 'open' : 'failed'
  return failed > 0 ? 'failed' : open.length > 0 ? 'open' : 'done'
}

type Settled = {
  readonly hasSucceeded: boolean
  readonly by: 'join' | 'child'
  readonly written: WrittenValues
}

function moveOn(draft: DecisionBuilder, waited: Fork | Child, how: Settled): Refusal | null {
  const stage = how.hasSucceeded ? waited.onComplete : waited.onFail
  if (stage !== null && own(draft.machine.stages, stage) !== undefined) {
    return enterStage(draft, { stage, by: how.by, data: waited.data, written: how.written })
  }
  endRun(draft, 'failed', how.by === 'join' ? 'the fork failed' : 'the invoked run failed')
  return null
}

/** Gives up whatever children are open, because the run goes elsewhere. */
export function abandonChildren(draft: DecisionBuilder, reason: string): void {
  const { fork, child } = draft.state
  for (const branch of fork?.branches ?? []) {
    draft.effects.push({ type: 'cancel-child', runId: branch.runId, reason })
  }
  if (fork !== null) emit(draft, { type: 'fork.closed', joined: false })
  if (child !== null) {
    draft.effects.push({ type: 'cancel-child', runId: child.runId, reason })
    emit(draft, { type: 'child.ended', child: child.runId, outcome: 'cancelled' })
  }
}
