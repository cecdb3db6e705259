/**
 * Records the cost of the model itself, which no call reports, and warns once for each threshold
 * of a budget.
 */

import { own } from '../json.ts'
import { layersOf, limitsOf } from '../judge/policy-layers.ts'
import { nothingAround } from '../judge/rule-input.ts'
import { costMicroUsdMax, sumMicroUsdMax, tokensMax, usdText } from '../money.ts'
import { evaluatePolicy } from '../policy/evaluate.ts'
import { modelPrefix } from '../policy/index-policy.ts'
import { meterOf } from '../policy/limits.ts'
import { spentIn } from '../policy/meters.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { acceptCommand, emit, openDecision, refuseCommand } from './decision-builder.ts'
import type { Decision, EngineContext, RunState, Spend } from './types.ts'

/** Takes note of money that was spent; a run that has ended still pays. */
export function recordSpend(where: EngineContext, state: RunState, spend: Spend): Decision {
  const { costMicroUsd, tokens } = spend
  const problem = refuseAmounts(state, { cost: costMicroUsd, ...tokens })
  if (problem !== null) return refuseCommand(state, problem)
  const draft = openDecision(where.machine, state, where.envelope)
  const meters = modelMeters(where, spend.model ?? 'unknown')
  emit(draft, { type: 'money.spent', ...spend, at: where.envelope.at, meters })
  warnOfBudgets(draft, { ...where, state, costMicroUsd })
  return acceptCommand(draft)
}

/** Bytes of one result, as a report may say. */
const bytesMax = 1_000_000_000_000
const most: Readonly<Record<string, number>> = { cost: costMicroUsdMax, bytes: bytesMax }

/** Amounts that would give back what was used, are none at all, or are more than can be. */
export function refuseAmounts(
  { costMicroUsd }: Pick<RunState, 'costMicroUsd'>,
  amounts: Readonly<Record<string, number>>,
): Refusal | null {
  for (const [name, amount] of Object.entries(amounts)) {
    const max = own(most, name) ?? tokensMax
    if (Number.isSafeInteger(amount) && amount >= 0 && amount <= max) continue
    return {
      code: 'DATA_INVALID',
      reason: `the ${name} of a call cannot be \`${amount}\``,
      hint: `report the amount as a whole number from 0 to ${max}`,
    }
  }
  if (costMicroUsd + (amounts.cost ?? 0) <= sumMicroUsdMax) return null
  return {
    code: 'DATA_INVALID',
    reason: `the total cost of a run is limited to ${usdText(sumMicroUsdMax)}`,
    hint: 'start another run',
  }
}

/** The meters with a budget on which the cost of a model counts. */
function modelMeters(
  { machine, around = nothingAround }: EngineContext,
  model: string,
): readonly string[] {
  const names = { exact: [`${modelPrefix}${model}`], resembled: [] }
  const limited = layersOf({ machine, around }).flatMap((layer) =>
    limitsOf({ layer, answer: evaluatePolicy(layer.policy, names) }),
  )
  return [...new Set(limited.filter(({ rule }) => rule.budget !== null).map((one) => one.meter))]
}

/** Shares of a budget, in percent, at which its end is announced. */
export const warnedPercents = [80, 95] as const

type Paid = EngineContext & {
  /** The run before it paid. */
  readonly state: RunState
  readonly costMicroUsd: number
}

/** Says once when a budget has passed a share that is worth a warning. */
export function warnOfBudgets(draft: DecisionBuilder, paid: Paid): void {
  if (paid.costMicroUsd === 0) return
  for (const { name, before, after, max } of [...runBudgets(paid), ...policyBudgets(draft, paid)]) {
    const percent = warnedPercents.findLast(
      (one) => before * 100 < max * one && after * 100 >= max * one,
    )
    if (percent === undefined) continue
    const share = Math.floor((after * 100) / max)
    const message = `${usdText(after)} of ${usdText(max)} of ${name} is spent (${share}%)`
    emit(draft, { type: 'warning.raised', code: 'BUDGET_NEARLY_EXHAUSTED', message })
  }
}

type Budget = {
  readonly name: string
  readonly before: number
  readonly after: number
  readonly max: number
}

function runBudgets({ machine, around = nothingAround, state, costMicroUsd }: Paid): Budget[] {
  const own = { machine, costMicroUsd: state.costMicroUsd + around.below.costMicroUsd }
  return [own, ...around.above].flatMap((run) => {
    const max = run.machine.limits.microUsdMax
    if (max === null) return []
    const before = run.costMicroUsd
    const name = `the budget of \`${run.machine.name}\``
    return [{ name, before, after: before + costMicroUsd, max }]
  })
}

/** Budgets of policies on whose meters the last event counts. */
function policyBudgets(draft: DecisionBuilder, paid: Paid): Budget[] {
  const event = draft.events.find(
    (one) => one.type === 'money.spent' || one.type === 'call.reported',
  )
  const counted = event?.meters ?? []
  const { machine, around = nothingAround, envelope, costMicroUsd } = paid
  if (counted.length === 0 || around.meters === null) return []
  const { meters } = around
  return layersOf({ machine, around }).flatMap(({ owner, policy }) =>
    (['ask', 'allow'] as const).flatMap((tier) =>
      policy[tier].flatMap(({ capability, budget }) => {
        const meter = meterOf(owner, tier, capability)
        if (budget === null || !counted.includes(meter)) return []
        const before = spentIn(meters[meter], budget.period, envelope.at)
        const name = `the ${budget.period} budget for \`${capability}\``
        return [{ name, before, after: before + costMicroUsd, max: budget.microUsdMax }]
      }),
    ),
  )
}
