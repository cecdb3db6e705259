/** Whether a run accepts signals now. */
import { own } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import type { Refusal } from './decision-builder.ts'
import type { RunState } from './types.ts'

/** The refusal of a run that waits, rests, has ended or has handed over to its children. */
export function refuseUnlessRunning(state: RunState): Refusal | null {
  if (state.status === 'waiting') {
    return {
      code: 'APPROVAL_PENDING',
      reason: `a person must decide first: ${state.approval?.message ?? ''}`,
      hint: 'wait for the decision; nothing can be sent until then',
    }
  }
  if (state.status !== 'running') {
    const why = state.reason === '' ? '' : ` (${state.reason})`
    return {
      code: 'RUN_NOT_RUNNING',
      reason: `the run is ${state.status}${why}`,
      hint: state.status === 'paused' ? 'resume it first' : 'start a new run',
    }
  }
  if (state.fork !== null || state.child !== null) {
    return {
      code: 'SIGNAL_UNKNOWN',
      reason: 'the run is waiting for its child runs',
      hint: 'use the branch or the invoked run',
    }
  }
  return null
}

/** Whether the run ended as its definition says, so that the rules of its stages are over. */
export function isFreed(machine: Machine, state: RunState): boolean {
  if (state.branch !== null || machine.holdsAtEnd) return false
  const isFinal = (own(machine.stages, state.stage)?.final ?? null) !== null
  return state.status === 'completed' || (state.status === 'failed' && isFinal)
}

/** Whether the run is over. */
export function hasEnded(state: RunState): boolean {
  return (
    state.status === 'completed' ||
    state.status === 'blocked' ||
    state.status === 'failed' ||
    state.status === 'cancelled'
  )
}
