/**
 * The entry point of the engine: a machine, a state and a command give a decision.
 * Pure: time, ids and actors come with the envelope. Bad input is rejected, never thrown.
 */
import { assertNever } from '../assert.ts'
import { own } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { expireApproval, resolveApproval } from './approval.ts'
import { beginRun } from './begin-run.ts'
import { checkCall } from './check-call.ts'
import { abandonChildren, endChild } from './child-runs.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { acceptCommand, emit, openDecision, refuseCommand } from './decision-builder.ts'
import { enterStage } from './enter-stage.ts'
import { unborn } from './evolve.ts'
import { hasEnded } from './is-running.ts'
import { recordSpend } from './model-spend.ts'
import { reportCall } from './report-call.ts'
import { sendSignal } from './send-signal.ts'
import type { Command, Decision, EngineContext, RunState, StartRun } from './types.ts'
import { refuseData } from './validate-data.ts'

/** What a command does to a run. `state` is null only for `StartRun`. */
export function decide(where: EngineContext, state: RunState | null, command: Command): Decision {
  if (command.type === 'StartRun') return startRun(where, command)
  if (state === null) return refuseCommand(unborn, noRun)
  switch (command.type) {
    case 'SendSignal':
      return sendSignal(where, state, command)
    case 'CheckCall':
      return checkCall(where, state, command)
    case 'RecordSpend':
      return recordSpend(where, state, command.spend)
    case 'ReportCall':
      return reportCall(where, state, command)
    case 'ResolveApproval':
      return resolveApproval(where, state, command)
    case 'ExpireApproval':
      return expireApproval(where, state, command.approvalId)
    case 'PauseRun':
      return pauseRun(where, state, command)
    case 'ResumeRun':
      return resumeRun(where, state)
    case 'CancelRun':
      return cancelRun(where, state, command.reason)
    case 'ForceStage':
      return forceStage(where, state, command)
    case 'FinishBranch':
      return finishBranch(where, state, command.branch)
    case 'RaiseWarning':
      return raiseWarning(where, state, command)
    case 'NoteSession':
      return noteSession(where, state, command)
    case 'EndChild':
      return settle(openDecision(where.machine, state, where.envelope), state, (draft) =>
        endChild(draft, command),
      )
    default:
      return assertNever(command)
  }
}

const noRun: Refusal = {
  code: 'RUN_UNKNOWN',
  reason: 'no such run',
  hint: 'start one first',
}

function raiseWarning(
  { machine, envelope }: EngineContext,
  state: RunState,
  { message, code = 'HOOKS_CHANGED' }: Extract<Command, { type: 'RaiseWarning' }>,
): Decision {
  const draft = openDecision(machine, state, envelope)
  emit(draft, { type: 'warning.raised', code, message })
  return acceptCommand(draft)
}

function noteSession(
  { machine, envelope }: EngineContext,
  state: RunState,
  { session, what }: Extract<Command, { type: 'NoteSession' }>,
): Decision {
  const draft = openDecision(machine, state, envelope)
  emit(draft, { type: `session.${what}`, session })
  return acceptCommand(draft)
}

function settle(
  draft: DecisionBuilder,
  state: RunState,
  act: (draft: DecisionBuilder) => Refusal | null,
): Decision {
  const refusal = act(draft)
  return refusal === null ? acceptCommand(draft) : refuseCommand(state, refusal)
}

