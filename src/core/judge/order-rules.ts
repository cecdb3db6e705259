/**
 * What policies demand of the past: earlier calls that ended well, and how many calls there were or
 * what they add up to. Calls in flight count; denied ones never do.
 */
import type { OrderMark, RunState } from '../engine/types.ts'
import { meetsRequirement } from '../evidence/meets-requirement.ts'
import type {
  AfterCall,
  AfterEvidence,
  AfterRule,
  CountRule,
  FieldPair,
  OrderScope,
} from '../machine/order-rule.ts'
import { joinHashes, keysOf, valueHash, valueUnder } from '../policy/call-fields.ts'
import { windowText } from '../policy/limits.ts'
import { changesIn, type Meters } from '../policy/meters.ts'
import { millionthsText } from '../policy/millionths.ts'
import { amountOf, countMeter, sumMeter, tallyMarks } from '../policy/order-marks.ts'
import type { SeenCall } from '../policy/order-meters.ts'
import { roomFrom, type TallyUse, usedAt } from '../policy/tallies.ts'
import { findCallsInFlight, isChangedBeside, lastOpenChange } from './calls-in-flight.ts'
import { type PlacedLimit, prerequisiteMarks } from './policy-layers.ts'
import { restartMarks } from './repeat-rule.ts'
import { denyBy, noAnswers, passBy, type RuleAnswer } from './rule-answer.ts'
import type { Rule, RuleInput } from './rule-input.ts'
import { seenIn, sessionIn, sessionProblem, statesIn, tallyIn } from './scope-of-past.ts'

/** Counts and sums of policies that leave no room for one more call. */
export const tallyRule: Rule = (question) =>
  question
    .demands()
    .flatMap((one) => [...countAnswers(question, one), ...sumAnswers(question, one)])

/** Earlier calls that policies demand. */
export const afterRule: Rule = (question) =>
  question
    .demands()
    .flatMap((one) => (one.rule.after ?? []).flatMap((after) => afterAnswers(question, one, after)))

/** What a call that is let through leaves for such rules. */
export function orderMarksOf(question: RuleInput): readonly OrderMark[] {
  const { context, call } = question
  return [
    ...tallyMarks(call, question.demands(), sessionIn(question)),
    ...prerequisiteMarks(context, call),
    ...restartMarks(context, call),
  ]
}

// ── counts and sums ─────────────────────────────────────────────────────────

function countAnswers(question: RuleInput, one: PlacedLimit): readonly RuleAnswer[] {
  const { count, capability } = one.rule
  if (count === undefined) return noAnswers
  const { callsMax, scope } = count
  const calls = callsMax === 1 ? '1 call' : `${callsMax} calls`
  const what = `\`${capability}\` is limited to ${calls}${spanText(count)}`
  const meter = { name: countMeter(one, sessionIn(question)), scope }
  const used = usedOf(question, meter)
  const rule = { document: one.source.document, pointer: `${one.source.pointer}/count` }
  const unknown = sessionProblem(question, scope)
  if (unknown !== null) {
    const reason = `${what}, and ${unknown.reason}`
    const denial = { ...unknown, code: 'COUNT_EXHAUSTED', reason } as const
    return [denyBy({ by: 'limit', rule, denial })]
  }
  if (used !== null && used.calls < callsMax) {
    return passed(question, { rule, reason: `${used.calls} of ${what}` })
  }
  const hint = roomHint(question, { meter, most: { calls: callsMax - 1, amount: Infinity } })
  return [denyBy({ by: 'limit', rule, denial: { code: 'COUNT_EXHAUSTED', reason: what, hint } })]
}

