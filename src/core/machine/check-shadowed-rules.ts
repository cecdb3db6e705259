/**
 * Findings about a policy's own rules.
 * Knows tiers and capability patterns. Must not know calls.
 */
import { type Finding, finding } from '../finding.ts'
import type { CheckContext } from './check-context.ts'
import type { Policy, PolicyRule } from './machine.ts'

/** RULE_SHADOWED: a stricter tier always speaks first for the same capability. */
export function checkPolicy(survey: CheckContext): readonly Finding[] {
  const { policy } = survey.machine
  return policy === null ? [] : shadowedRules(policy)
}

/** A remark for each rule of a policy that can never speak. */
export function shadowedRules(policy: Policy): readonly Finding[] {
  const deny = tierOf('deny', policy.deny)
  const ask = tierOf('ask', policy.ask)
  return [
    ...policy.ask.flatMap((rule) => shadowOf(rule, 'ask', [deny])),
    ...policy.allow.flatMap((rule) => shadowOf(rule, 'allow', [deny, ask])),
  ]
}

type Tier = {
  readonly name: string
  readonly exact: ReadonlySet<string>
  /** Patterns without their trailing `*`. */
  readonly beginnings: ReadonlySet<string>
}

function tierOf(name: string, rules: readonly PolicyRule[]): Tier {
  const capabilities = rules.map((rule) => rule.capability)
  const wide = capabilities.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1))
  return { name, exact: new Set(capabilities), beginnings: new Set(wide) }
}

function shadowOf(rule: PolicyRule, own: string, stricter: readonly Tier[]): Finding[] {
  for (const tier of stricter) {
    const by = coveredBy(rule.capability, tier)
    if (by === null) continue
    const same = by === rule.capability ? 'too' : `by \`${by}\``
    const message =
      `\`${rule.capability}\` in \`${own}\` has no effect: ` +
      `\`${tier.name}\` matches it ${same} and is checked first`
    const hint = `remove it from \`${own}\`, or narrow the rule in \`${tier.name}\``
    return [finding('RULE_SHADOWED', rule.origin, { message, hint })]
  }
  return []
}

/** The pattern of a tier that matches whatever this one does; null: none. */
function coveredBy(capability: string, tier: Tier): string | null {
  if (tier.exact.has(capability)) return capability
  const name = capability.endsWith('*') ? capability.slice(0, -1) : capability
  for (let end = name.length; end >= 0; end -= 1) {
    if (tier.beginnings.has(name.slice(0, end))) return `${name.slice(0, end)}*`
  }
  return null
}
