/**
 * A call on one line: its tool, what it is about, and how it ended. Knows the log's events. Must
 * not know colours or columns.
 */
import { ranProgramsText } from '../../../core/engine/ran-programs.ts'
import type { Event } from '../../../core/engine/types.ts'
import type { JsonObject } from '../../../core/json.ts'
import { ruleText } from '../../../core/judge/rule-answer.ts'
import { usdText } from '../../../core/money.ts'
import { callSubject } from '../../../core/tools/call-subject.ts'
import { counted } from '../ansi.ts'
import { durationOf } from './show-table.ts'

export type BegunCall = Extract<Event, { type: 'call.allowed' | 'call.asked' | 'call.denied' }>
export type ReportedCall = Extract<Event, { type: 'call.reported' }>

/** `Bash npm test`, `Edit src/a.ts`, or the tool with its whole input. */
export function callTitle({ tool, input }: { readonly tool: string; readonly input: JsonObject }) {
  const about = callSubject(input)
  if (about !== null) return `${tool} ${about}`
  return Object.keys(input).length === 0 ? tool : `${tool} ${JSON.stringify(input)}`
}

/** What was decided about it beyond its type. */
export function verdictText(event: BegunCall): string {
  if (event.type === 'call.denied') return event.code
  if (event.type === 'call.asked' || event.observed === undefined) return ''
  const { verdict, code } = event.observed
  return verdict === 'ask' ? 'would need approval' : `would be denied ${code}`
}

/** `1.2s, ok, exit 0, 312 bytes`. */
export function endedText(event: ReportedCall, ms: number): string {
  const { ok, exitCode, bytes, costMicroUsd, edited, ran } = event
  return [
    durationOf(ms),
    ok ? 'ok' : 'failed',
    ...(exitCode === null ? [] : [`exit ${exitCode}`]),
    ...(bytes === 0 ? [] : [counted(bytes, 'byte')]),
    ...(costMicroUsd === 0 ? [] : [usdText(costMicroUsd)]),
    ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`]),
    ...(ran === undefined ? [] : [`ran ${ranProgramsText(ran)}`]),
  ].join(', ')
}

/** The rule that allowed a call; empty: none is recorded. */
export function allowedByText(event: BegunCall): string {
  if (event.type !== 'call.allowed' || event.rule === undefined) return ''
  const { rule, document } = event
  return ruleText(document === undefined ? { rule } : { rule, document }) ?? ''
}