function sumAnswers(question: RuleInput, one: PlacedLimit): readonly RuleAnswer[] {
  const { sum, capability } = one.rule
  if (sum === undefined) return noAnswers
  const { of, millionthsMax: max, scope } = sum
  const field = of.join('.')
  const meter = { name: sumMeter(one, sessionIn(question)), scope }
  const rule = { document: one.source.document, pointer: `${one.source.pointer}/sum` }
  const code = 'SUM_EXHAUSTED'
  const amount = amountOf(sum, question.call)
  if (amount === null) {
    const reason = `\`${capability}\` is limited by \`${field}\`, which is not a number here`
    const hint = `send \`${field}\` as a number that is not negative`
    return [denyBy({ by: 'limit', rule, denial: { code, reason, hint } })]
  }
  const used = usedOf(question, meter)
  const isUnknown = of[0] === 'output'
  const total = used?.amount ?? Infinity
  const allowed = `${millionthsText(max)}${spanText(sum)}`
  const what = `\`${field}\` of \`${capability}\` may add up to ${allowed}`
  const unknown = sessionProblem(question, scope)
  if (unknown !== null) {
    const denial = { code, ...unknown, reason: `${what}, and ${unknown.reason}` } as const
    return [denyBy({ by: 'limit', rule, denial })]
  }
  const so = used === null ? '' : `; ${millionthsText(total)} is used`
  const hasRoom = isUnknown ? total < max : total + amount <= max
  if (hasRoom) return passed(question, { rule, reason: `${what}${so}` })
  const most = { calls: Infinity, amount: isUnknown ? max - 1 : max - amount }
  const isOpen = isUnknown && isOpenWith(question, meter)
  const hint = isOpen ? openHint : roomHint(question, { meter, most })
  const asked = isUnknown ? '' : `, and this call has ${millionthsText(amount)}`
  return [denyBy({ by: 'limit', rule, denial: { code, reason: `${what}${so}${asked}`, hint } })]
}

function passed(
  { extent }: RuleInput,
  { rule, reason }: Pick<RuleAnswer, 'rule' | 'reason'>,
): readonly RuleAnswer[] {
  return extent === 'decision' ? noAnswers : [passBy({ by: 'limit', says: 'allow', rule, reason })]
}

function spanText({ windowMs, scope }: Pick<CountRule, 'windowMs' | 'scope'>): string {
  const whose = scope === 'session' ? ' for the whole session' : ''
  return windowMs === null ? whose : ` in ${windowText(windowMs)}${whose}`
}

/** A meter, and whose calls count on it. */
type ScopedMeter = { readonly name: string; readonly scope: OrderScope }
type Full = { readonly meter: ScopedMeter; readonly most: TallyUse }

function roomHint(question: RuleInput, { meter, most }: Full): string {
  const { at } = question.context
  const from = roomFrom(tallyIn(question, meter.scope, meter.name), most)
  return from === null || from <= at
    ? 'continue without it'
    : `it can be used again in ${windowText(Math.max(from - at, 1))}; do something else until then`
}

/** What counts on a meter, with what people are asked about or have let through; null: unknown. */
function usedOf(question: RuleInput, { name, scope }: ScopedMeter): TallyUse | null {
  const { context } = question
  const { around, at } = context
  if (around.meters === null || !Number.isFinite(at)) return null
  const used = usedAt(tallyIn(question, scope, name), at)
  const ownGrant = question.grant()?.approvalId
  let { calls, amount } = used
  for (const state of statesIn(question, scope)) {
    for (const mark of heldMarks(state, ownGrant, at)) {
      if (mark.kind !== 'tally' || mark.meter !== name) continue
      calls += 1
      amount += mark.amount
    }
  }
  return { calls, amount }
}

/** Marks of calls that a person is asked about, or has let through and that are not made yet. */
function heldMarks(
  { approval, grants }: RunState,
  ownGrant: string | undefined,
  at: number,
): readonly OrderMark[] {
  const asked =
    approval !== null && 'tool' in approval.pending ? (approval.pending.order ?? []) : []
  const granted = grants.flatMap(({ approvalId, call, expiresAt }) => {
    const isOver = expiresAt !== undefined && at > expiresAt
    return isOver || approvalId === ownGrant ? [] : (call.order ?? [])
  })
  return [...asked, ...granted]
}

const openHint = 'wait for the result of the open call, then make this call again'

/** A call is open whose number is not known yet, so that it counts as the most. */
function isOpenWith(question: RuleInput, { name, scope }: ScopedMeter): boolean {
  return statesIn(question, scope).some(({ openCalls }) =>
    openCalls.some(({ order = [] }) => order.some((mark) => mark.meter === name)),
  )
}

// ── earlier calls ───────────────────────────────────────────────────────────

