/**
 * Whether the limits of matching rules have room for one more call.
 * Knows rules and what was used of them. Whatever cannot be told counts as used up.
 */

import type { Reservation } from '../engine/types.ts'
import { own } from '../json.ts'
import type { PolicyRule } from '../machine/machine.ts'
import { usdText } from '../money.ts'
import type { Meters } from './meters.ts'
import { callsWithin, roomAt, spentIn } from './meters.ts'
import { nextPeriodAt } from './periods.ts'

/** A rule with a limit, and the meter on which it is counted. */
export type Limited = { readonly rule: PolicyRule; readonly meter: string }

/** Why there is no room. */
export type Full = {
  readonly code: 'RATE_LIMITED' | 'BUDGET_EXHAUSTED'
  readonly rule: string
  readonly reason: string
  readonly hint: string
}

export type Usage = {
  readonly meters: Meters | null
  readonly at: number
  /** When the call in question was granted, and so counted already; null: it was not. */
  readonly since: number | null
  /** Money that open calls hold, by meter; absent: none. */
  readonly reserved?: { readonly [meter: string]: number }
  /** What the call in question may cost; absent: nobody said. */
  readonly estimateMicroUsd?: number
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
export function findFull(limited: readonly Limited[], usage: Usage): Full | null {
  for (const one of limited) {
    const full = fullRate(one, usage) ?? fullBudget(one, usage)
    if (full !== null) return full
  }
  return null
}

function fullRate({ rule, meter }: Limited, { meters, at, since }: Usage): Full | null {
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
    reason: `\`${rule.capability}\` is limited to ${calls} in ${spanText(windowMs)}`,
    hint: free === null || !isKnown ? 'do something else first' : waitHint(free - at),
  }
}

function fullBudget({ rule, meter }: Limited, usage: Usage): Full | null {
  const { meters, at, reserved = {}, estimateMicroUsd = 0 } = usage
  const { budget } = rule
  if (budget === null) return null
  const { microUsdMax, period } = budget
  const isKnown = meters !== null && Number.isFinite(at)
  const spent = isKnown ? spentIn(own(meters, meter), period, at) : Number.NaN
  const held = own(reserved, meter) ?? 0
  if (hasRoom(spent + held, estimateMicroUsd, microUsdMax)) return null
  return {
    code: 'BUDGET_EXHAUSTED',
    rule: rule.origin,
    reason:
      `the ${period} budget of ${usdText(microUsdMax)} for \`${rule.capability}\` ` +
      (isKnown ? usedText({ spent, held, estimateMicroUsd }) : 'cannot be read'),
    hint: isKnown ? waitHint(nextPeriodAt(at, period) - at) : 'do something else first',
  }
}

/**
 * Whether a budget has room for one more call: anything left is enough for a call of which nobody
 * knows what it will cost, and all of it for one with an estimate.
 */
export function hasRoom(usedMicroUsd: number, estimateMicroUsd: number, max: number): boolean {
  return usedMicroUsd < max && usedMicroUsd + estimateMicroUsd <= max
}

type Used = {
  readonly spent: number
  readonly held: number
  readonly estimateMicroUsd: number
}

/** `is used up ($4.10, and $0.90 held for open calls)`; an estimate that is too large is said. */
export function usedText({ spent, held, estimateMicroUsd }: Used): string {
  const open = held === 0 ? '' : `, and ${usdText(held)} held for open calls`
  const asked = estimateMicroUsd === 0 ? '' : `; this call may cost ${usdText(estimateMicroUsd)}`
  return `is used up (${usdText(spent)}${open}${asked})`
}

function waitHint(waitMs: number): string {
  return `it has room again in ${spanText(Math.max(waitMs, 1))}; do something else meanwhile`
}

const spans = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A length of time in its largest unit, rounded up so that waiting it out is enough. */
function spanText(ms: number): string {
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
