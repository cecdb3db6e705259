/**
 * Whether there is room for one more call: in the budgets and counts of the run and of those above
 * it, in the limits of policies, and among the calls that reserve money.
 */

import { addHeld, heldByCall, nothingHeld, wishOf } from '../engine/budget-reservations.ts'
import { openCallsMax } from '../engine/evolve.ts'
import { hasEnded } from '../engine/is-running.ts'
import type { CostEstimate, Denial, RunUsage } from '../engine/types.ts'
import type { DenialCode } from '../errors.ts'
import type { Machine, RuleRef, RunOrigins } from '../machine/machine.ts'
import { usdText } from '../money.ts'
import { findFull, hasRoom, type LimitUsage, openHint, usedText } from '../policy/limits.ts'
import { modelLimits, type PlacedLimit } from './policy-layers.ts'
import { denyBy, noAnswers, passBy, type RuleAnswer } from './rule-answer.ts'
import type { Rule, RuleInput } from './rule-input.ts'
import { isUncounted } from './rule-on-counts.ts'

// ── runs ────────────────────────────────────────────────────────────────────

type Used = RunUsage & { readonly machine: Machine }

/** Limits of whole runs: a child uses up what its parents may use, and not only its own. */
export const runLimits: Rule = (question) => {
  const { context, machine, state, call } = question
  const { around, at } = context
  const { below, above, dearest = state.dearest ?? {} } = around
  if (!isLimited({ machine }) && !above.some(isLimited)) return noAnswers
  // Without it, the agent could not even finish the run.
  if (call.bookkeeping?.kind === 'own') return noAnswers
  const own = {
    machine,
    callsCount: state.callsCount + below.callsCount,
    costMicroUsd: state.costMicroUsd + below.costMicroUsd,
    held: addHeld(heldByCall(state, { at, dearest }), below.held ?? nothingHeld),
  }
  const wish = wishOf(context, state, call.tool)
  // Calls are the stages' business, which is over after the end; money stays what it is.
  const isFree = hasEnded(state) || state.status === 'paused' || isUncounted(call)
  const answers: RuleAnswer[] = []
  for (const run of [own, ...above]) {
    const money = exhaustedMoney(run, wish)
    if (money !== null) answers.push(runAnswer(run, 'microUsdMax', money))
    const calls = isFree ? null : exhaustedCalls(run)
    if (calls !== null) answers.push(runAnswer(run, 'callsMax', calls))
  }
  return answers
}

function isLimited({ machine }: Pick<Used, 'machine'>): boolean {
  return machine.limits.microUsdMax !== null || machine.limits.callsMax !== null
}

function runAnswer({ machine }: Used, field: keyof RunOrigins, denial: Denial): RuleAnswer {
  const rule = { document: machine.name, pointer: machine.origins?.run[field] ?? '' }
  return denyBy({ by: 'run-limit', rule, denial })
}

function exhaustedMoney(run: Used, wish: CostEstimate): Denial | null {
  const { microUsdMax: max } = run.machine.limits
  if (max === null) return null
  const used = { spent: run.costMicroUsd, held: run.held ?? nothingHeld, max }
  if (hasRoom(used, wish)) return null
  const budget = `the budget of ${usdText(max)} of \`${run.machine.name}\``
  const denied = exhausted('BUDGET_EXHAUSTED', `${budget} ${usedText(used, wish)}`)
  return { ...denied, hint: openHint(used) ?? denied.hint }
}

function exhaustedCalls(run: Used): Denial | null {
  const { callsMax } = run.machine.limits
  if (callsMax === null || run.callsCount < callsMax) return null
  const whose = `\`${run.machine.name}\``
  return exhausted('CALLS_EXHAUSTED', `${whose} allows ${callsMax} calls, and all of them are used`)
}

function exhausted(code: DenialCode, reason: string): Denial {
  const hint = 'finish the run without further tool calls; it can still move on'
  return { code, reason, hint }
}

// ── policies ────────────────────────────────────────────────────────────────

/** Limits of the policies' rules that speak of the call, then the budgets of models. */
export const policyLimits: Rule = (question) => {
  const consulted = question.policies()
  if (consulted.length === 0) return noAnswers
  const limits = question.limits()
  const models = modelLimits(consulted)
  if (limits.length + models.length === 0) return noAnswers
  const usage = usageOf(question)
  return [...limits, ...models].flatMap((limit) => limitAnswers(question, limit, usage))
}

function usageOf(question: RuleInput): LimitUsage {
  const { context, state, call } = question
  const { around, at } = context
  const { meters, held = {} } = around
  const since = question.grant()?.at ?? null
  return { meters, at, since, held, wish: wishOf(context, state, call.tool) }
}

function limitAnswers(
  { extent }: RuleInput,
  limit: PlacedLimit,
  usage: LimitUsage,
): readonly RuleAnswer[] {
  const { source: rule } = limit
  const full = findFull([limit], usage)
  if (full !== null) return [denyBy({ by: 'limit', rule, denial: full })]
  if (extent === 'decision') return noAnswers
  const reason = `\`${limit.rule.capability}\` is below its limit`
  return [passBy({ by: 'limit', says: 'allow', rule, reason })]
}

// ── open calls ──────────────────────────────────────────────────────────────

/** WHY denied, also what holds nothing: one of the two could not be kept until its report. */
export const openCallsLimit: Rule = ({ state, context: { at } }) => {
  const { openCalls, holdsCount = 0 } = state
  if (holdsCount < openCallsMax) return noAnswers
  const holding = openCalls.filter(({ reserve }) => reserve !== undefined && at < reserve.until)
  if (holding.length < openCallsMax) return noAnswers
  const reason = `${openCallsMax} open calls reserve money, which is the most that a run can track`
  const rule: RuleRef | null = null
  return [denyBy({ by: 'run-limit', rule, denial: exhausted('BUDGET_EXHAUSTED', reason) })]
}
