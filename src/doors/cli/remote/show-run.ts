/**
 * Shows a run in a terminal: its stage, its instructions, what it may do.
 * Knows views. Must not know how they came here.
 */

import type { View } from '../../../core/dialects/run-view.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledLine, styledSpan } from '../play/styled-text.ts'
import {
  briefLines,
  displayWidth,
  fieldLines,
  row,
  ruleRows,
  titleLine,
  toneOf,
  valueText,
} from '../play/view-lines.ts'

import { answerLines } from './show-approval.ts'

export type ShownRun = {
  readonly runId: string
  readonly view: View
  /** What the agent must know beside the brief. */
  readonly notice: string
  /** What Pawl saw of commands that rules name; absent: not asked for. */
  readonly evidence?: readonly { readonly text: string }[]
}

/** The whole state of a run. */
export function runText(standing: ShownRun, io: Io): string {
  const { runId, view, notice, evidence = [] } = standing
  const width = displayWidth(io)
  const lines: StyledLine[] = [
    titleLine(view, width),
    [styledSpan(view.stage, 'accent'), styledSpan(`  ${ownerText(runId, view)}`, 'dim')],
    styledLine(''),
    ...briefLines(view, width),
    styledLine(''),
    ...(notice === '' ? [] : row('notice', notice, { width, tone: 'warn' })),
    ...(view.observes ? row('observing', observesText, { width, tone: 'warn' }) : []),
    ...ruleRows(view, width),
    ...(view.signals.length === 0 || view.dialect === 'steps'
      ? []
      : row('send', view.signals.join(', '), { width, tone: 'accent' })),
    ...evidence.flatMap(({ text }) => row('seen', text, { width, tone: 'dim' })),
    ...fieldLines(view, width),
    ...waitingLines(view, width),
    ...branchLines(view, width),
    ...endLines(view, width),
  ]
  return printLines(lines, io)
}

const observesText =
  'rules are judged and recorded, not enforced; `pawl log --denied` shows what they would deny'

/** The run itself, or the child run that it waits for. */
function ownerText(runId: string, view: View): string {
  return view.runId === runId ? `run ${runId}` : `run ${runId}, now in ${view.runId}`
}

function waitingLines(view: View, width: number): StyledLine[] {
  const lines: StyledLine[] = []
  if (view.pendingCall !== null) {
    const { name, arguments: input } = view.pendingCall
    lines.push(...row('queued', `${name} ${valueText(input)}`, { width, tone: 'warn' }))
  }
  if (view.approval !== null) {
    const { id, message } = view.approval
    lines.push(...row('approval', message, { width, tone: 'warn' }), ...answerLines(id, width))
  }
  return lines
}

function branchLines(view: View, width: number): StyledLine[] {
  const texts = Object.entries(view.branches).map(([name, status]) => `${name} ${status}`)
  return texts.length === 0 ? [] : row('branches', texts.join(' · '), { width })
}

function endLines(view: View, width: number): StyledLine[] {
  if (view.reason === '') return []
  return row(view.status, view.reason, { width, tone: toneOf(view.status) })
}
