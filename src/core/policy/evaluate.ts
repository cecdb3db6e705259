/**
 * The answer of a policy to a call: deny, then ask, then allow, then its default.
 * Knows rules and names. Must not know usage: limits are checked elsewhere.
 */

import { lookalikeName } from '../lookalike-names.ts'
import type { Policy, PolicyRule } from '../machine/machine.ts'
import { indexPolicy, matchTier } from './index-policy.ts'

/** The names by which policies may speak of one call. */
export type CallNames = {
  readonly exact: readonly string[]
  /** Names it merely resembles: they can make the answer stricter, never softer. */
  readonly resembled: readonly string[]
}

export type PolicyAnswer = {
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** JSON pointer of the rule; null: no rule speaks of the call, and the default decides. */
  readonly rule: string | null
  readonly tier: 'deny' | 'ask' | 'allow' | 'default'
  /** Matching rules of the tier that have a limit, a quorum or a proof, in the author's order. */
  readonly limited: readonly PolicyRule[]
}

const noRules: readonly PolicyRule[] = []
/** No rule speaks of the call, and nothing is forbidden that is not named. */
export const unspoken: PolicyAnswer = {
  verdict: 'allow',
  rule: null,
  tier: 'default',
  limited: noRules,
}

/** The names of a call: its capability, and the tool's name as hosts and authors spell it. */
export function policyNamesOf(call: {
  readonly capability: string
  readonly tool: string
  readonly commonName: string | null
}): CallNames {
  const exact = [call.capability]
  if (call.tool !== call.capability) exact.push(call.tool)
  if (call.commonName !== null && !exact.includes(call.commonName)) exact.push(call.commonName)
  const resembled: string[] = []
  for (const name of exact) {
    const plain = lookalikeName(name)
    if (plain !== null) resembled.push(plain)
  }
  return { exact, resembled }
}

/** The answer of one policy. A rule that cannot be read counts as one that denies. */
export function evaluatePolicy(policy: Policy, names: CallNames): PolicyAnswer {
  const index = indexPolicy(policy)
  if (index.broken !== null) return denied(index.broken.origin)
  const { exact, resembled } = names
  const strictNames = resembled.length === 0 ? exact : [...exact, ...resembled]
  const deny = matchTier(index.deny, strictNames)
  if (deny !== null) return denied(deny.first.origin)
  const ask = matchTier(index.ask, strictNames)
  if (ask !== null) {
    return { verdict: 'ask', rule: ask.first.origin, tier: 'ask', limited: ask.limited }
  }
  const allow = matchTier(index.allow, exact)
  if (allow !== null) {
    return { verdict: 'allow', rule: allow.first.origin, tier: 'allow', limited: allow.limited }
  }
  if (policy.otherwise === 'allow') return unspoken
  return { verdict: 'deny', rule: null, tier: 'default', limited: noRules }
}

function denied(rule: string): PolicyAnswer {
  return { verdict: 'deny', rule, tier: 'deny', limited: noRules }
}

/** The strictest that a policy says about anything whose name begins so; null: nothing. */
export function strictestOn(policy: Policy, beginning: string): PolicyAnswer | null {
  const isMeant = ({ capability }: PolicyRule): boolean => `${capability}`.startsWith(beginning)
  const deny = policy.deny.find(isMeant)
  if (deny !== undefined) return denied(deny.origin)
  const ask = policy.ask.find(isMeant)
  if (ask === undefined) return null
  return { verdict: 'ask', rule: ask.origin, tier: 'ask', limited: policy.ask.filter(isMeant) }
}
