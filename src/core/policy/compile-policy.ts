/**
 * A policy document compiled into rules: seconds to milliseconds, dollars to millionths.
 */
import { join } from '../finding.ts'
import type { Policy, PolicyRule } from '../machine/machine.ts'
import type { PolicyDefinition } from './schema.ts'

type RuleDefinition = NonNullable<PolicyDefinition['allow']>[number]

const microPerUsd = 1_000_000

/** The policy that a document means; `pointer` is where it stands. */
export function compilePolicy(definition: PolicyDefinition, pointer: string): Policy {
  const tier = (name: 'allow' | 'ask' | 'deny'): PolicyRule[] =>
    (definition[name] ?? []).map((rule, index) => compileRule(rule, join(pointer, name, index)))
  return {
    role: definition.role ?? 'agent',
    allow: tier('allow'),
    ask: tier('ask'),
    deny: tier('deny'),
    otherwise: definition.default ?? 'allow',
  }
}

function compileRule(rule: RuleDefinition, origin: string): PolicyRule {
  const { rate_limit: rate, budget_limit: budget } = rule
  return {
    capability: rule.capability,
    rate:
      rate === undefined
        ? null
        : { callsMax: rate.max_calls, windowMs: rate.window_seconds * 1000 },
    budget:
      budget === undefined
        ? null
        : { microUsdMax: Math.round(budget.max_usd * microPerUsd), period: budget.period },
    origin,
  }
}

/** Dollars as whole millionths, so that money adds exactly. */
export function microUsd(usd: number): number {
  return Math.round(usd * microPerUsd)
}
