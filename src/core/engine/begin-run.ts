/**
 * The beginning of a run: the start slot, then the first stage.
 */
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { enterStage, expressionFailed } from './enter-stage.ts'
import { runOps } from './run-operations.ts'

/** Runs the start slot and enters the stage the run stands before. */
export function beginRun(draft: DecisionBuilder): Refusal | null {
  if (draft.state.branch === null) {
    const fault = runOps(draft, draft.machine.start, 'move')
    if (fault !== null) return expressionFailed(fault)
  }
  return enterStage(draft, { stage: draft.state.stage, by: 'start', data: null })
}
