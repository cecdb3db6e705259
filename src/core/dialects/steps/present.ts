/**
 * A form in its author's words: the goal, the instructions that hold now, what to collect.
 */
import { checkFields } from '../../engine/signal-fields.ts'
import type { RunState } from '../../engine/types.ts'
import { evaluate, isTruthy } from '../../expr/evaluate.ts'
import { renderText } from '../../expr/template.ts'
import type { BriefPart, Machine, Stage } from '../../machine/machine.ts'
import type { Presentation } from '../presentation.ts'
import { listedText, paragraphs, presentStatus } from '../presentation.ts'

/** The goal as it is written, the instructions filled in. */
export function presentSteps(machine: Machine, stage: Stage, state: RunState): Presentation {
  const signals = Object.keys(stage.signals)
  const fields = stage.signals[signals[0] ?? '']?.fields ?? []
  const { missing } = checkFields(fields, state.inputs)
  const isOpen = state.status === 'running'
  const parts = stage.brief.map((part) => tellPart(part, state))
  const queued = state.queuedCalls[0]
  const brief = paragraphs([
    `Step \`${stage.name}\` of \`${machine.name}\`.`,
    presentStatus(state),
    ...parts,
    isOpen && missing.length > 0 ? `Still to collect: ${listedText(missing)}.` : '',
    // A form that has just ended may still have a call to make.
    (isOpen || state.status === 'completed') && queued !== undefined
      ? `Call \`${queued.tool}\` with ${JSON.stringify(queued.arguments)}.`
      : '',
    isOpen && stage.mustCall ? 'Call a tool before you reply to the user.' : '',
  ])
  return { brief, signals }
}

/** An instruction whose condition faults is told: withholding a rule would be the worse error. */
function tellPart(part: BriefPart, state: RunState): string {
  if (part.if !== null) {
    const condition = evaluate(part.if, state)
    if (condition.ok && !isTruthy(condition.value)) return ''
  }
  return part.isTemplate ? renderText(part.text, state) : part.text
}
