/**
 * A workflow in its author's words: the state, its instructions, its tools and events.
 */
import type { RunState } from '../../engine/types.ts'
import type { Machine, Stage } from '../../machine/machine.ts'
import type { Presentation } from '../presentation.ts'
import { listedText, paragraphs, presentStatus } from '../presentation.ts'

/** The instructions of the state and the events that lead out of it. */
export function presentWorkflow(machine: Machine, stage: Stage, state: RunState): Presentation {
  const isTerminal = state.branch?.terminal === state.stage
  const signals = isTerminal ? [`BRANCH_DONE:${state.branch?.name}`] : Object.keys(stage.signals)
  const brief = paragraphs([
    `State \`${stage.name}\` of \`${machine.name}\`.`,
    presentStatus(state),
    ...stage.brief.map((part) => part.text),
    state.status === 'running' && signals.length > 0 ? `Events: ${listedText(signals)}.` : '',
  ])
  return { brief, signals }
}
