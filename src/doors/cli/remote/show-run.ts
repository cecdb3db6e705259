/**
 * A run as a person reads it in a terminal: where it stands, what it is told, what it may do.
 * Knows views. Must not know how they came here.
 */

import type { View } from '../../../core/dialects/view.ts'
import type { Io } from '../io.ts'
import { type Line, line, printLines, span } from '../play/styled-text.ts'
import {
  briefLines,
  fieldLines,
  row,
  ruleRows,
  titleLine,
  toneOf,
  valueText,
  widthOf,
} from '../play/view-lines.ts'

import { answerLines } from './show-approval.ts'

export type Standing = {
  readonly runId: string
  readonly view: View
  /** What the agent must be told beside the brief. */
  readonly notice: string
}

/** The whole standing of a run. */
export function standingText(standing: Standing, io: Io): string {
  const { runId, view, notice } = standing
  const width = widthOf(io)
  const lines: Line[] = [
    titleLine(view, width),
    [span(view.stage, 'accent'), span(`  ${ownerText(runId, view)}`, 'dim')],
    line(''),
    ...briefLines(view, width),
    line(''),
    ...(notice === '' ? [] : row('notice', notice, { width, tone: 'warn' })),
    ...ruleRows(view, width),
    ...(view.signals.length === 0 || view.dialect === 'steps'
      ? []
      : row('send', view.signals.join(', '), { width, tone: 'accent' })),
    ...fieldLines(view, width),
    ...waitingLines(view, width),
    ...branchLines(view, width),
    ...endLines(view, width),
  ]
  return printLines(lines, io)
}

/** The run itself, or the child run that it waits for. */
function ownerText(runId: string, view: View): string {
  return view.runId === runId ? `run ${runId}` : `run ${runId}, now in ${view.runId}`
}

function waitingLines(view: View, width: number): Line[] {
  const lines: Line[] = []
  if (view.pendingCall !== null) {
    const { name, arguments: input } = view.pendingCall
    lines.push(...row('queued', `${name} ${valueText(input)}`, { width, tone: 'warn' }))
  }
  if (view.approval !== null) {
    const { id, message } = view.approval
    lines.push(...row('asks', message, { width, tone: 'warn' }), ...answerLines(id, width))
  }
  return lines
}

function branchLines(view: View, width: number): Line[] {
  const texts = Object.entries(view.branches).map(([name, status]) => `${name} ${status}`)
  return texts.length === 0 ? [] : row('branches', texts.join(' · '), { width })
}

function endLines(view: View, width: number): Line[] {
  if (view.reason === '') return []
  return row(view.status, view.reason, { width, tone: toneOf(view.status) })
}
