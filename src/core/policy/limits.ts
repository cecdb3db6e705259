/**
 * Whether the limits of matching rules have room for one more call. Knows rules and usage. What
 * cannot be determined counts as used up.
 */

import type { CostEstimate, HeldAmounts, Reservation } from '../engine/types.ts'
import { own } from '../json.ts'
import type { PolicyRule } from '../machine/machine.ts'
import { usdText } from '../money.ts'
import type { Meters } from './meters.ts'
import { callsWithin, roomAt, spentIn } from './meters.ts'
import { nextPeriodAt } from './periods.ts'

/** A rule with a limit, and the meter on which it is counted. */
export type Limited = { readonly rule: PolicyRule; readonly meter: string }

/** Why there is no room. */
type Full = {
  readonly code: 'RATE_LIMITED' | 'BUDGET_EXHAUSTED'
  readonly rule: string
  readonly reason: string
  readonly hint: string
}

export type LimitUsage = {
  readonly meters: Meters | null
  readonly at: number
  /** When the call in question was granted, and so counted already; null: it was not. */
  readonly since: number | null
  /** What open calls hold, by meter; absent: nothing. */
  readonly held?: { readonly [meter: string]: HeldAmounts }
  /** What the call in question may cost; absent: nobody knows. */
  readonly wish?: CostEstimate
}

/**
 * The name of a rule's meter: whose policy, which tier, which pattern.
 * WHY not the rule's place: a policy that an operator edits while runs are open would lose or
 *     swap its counts when a rule is put in front of another.
 */
export function meterOf(owner: string, tier: 'ask' | 'allow', capability: string): string {
  return `${owner} ${tier} ${capability}`
}

/** The first rule without room, in the author's order; null: all have room. */
export function findFull(limited: readonly Limited[], usage: LimitUsage): Full | null {
  for (const one of limited) {
    const full = fullRate(one, usage) ?? fullBudget(one, usage)
    if (full !== null) return full
  }
  return null
}

function fullRate({ rule, meter }: Limited, { meters, at, since }: LimitUsage): Full | null {
  const { rate } = rule
  if (rate === null) return null
  const { callsMax, windowMs } = rate
  const used = meters === null ? undefined : own(meters, meter)
  const isKnown = meters !== null && windowMs > 0 && Number.isFinite(at)
  const itself = since !== null && since > at - windowMs ? 1 : 0
  if (isKnown && callsWithin(used, windowMs, at) - itself < callsMax) return null
  const free = used === undefined ? null : roomAt(used, rate)
  const calls = callsMax === 1 ? '1 call' : `${callsMax} calls`
  return {
    code: 'RATE_LIMITED',
    rule: rule.origin,
    reason: `\`${rule.capability}\` is limited to ${calls} in ${windowText(windowMs)}`,
    hint: free === null || !isKnown ? 'do something else first' : waitHint(free - at),
  }
}

function fullBudget({ rule, meter }: Limited, usage: LimitUsage): Full | null {
  const { meters, at, wish = unknownCost } = usage
  const { budget } = rule
  if (budget === null) return null
  const { microUsdMax, period } = budget
  const isKnown = meters !== null && Number.isFinite(at)
  const spent = isKnown ? spentIn(own(meters, meter), period, at) : Number.NaN
  const used = { spent, held: own(usage.held ?? {}, meter) ?? noneHeld, max: microUsdMax }
  if (hasRoom(used, wish)) return null
  return {
    code: 'BUDGET_EXHAUSTED',
    rule: rule.origin,
    reason:
      `the ${period} budget of ${usdText(microUsdMax)} for \`${rule.capability}\` ` +
      (isKnown ? usedText(used, wish) : 'cannot be read'),
    hint: isKnown
      ? (openHint(used) ?? waitHint(nextPeriodAt(at, period) - at))
      : 'do something else first',
  }
}

const unknownCost: CostEstimate = { microUsd: null, saidMicroUsd: 0 }
const noneHeld: HeldAmounts = { microUsd: 0, unknown: 0 }

/** What was spent of a budget, and what open calls hold of it. */
export type Used = { readonly spent: number; readonly held: HeldAmounts; readonly max: number }

/**
 * Whether a budget has room for one more call. What its maker says has to fit; beyond that anything
 * left is enough, but only one may be open that could go beyond the end.
 * INVARIANT: as long as no call costs more than it holds, the budget is overshot by one at most.
 */
export function hasRoom(
  { spent, held, max }: Used,
  { microUsd, saidMicroUsd }: CostEstimate,
): boolean {
  const used = spent + held.microUsd
  if (!(used < max)) return false
  const fits = microUsd !== null && used + microUsd <= max
  return fits || (held.unknown === 0 && used + saidMicroUsd <= max)
}

/** `is used up ($4.10 spent, and $0.90 held for open calls)`; a wish that is too large is said. */
export function usedText(used: Used, { microUsd }: CostEstimate): string {
  const { spent, held } = used
  const open = held.microUsd === 0 ? '' : `, ${usdText(held.microUsd)} reserved for open calls`
  const asked =
    microUsd === null || microUsd === 0 ? '' : `; this call may cost ${usdText(microUsd)}`
  const how = isWaiting(used) ? 'has to wait for an open call of unknown cost' : 'is used up'
  return `${how} (${usdText(spent)} spent${open}${asked})`
}

/** How to go on where only an open call stands in the way; null: something else does. */
export function openHint(used: Used): string | null {
  if (!isWaiting(used)) return null
  return 'report the open call first, or check this one with `estimateMicroUsd`: it may be 0'
}

function isWaiting({ spent, held, max }: Used): boolean {
  return held.unknown > 0 && spent + held.microUsd < max
}

function waitHint(waitMs: number): string {
  return `it can be used again in ${windowText(Math.max(waitMs, 1))}; do something else until then`
}

const spans = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A length of time in its largest unit, rounded up so that waiting it out is enough. */
export function windowText(ms: number): string {
  for (const [word, unitMs] of spans) {
    if (ms < unitMs) continue
    const isWhole = ms % unitMs === 0
    if (!isWhole && word !== 'second' && ms < 2 * unitMs) continue
    const count = Math.ceil(ms / unitMs)
    return `${count} ${word}${count === 1 ? '' : 's'}`
  }
  return `${Math.ceil(ms)} ms`
}

/** What a call that is let through counts against: each meter once, as long as any rule needs. */
export function reservationsFor(
  limited: readonly Limited[],
  since: number | null,
): readonly Reservation[] {
  if (limited.length === 0) return []
  const windows = new Map<string, number | null>()
  for (const { rule, meter } of limited) {
    const known = windows.get(meter) ?? null
    const windowMs = rule.rate?.windowMs ?? null
    windows.set(
      meter,
      known === null || windowMs === null ? (windowMs ?? known) : Math.max(known, windowMs),
    )
  }
  const moved = since === null ? {} : { since }
  return [...windows].map(([meter, windowMs]) => ({ meter, windowMs, ...moved }))
}
