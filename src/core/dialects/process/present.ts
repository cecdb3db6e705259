/**
 * A checklist in its author's words: the question and its answers.
 */
import type { RunState } from '../../engine/types.ts'
import type { Machine, Stage } from '../../machine/machine.ts'
import type { Told } from '../presentation.ts'
import { listed, paragraphs, standing } from '../presentation.ts'

/** The question of the state, with the prompt in front of the first one. */
export function tellProcess(machine: Machine, stage: Stage, state: RunState): Told {
  const answers = Object.keys(stage.signals)
  const isFirst = state.visits <= 1
  const brief = paragraphs([
    isFirst ? machine.prompt : '',
    standing(state),
    ...stage.brief.map((part) => part.text),
    answers.length > 0 && state.status === 'running'
      ? `Answer with one of: ${listed(answers)}.`
      : '',
  ])
  return { brief, signals: answers }
}
