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
    state.status === 'running' && !isTerminal ? requiredData(stage) : '',
  ])
  return { brief, signals }
}

/** What the data of events must contain, said before one is sent. */
function requiredData({ signals }: Stage): string {
  const needs = Object.values(signals).flatMap(({ name, routes }) => {
    const names = [...new Set(routes.flatMap((route) => route.requires))]
    return names.length === 0 ? [] : [`\`${name}\` needs ${listedText(names)} in its data.`]
  })
  return needs.join(' ')
}
