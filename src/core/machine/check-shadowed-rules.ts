/**
 * Findings about a policy's own rules.
 * Knows tiers and capability patterns. Must not know calls.
 */
import { type Finding, finding } from '../finding.ts'
import type { CheckContext } from './check-context.ts'
import type { Policy, PolicyRule } from './machine.ts'

/**
 * RULE_SHADOWED: a stricter tier always speaks first for the same capability.
 * WHEN_ALLOWS_MORE: a rule allows also what its `when` does not name.
 */
export function checkPolicy(survey: CheckContext): readonly Finding[] {
  const { policy } = survey.machine
  return policy === null ? [] : [...shadowedRules(policy), ...widerRules(policy)]
}

/** Who denies all else may take `when` for what is allowed. A rule without `when` says it. */
function widerRules({ allow, otherwise }: Policy): readonly Finding[] {
  if (otherwise === 'allow') return []
  const plain = tierOf(
    'allow',
    allow.filter((rule) => rule.when === undefined),
  )
  const wider = allow.filter(({ when, capability }) => {
    return when !== undefined && coveredBy(capability, plain) === null
  })
  return wider.map(({ capability, origin }) => {
    const message =
      `this rule allows every call of \`${capability}\`: for calls that \`when\` does not name, ` +
      '`after`, `count` and `sum` do not hold'
    const hint = `drop \`when\`, or, if that is meant, add a rule for \`${capability}\` without it`
    return finding('WHEN_ALLOWS_MORE', origin, { message, hint })
  })
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
