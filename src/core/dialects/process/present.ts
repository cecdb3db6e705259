/**
 * A checklist in its author's words: the question and its answers.
 */
import type { RunState } from '../../engine/types.ts'
import type { Machine, Stage } from '../../machine/machine.ts'
import type { Presentation } from '../presentation.ts'
import { listedText, paragraphs, presentStatus } from '../presentation.ts'

/** The question of the state, with the prompt in front of the first one. */
export function presentProcess(machine: Machine, stage: Stage, state: RunState): Presentation {
  const answers = Object.keys(stage.signals)
  const isFirst = state.visits <= 1
  const brief = paragraphs([
    isFirst ? machine.prompt : '',
    presentStatus(state),
    ...stage.brief.map((part) => part.text),
    answers.length > 0 && state.status === 'running'
      ? `Answer with one of: ${listedText(answers)}.`
      : '',
  ])
  return { brief, signals: answers }
}