function startRun(where: EngineContext, command: StartRun): Decision {
  const { machine, envelope } = where
  const stage = command.stage ?? machine.initial
  if (own(machine.stages, stage) === undefined)
    return refuseCommand(unborn, unknownStage(machine, stage))
  const unclean = refuseData(command.vars)
  if (unclean !== null)
    return refuseCommand(unborn, { code: 'DATA_INVALID', reason: unclean, hint: '' })
  const draft = openDecision(machine, unborn, envelope)
  const vars = command.branch === null ? { ...machine.vars, ...command.vars } : command.vars
  const { branch, library, workspace, commit, observe } = command
  const started = { type: 'run.started', machine: machine.hash, stage, vars, branch } as const
  emit(draft, {
    ...started,
    ...(library === undefined ? {} : { library }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(commit === undefined ? {} : { commit }),
    ...(observe === undefined ? {} : { observe }),
  })
  if (machine.starts === 'manual') return acceptCommand(draft)
  return settle(draft, unborn, beginRun)
}

function unknownStage(machine: Machine, stage: string): Refusal {
  return {
    code: 'STAGE_UNKNOWN',
    reason: `\`${machine.name}\` has no \`${stage}\``,
    hint: `choose one of ${Object.keys(machine.stages)
      .slice(0, 20)
      .map((name) => `\`${name}\``)
      .join(', ')}`,
  }
}

function pauseRun(
  where: EngineContext,
  state: RunState,
  command: Extract<Command, { type: 'PauseRun' }>,
): Decision {
  const by = where.envelope.actor
  if (hasEnded(state) || state.pause !== null) return refuseCommand(state, notRunning(state))
  if (command.release && by.kind !== 'person') {
    return refuseCommand(state, {
      code: 'NOT_PERMITTED',
      reason: 'only a person may lift the rules while a run is paused',
      hint: 'pause without releasing, or ask a person',
    })
  }
  if (command.release && mustBeSigned(where, state)) return refuseCommand(state, unsignable)
  const draft = openDecision(where.machine, state, where.envelope)
  const { release, reason = '' } = command
  emit(draft, { type: 'run.paused', by, release, ...(reason === '' ? {} : { reason }) })
  return acceptCommand(draft)
}

/** WHY: both get past every gate, and there is nothing that a person could sign for them yet. */
const unsignable: Refusal = {
  code: 'PASSKEY_NEEDED',
  reason: 'this would get past gates whose decisions must be signed',
  hint: 'decide the gate on the page, cancel the run, or set `approvals.proof` in config.json',
}

/** Whether a decision must be signed: now, or at any gate or question of the definition. */
function mustBeSigned({ machine, envelope }: EngineContext, { approval }: RunState): boolean {
  if (envelope.proof === 'passkey' || approval?.proof === 'passkey') return true
  const triggers = Object.values(machine.stages).flatMap(({ signals }) => Object.values(signals))
  const isGated = triggers.some(({ routes }) =>
    routes.some(({ gate }) => gate?.proof === 'passkey'),
  )
  return isGated || (machine.policy?.ask ?? []).some(({ proof }) => proof === 'passkey')
}

function notRunning(state: RunState): Refusal {
  return { code: 'RUN_NOT_RUNNING', reason: `the run is ${state.status}`, hint: '' }
}

function resumeRun(where: EngineContext, state: RunState): Decision {
  const by = where.envelope.actor
  // WHY the status: a run that was paused and then ended keeps its pause, and must stay ended.
  if (state.pause === null || hasEnded(state)) return refuseCommand(state, notRunning(state))
  if (state.pause.by.kind === 'person' && by.kind !== 'person') {
    return refuseCommand(state, {
      code: 'NOT_PERMITTED',
      reason: `${state.pause.by.name} paused this run; a person must resume it`,
      hint: 'wait for a person',
    })
  }
  const draft = openDecision(where.machine, state, where.envelope)
  emit(draft, { type: 'run.resumed', by, refills: by.kind === 'person' })
  return acceptCommand(draft)
}

function cancelRun(where: EngineContext, state: RunState, reason: string): Decision {
  if (hasEnded(state)) return refuseCommand(state, notRunning(state))
  const draft = openDecision(where.machine, state, where.envelope)
  abandonChildren(draft, reason)
  emit(draft, { type: 'run.cancelled', reason })
  return acceptCommand(draft)
}

function forceStage(
  where: EngineContext,
  state: RunState,
  command: Extract<Command, { type: 'ForceStage' }>,
): Decision {
  const { machine, envelope } = where
  if (!machine.hasDebug) {
    return refuseCommand(state, {
      code: 'DEBUG_DISABLED',
      reason: 'this definition does not allow a run to be forced',
      hint: 'send a signal of this stage; forcing works only if the author has turned on debug',
    })
  }
  if (mustBeSigned(where, state)) return refuseCommand(state, unsignable)
  if (hasEnded(state)) return refuseCommand(state, notRunning(state))
  if (own(machine.stages, command.stage) === undefined) {
    return refuseCommand(state, unknownStage(machine, command.stage))
  }
  const unclean = refuseData(command.vars)
  if (unclean !== null)
    return refuseCommand(state, { code: 'DATA_INVALID', reason: unclean, hint: '' })
  const draft = openDecision(machine, state, envelope)
  if (state.approval !== null) {
    emit(draft, { type: 'approval.expired', approvalId: state.approval.id })
  }
  abandonChildren(draft, `forced to \`${command.stage}\``)
  emit(draft, { type: 'stage.forced', stage: command.stage, by: envelope.actor })
  const entry = { stage: command.stage, by: 'force', data: command.vars } as const
  return settle(draft, state, () => enterStage(draft, entry))
}

/** The branch itself says whether it stands where it may be called done. */
function finishBranch(where: EngineContext, state: RunState, name: string): Decision {
  // A paused run holds its branches: the report reaches it instead of them.
  if (state.status === 'paused') return refuseCommand(state, notRunning(state))
  if (state.branch === null || state.branch.name !== name) {
    return refuseCommand(state, {
      code: 'BRANCH_UNKNOWN',
      reason: `no branch \`${name}\` is open`,
      hint: 'check which branches are open',
    })
  }
  if (state.status === 'completed')
    return acceptCommand(openDecision(where.machine, state, where.envelope))
  if (state.status !== 'running') return refuseCommand(state, notRunning(state))
  if (state.stage !== state.branch.terminal) {
    return refuseCommand(state, {
      code: 'BRANCH_UNFINISHED',
      reason: `the branch \`${name}\` is in \`${state.stage}\`, which is not its end`,
      hint: `bring it to \`${state.branch.terminal}\` first`,
    })
  }
  const draft = openDecision(where.machine, state, where.envelope)
  emit(draft, { type: 'run.completed' })
  return acceptCommand(draft)
}
