/**
 * What a policy looks like when an author or an operator writes it.
 * Knows field names and their kinds. What they mean is the compiler's business.
 */
import { z } from 'zod'
import { isolationLevels } from '../machine/isolation-levels.ts'

const rateLimitSchema = z
  .object({
    max_calls: z.int().min(1).describe('Calls that are let through within the window.'),
    window_seconds: z.number().gt(0).describe('Length of the rolling window in seconds.'),
  })
  .meta({ id: 'rate_limit' })

const budgetLimitSchema = z
  .object({
    max_usd: z.number().gt(0).describe('Dollars that may be spent in one period.'),
    period: z
      .enum(['hourly', 'daily', 'monthly'])
      .describe('When the budget starts anew. Periods are those of UTC.'),
  })
  .meta({ id: 'budget_limit' })

const capability = z
  .string()
  .min(1)
  .max(500)
  .describe('What the rule is about: `bash`, `mcp:server:tool`, or a beginning followed by `*`.')

/** Who has to agree, where people are asked. */
export const approvalsSchema = z
  .object({
    needed: z.int().min(1).max(20).describe('How many different people have to approve.'),
    from: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(100)
      .optional()
      .describe('Names of those whose approval counts; without it, every person counts.'),
  })
  .meta({ id: 'approvals' })

const policyRuleSchema = z
  .object({
    capability,
    rate_limit: rateLimitSchema.optional().describe('Denies the calls beyond a pace.'),
    budget_limit: budgetLimitSchema.optional().describe('Denies calls once the money is spent.'),
    approvals: approvalsSchema
      .optional()
      .describe('Who has to approve the call. A rule in `allow` with it asks as well.'),
  })
  .meta({ id: 'policy_rule' })

const denyRuleSchema = z.object({ capability }).meta({ id: 'deny_rule' })

/** A policy: which capabilities are allowed, asked about or denied. */
export const policySchema = z
  .object({
    role: z.string().optional().describe('Whom the policy is about; usually `agent`.'),
    allow: z.array(policyRuleSchema).optional().describe('Calls that run without asking.'),
    ask: z.array(policyRuleSchema).optional().describe('Calls that a person must approve first.'),
    deny: z.array(denyRuleSchema).optional().describe('Calls that never run. Read first.'),
    default: z
      .enum(['allow', 'deny'])
      .optional()
      .describe('What happens to a call that no rule names; `allow` when absent.'),
    min_isolation: z
      .enum(isolationLevels)
      .optional()
      .describe('Jobs that cannot be held so strongly are refused.'),
  })
  .meta({ id: 'policy' })

export type PolicyDefinition = z.infer<typeof policySchema>
