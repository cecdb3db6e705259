/**
 * The same call, made and failed again and again with nothing changed in between: the agent is told
 * once what to do instead, then a person is asked, then it is denied. Denials feed nothing, so that
 * a call which is held is free again when the time of its last failure is over.
 */
import { contentKey, type NamedCall } from '../engine/same-call.ts'
import type { Call, FamilyContext, OpenCall, OrderMark, Report } from '../engine/types.ts'
import { refuseData } from '../engine/validate-data.ts'
import { joinPointer } from '../finding.ts'
import type { Machine, RuleRef } from '../machine/machine.ts'
import { type RepeatLimits, repeatDefaults, strictestRepeats } from '../machine/repeat-limits.ts'
import {
  type FailedCall,
  type FailureNote,
  failedCallsIn,
  failuresMeter,
} from '../policy/failed-calls.ts'
import { windowText } from '../policy/limits.ts'
import { changeMark } from '../policy/order-marks.ts'
import { changesNothing } from '../shell/changes-nothing.ts'
import { layersOf } from './policy-layers.ts'
import { denyBy, noAnswers, passBy, type RuleAnswer } from './rule-answer.ts'
import type { JudgingContext, Rule, RuleInput } from './rule-input.ts'
import { isUncounted } from './rule-on-counts.ts'
import { waiting } from './rule-on-run-status.ts'

/** What the failures of the same call before mean to this one. */
export const repeatRule: Rule = (question) => {
  const { context, call, standing } = question
  const failed = findFailures(context, call)
  if (failed === null || standing === 'free') return noAnswers
  const { limits, rule } = limitsFor(context)
  const { count } = failed
  const reason = `the same call has failed ${timesText(count)}, and nothing has changed since`
  if (count >= limits.holdAfter) {
    const again = windowText(Math.max(failed.at + limits.windowMs - context.at, 1))
    const until = `it is denied for ${again}, or until another call changes something`
    const hint = `${insteadHint}; ${until}`
    return [denyBy({ by: 'repeats', rule, denial: { code: 'CALL_REPEATED', reason, hint } })]
  }
  if (count >= limits.askAfter) return askAnswers(question, reason, rule)
  if (count < limits.tellAfter || failed.isTold === true) {
    if (question.extent === 'decision') return noAnswers
    return [passBy({ by: 'repeats', says: 'nothing', rule, reason })]
  }
  const hint = `${insteadHint}; if it has to be tried once more, make the same call again`
  const denial = { code: 'CALL_REPEATED', reason, hint } as const
  return [{ ...denyBy({ by: 'repeats', rule, denial }), tells: failed.same }]
}

const insteadHint =
  'read its last error, and change what causes it or try another way; ' +
  'to wait for something, use one command that waits'

function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function askAnswers(
  question: RuleInput,
  reason: string,
  rule: RuleRef | null,
): readonly RuleAnswer[] {
  const { call, state } = question
  if (question.grant() !== null) {
    const why = 'a person approved this call'
    return [passBy({ by: 'people', says: 'allow', rule, reason: why })]
  }
  const problem = refuseData(call.input)
  if (problem !== null) {
    const why = `${reason}; nobody can be asked about it: ${problem}`
    const denial = { code: 'CALL_REPEATED', reason: why, hint: insteadHint } as const
    return [denyBy({ by: 'repeats', rule, denial })]
  }
  // INVARIANT: one question at a time.
  if (state.approval !== null) return [denyBy({ by: 'people', ...waiting(state) })]
  const hint = 'wait for the decision, then make the same call again'
  return [{ by: 'repeats', says: 'ask', code: null, reason, hint, rule }]
}

/** Whether a person is asked about a call because it fails again and again. */
export function asksAsRepeated(context: JudgingContext, call: Call): boolean {
  const failed = findFailures(context, call)
  return failed !== null && failed.count >= limitsFor(context).limits.askAfter
}

function findFailures(context: JudgingContext, call: Call): FailedCall | null {
  if (failedCallsIn(context.around.meters).length === 0 || isUncounted(call)) return null
  return failuresOf(context, contentKey(call))
}

type Moment = Laid & { readonly at: number }

/** How often the same call has failed in a row; null: not at all, or too long ago. */
function failuresOf(laid: Moment, same: string): FailedCall | null {
  const failed = failedCallsIn(laid.around.meters).find((one) => one.same === same)
  if (failed === undefined) return null
  return isForgotten(failed, laid.at, limitsFor(laid).limits) ? null : failed
}

/** What is recorded of a call that is let through, so that its failures can be counted. */
export function repetitionOf(laid: Moment, call: NamedCall): Pick<OpenCall, 'same' | 'failures'> {
  const same = contentKey(call)
  const failed = failuresOf(laid, same)
  return failed === null ? { same } : { same, failures: failed.count }
}

function isForgotten({ at: last }: FailedCall, at: number, { windowMs }: RepeatLimits): boolean {
  // WHY not by a clock that was set back: then the failure stays until it is over.
  return at - last >= windowMs
}

type Laid = { readonly machine: Machine; readonly around: FamilyContext }
type PlacedRepeats = { readonly limits: RepeatLimits; readonly rule: RuleRef | null }

/** The numbers that apply, and the highest policy that sets some. */
function limitsFor(laid: Laid): PlacedRepeats {
  const setting = layersOf(laid).filter(({ policy }) => policy.repeats !== undefined)
  const [first] = setting
  if (first === undefined) return { limits: repeatDefaults, rule: null }
  const { document, pointer } = first.source
  const limits = strictestRepeats(setting.map(({ policy }) => policy.repeats ?? {}))
  return { limits, rule: { document, pointer: joinPointer(pointer, 'repeated_failures') } }
}

/** What a call leaves that may change something, where others have failed. */
export function restartMarks({ around }: JudgingContext, call: Call): readonly OrderMark[] {
  if (failedCallsIn(around.meters).length === 0 || changeMark(call) === null) return []
  if (call.shell !== null && changesNothing(call.shell)) return []
  return [{ kind: 'restart', meter: failuresMeter }]
}

type EndedCall = {
  readonly open: OpenCall
  readonly report: Report
  readonly isClaim: boolean
  readonly at: number
}

/** What the end of a call says of its own failures and of those of others. */
export function failureNotes(laid: Laid, ended: EndedCall): readonly FailureNote[] {
  const { open, report, isClaim, at } = ended
  const { same } = open
  if (same === undefined || open.isUncounted || report.isUnreported) return []
  const known = failuresOf({ ...laid, at }, same)
  const meter = failuresMeter
  if (!report.ok || (report.exitCode ?? 0) !== 0) {
    // Calls that were made at the same time are one try: each knows as many failures before it.
    const count = known === null ? 1 : Math.max(known.count, (open.failures ?? 0) + 1)
    return [{ kind: 'failed', meter, same, count }]
  }
  const isRestart = open.order?.some(({ kind }) => kind === 'restart') === true
  return [
    ...(known === null || isClaim ? [] : ([{ kind: 'worked', meter, same }] as const)),
    ...(isRestart ? ([{ kind: 'restart', meter, same }] as const) : []),
  ]
}