function afterAnswers(
  question: RuleInput,
  { source }: PlacedLimit,
  after: AfterRule,
): readonly RuleAnswer[] {
  const rule = { document: source.document, pointer: after.origin }
  const unmet = 'evidence' in after ? unmetEvidence(question, after) : unmetCall(question, after)
  const { capability } = question.call
  const wanted = 'evidence' in after ? `\`${after.evidence.command}\`` : afterText(after)
  if (unmet === null) {
    if (question.extent === 'decision') return noAnswers
    return [passBy({ by: 'order', says: 'allow', rule, reason: `${wanted} has succeeded` })]
  }
  const inFlight = findCallsInFlight(question, after)
  if (inFlight.length > 0) {
    const reason = `\`${capability}\` needs ${wanted} first, which is still running`
    const hint =
      'wait for its result, or make it again if it was declined; then make this call again'
    const denial = { code: 'PREREQUISITE_RUNNING', reason, hint } as const
    return [{ ...denyBy({ by: 'order', rule, denial }), waitsFor: inFlight }]
  }
  const reason = `\`${capability}\` needs ${wanted} first: ${unmet.reason}`
  const denial = { code: 'PREREQUISITE_MISSING', reason, hint: unmet.hint } as const
  return [denyBy({ by: 'order', rule, denial })]
}

type Unmet = { readonly reason: string; readonly hint: string }

function unmetEvidence(question: RuleInput, after: AfterEvidence): Unmet | null {
  const { context, call } = question
  const { evidence, scope = 'run' } = after
  const { workspace, recorded: own = [] } = context.seen ?? {}
  const recorded = scope === 'run' ? own : [...(context.around.session?.evidence ?? []), ...own]
  // WHY: the fingerprint is of the workspace of the run, and says nothing of another work tree.
  const fingerprint = workspace?.folder === call.workspace ? workspace.fingerprint : null
  const { at } = context
  const changingSince = lastOpenChange(statesIn(question, scope), at)
  const changing = changingSince === null ? {} : { changingSince }
  const answer = meetsRequirement(evidence, recorded, {
    ...workspace,
    fingerprint,
    at,
    ...changing,
  })
  return answer.met ? null : answer
}

function unmetCall(question: RuleInput, after: AfterCall): Unmet | null {
  const { meters } = question.context.around
  const unknown = sessionProblem(question, after.scope)
  if (unknown !== null) return unknown
  const reason =
    meters === null ? 'nothing is known of earlier calls' : problemOf(question, after, meters)
  const hint = `make ${afterText(after)}; when it has succeeded, make this call again`
  return reason === null ? null : { reason, hint }
}

function afterText({ capability, input }: AfterCall): string {
  const values = (input ?? []).map(({ field, value }) => {
    return `\`${keysOf(field).join('.')}\` ${JSON.stringify(value)}`
  })
  return values.length === 0
    ? `a call of \`${capability}\``
    : `a call of \`${capability}\` with ${values.join(' and ')}`
}

/** Why a prerequisite is not met; null: it is. */
function problemOf(question: RuleInput, after: AfterCall, meters: Meters): string | null {
  const { at } = question.context
  const seen = seenIn(question, after)
  if (seen === undefined) return 'none has succeeded'
  let last: SeenCall = seen.last
  if (after.same !== undefined) {
    const value = ownValue(question, after.same)
    if (value === null) return `this call has no ${fieldsText(after.same)}`
    const found = seen.values?.findLast((one) => one.value === value)
    if (found === undefined) return `none has succeeded with the same ${fieldsText(after.same)}`
    last = found
  }
  const { withinMs, isFresh } = after
  if (withinMs !== undefined && at - last.at >= withinMs) {
    return `the last one ended more than ${windowText(withinMs)} ago`
  }
  if (isFresh !== true) return null
  const { changes, since = 0 } = last
  const isChanged =
    changes !== changesIn(meters) || isChangedBeside(statesIn(question, 'run'), { at, since })
  return isChanged ? 'files may have been changed since' : null
}

function ownValue({ call }: RuleInput, pairs: readonly FieldPair[]): string | null {
  const hashes: string[] = []
  for (const { own: field } of pairs) {
    const value = valueUnder(call.input, keysOf(field))
    if (value === undefined) return null
    hashes.push(valueHash(value))
  }
  return joinHashes(hashes)
}

function fieldsText(pairs: readonly FieldPair[]): string {
  return pairs.map(({ own: field }) => `\`${field.join('.')}\``).join(' and ')
}
