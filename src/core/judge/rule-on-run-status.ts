/** Whether a run accepts calls at all, and whether the rules of its stage apply. */
import { hasEnded, isFreed } from '../engine/is-running.ts'
import type { Denial, RunState } from '../engine/types.ts'
import type { Machine, RuleRef, Stage } from '../machine/machine.ts'
import { denyBy, noAnswers, passBy } from './rule-answer.ts'
import type { Rule } from './rule-input.ts'

/**
 * The first of all rules: a run that waits, rests or is over takes no call. What leads the agent to
 * Pawl's own tools is none: by these it waits, resumes and goes on.
 */
export const runStatus: Rule = ({ state, standing, extent, call }) => {
  if (typeof standing === 'object') {
    if (call.bookkeeping?.kind !== 'own') return [denyBy({ by: 'run', ...standing })]
    const reason = 'it leads to the tools of Pawl itself'
    return [passBy({ by: 'run', says: 'allow', rule: call.bookkeeping.rule, reason })]
  }
  if (extent === 'decision') return noAnswers
  const isOpen = standing === 'open'
  const reason = isOpen
    ? `it is ${state.status} in \`${state.stage}\``
    : 'the rules of its stages no longer apply'
  return [passBy({ by: 'run', says: 'allow', rule: null, reason })]
}

type Stopped = { readonly denial: Denial; readonly rule: RuleRef | null }

/** `open`: the stage's rules decide. `free`: they are over, or a person has lifted them. */
export type CallAvailability = 'open' | 'free' | Stopped

type RunInStage = {
  readonly machine: Machine
  readonly state: RunState
  readonly stage: Stage | undefined
}

/** How a run stands to calls, whatever they are. */
export function availabilityOf({ machine, state, stage }: RunInStage): CallAvailability {
  // A run that is over does not wait; still nothing happens while a person decides.
  if (hasEnded(state) && state.approval !== null) return waiting(state)
  if (stage === undefined)
    return stopped('INTERNAL', `the definition has no \`${state.stage}\``, '')
  if (state.status === 'waiting') return waiting(state)
  if (state.status === 'paused') {
    if (state.pause?.release) return 'free'
    return stopped('RUN_NOT_RUNNING', 'the run is paused', 'resume it first')
  }
  if (hasEnded(state)) {
    if (isFreed(machine, state)) return 'free'
    const why = state.reason === '' ? '' : ` (${state.reason})`
    const reason = `the run is ${state.status}${why} and allows no calls`
    return stopped('RUN_NOT_RUNNING', reason, 'start a new run, or ask a person')
  }
  if (state.branch?.terminal === state.stage) {
    const reason = `the branch \`${state.branch.name}\` has finished its work`
    const rule = branchRule(machine, state.branch)
    return { ...stopped('TOOL_NOT_ALLOWED', reason, 'report the branch as done'), rule }
  }
  if (state.fork !== null || state.child !== null) {
    const reason = 'the run is waiting for its child runs; make calls from them'
    return stopped('RUN_NOT_RUNNING', reason, 'make the call from the branch or the invoked run')
  }
  return 'open'
}

function stopped(code: Denial['code'], reason: string, hint: string): Stopped {
  return { denial: { code, reason, hint }, rule: null }
}

/** Nothing is called while a person decides. */
export function waiting({ approval }: RunState): Stopped {
  const reason = `a person must decide first: ${approval?.message ?? ''}`
  const hint = 'wait for the decision; no calls are possible until then'
  return stopped('APPROVAL_PENDING', reason, hint)
}

/** The branch as its author wrote it: it says with which stage its work is done. */
function branchRule(machine: Machine, branch: NonNullable<RunState['branch']>): RuleRef | null {
  for (const stage of Object.values(machine.stages)) {
    for (const { routes } of Object.values(stage.signals)) {
      for (const { move } of routes) {
        if (move.kind !== 'fork') continue
        const { name, terminal } = branch
        const found = move.branches.find((one) => one.name === name && one.terminal === terminal)
        if (found !== undefined) return { document: machine.name, pointer: found.origin }
      }
    }
  }
  return null
}
