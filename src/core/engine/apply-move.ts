/**
 * Carries out a move: entering a stage, ending the run, going back, opening children.
 */
import { assertNever } from '../assert.ts'
import type { JsonObject } from '../json.ts'
import type { Move } from '../machine/machine.ts'
import { openChild, openFork } from './child-runs.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { emit } from './decision-builder.ts'
import type { StoppedRun } from './enter-stage.ts'
import { endRun, enterStage, mergeData } from './enter-stage.ts'

export type Carried = {
  readonly data: JsonObject | null
  /** A move that a person granted is told with what that person said. */
  readonly by: 'signal' | 'grant'
}

/** Does what a route says and merges the signal's data once the run has moved. */
export function applyMove(draft: DecisionBuilder, move: Move, { data, by }: Carried): StoppedRun {
  switch (move.kind) {
    case 'goto':
      return enterStage(draft, { stage: move.stage, by, data })
    case 'return': {
      const detour = draft.state.detour
      if (detour === null) return outsideDetour
      emit(draft, { type: 'detour.ended', name: detour.name, returned: true })
      return enterStage(draft, { stage: detour.returnTo, by: 'return', data })
    }
    case 'end':
      mergeData(draft, data, by)
      endRun(draft, move.outcome, 'the definition ends the run here')
      return null
    case 'invoke':
      openChild(draft, move, data)
      return null
    case 'fork':
      openFork(draft, move, data)
      return null
    default:
      return assertNever(move)
  }
}

/** The refusal of a return with nowhere to return to. */
export const outsideDetour: Refusal = {
  code: 'RETURN_OUTSIDE_DETOUR',
  reason: 'there is no detour to return from',
  hint: 'send something else',
}
