/**
 * A workflow in its author's words: the state, its instructions, its tools and events.
 */
import type { RunState } from '../../engine/types.ts'
import type { Machine, Stage } from '../../machine/machine.ts'
import type { Told } from '../presentation.ts'
import { listed, paragraphs, standing } from '../presentation.ts'

/** The instructions of the state and the events that lead out of it. */
export function tellWorkflow(machine: Machine, stage: Stage, state: RunState): Told {
  const isTerminal = state.branch?.terminal === state.stage
  const signals = isTerminal ? [`BRANCH_DONE:${state.branch?.name}`] : Object.keys(stage.signals)
  const brief = paragraphs([
    `State \`${stage.name}\` of \`${machine.name}\`.`,
    standing(state),
    ...stage.brief.map((part) => part.text),
    state.status === 'running' && signals.length > 0 ? `Events: ${listed(signals)}.` : '',
  ])
  return { brief, signals }
}
