/**
 * A policy document compiled into rules: seconds to milliseconds, dollars to millionths.
 */
import { joinPointer } from '../finding.ts'
import type { Policy, PolicyRule } from '../machine/machine.ts'
import { approvalRulesOf } from '../machine/quorum.ts'
import { microUsd } from '../money.ts'
import { compileOrder } from './compile-order.ts'
import type { PolicyDefinition } from './schema.ts'

type RuleDefinition = NonNullable<PolicyDefinition['allow']>[number]

/** The policy that a document means; `pointer` is where it stands in the document. */
export function compilePolicy(
  definition: PolicyDefinition,
  pointer: string,
  document?: string,
): Policy {
  const tier = (name: 'allow' | 'ask' | 'deny'): PolicyRule[] =>
    (definition[name] ?? []).map((rule, index) =>
      compileRule(rule, joinPointer(pointer, name, index)),
    )
  const allow = tier('allow')
  // WHY: who has to approve is asked, whatever list the rule stands in.
  const asking = allow.filter(saysHow)
  const { min_isolation: least, observe, approvals } = definition
  return {
    role: definition.role ?? 'agent',
    allow: allow.filter((rule) => !saysHow(rule)),
    ask: [...tier('ask'), ...asking],
    deny: tier('deny'),
    otherwise: definition.default ?? 'allow',
    ...(observe === true ? { observe: 'own' } : {}),
    ...(least === undefined ? {} : { minIsolation: least }),
    ...(approvals === undefined ? {} : { proof: approvals.proof }),
    ...compileRepeats(definition),
    ...(document === undefined ? {} : { source: { document, pointer } }),
  }
}

function compileRepeats({ repeated_failures: set }: PolicyDefinition): Pick<Policy, 'repeats'> {
  if (set === undefined) return {}
  const { tell_after, ask_after, hold_after, window_seconds } = set
  return {
    repeats: {
      ...(tell_after === undefined ? {} : { tellAfter: tell_after }),
      ...(ask_after === undefined ? {} : { askAfter: ask_after }),
      ...(hold_after === undefined ? {} : { holdAfter: hold_after }),
      ...(window_seconds === undefined ? {} : { windowMs: window_seconds * 1000 }),
    },
  }
}

/** Whether a rule says who has to approve, or how. */
function saysHow({ quorum, proof }: PolicyRule): boolean {
  return quorum !== undefined || proof !== undefined
}

function compileRule(rule: RuleDefinition, origin: string): PolicyRule {
  const { rate_limit: rate, budget_limit: budget, approvals } = rule
  return {
    capability: rule.capability,
    rate:
      rate === undefined
        ? null
        : { callsMax: rate.max_calls, windowMs: rate.window_seconds * 1000 },
    budget:
      budget === undefined
        ? null
        : { microUsdMax: microUsd(budget.max_usd), period: budget.period },
    ...approvalRulesOf(approvals),
    ...compileOrder(rule, origin),
    origin,
  }
}
