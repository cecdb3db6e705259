/**
 * The format of a policy as an author or operator writes it. Knows field names and types; the
 * compiler knows what they mean.
 */
import { z } from 'zod'
import { isolationLevels } from '../machine/isolation-levels.ts'
import { proofLevels } from '../machine/proof-levels.ts'
import { aftersSchema, callCountSchema, callFilterSchema, sumSchema } from './order-schema.ts'

const rateLimitSchema = z
  .object({
    max_calls: z.int().min(1).describe('Maximum number of calls within the window.'),
    window_seconds: z.number().gt(0).describe('Length of the rolling window in seconds.'),
  })
  .meta({ id: 'rate_limit' })

const budgetLimitSchema = z
  .object({
    max_usd: z.number().gt(0).describe('Dollars that may be spent in one period.'),
    period: z
      .enum(['hourly', 'daily', 'monthly'])
      .describe('When the budget is reset. Periods are in UTC.'),
  })
  .meta({ id: 'budget_limit' })

const capability = z
  .string()
  .min(1)
  .max(500)
  .describe('What the rule applies to: `bash`, `mcp:server:tool`, or a prefix followed by `*`.')

const proof = z
  .enum(proofLevels)
  .describe(
    'How a decision must be proven: `passkey` needs a signature with a registered passkey. ' +
      'A level that is set elsewhere is never lowered.',
  )

/** How decisions are proven, in a whole definition or policy. */
export const approvalProofSchema = z.object({ proof }).meta({ id: 'approval_proof' })

/** Who has to agree, where people are asked, and how they prove it. */
export const approvalsSchema = z
  .object({
    needed: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .describe('How many different people have to approve. Default: 1.'),
    from: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(100)
      .optional()
      .describe(
        "Names of the people whose approval counts. Without this field, anyone's approval counts.",
      ),
    proof: proof.optional(),
  })
  .meta({ id: 'approvals' })

const policyRuleSchema = z
  .object({
    capability,
    rate_limit: rateLimitSchema.optional().describe('Denies calls above this rate.'),
    budget_limit: budgetLimitSchema.optional().describe('Denies calls once the budget is spent.'),
    approvals: approvalsSchema
      .optional()
      .describe('Who has to approve the call. With this field, a rule in `allow` asks too.'),
    when: callFilterSchema
      .optional()
      .describe('The calls that `after`, `count` and `sum` apply to. Default: all that match.'),
    after: aftersSchema
      .optional()
      .describe('Denies the call until these earlier calls have succeeded.'),
    count: callCountSchema.optional().describe('Denies calls above this number.'),
    sum: sumSchema.optional().describe('Denies calls whose numbers add up to more than this.'),
  })
  .meta({ id: 'policy_rule' })

const failuresMax = z.int().min(1).max(1_000_000).optional()

/** How often the same call may fail. */
const repeatsSchema = z
  .strictObject({
    tell_after: failuresMax.describe(
      'The agent is told once what to do instead after this many failures. Default: 3.',
    ),
    ask_after: failuresMax.describe(
      'A person is asked about each further one after this many failures. Default: 8.',
    ),
    hold_after: failuresMax.describe('It is denied after this many failures. Default: 16.'),
    window_seconds: z
      .number()
      .gt(0)
      .max(86_400)
      .optional()
      .describe('A failure is forgotten after this time without another one. Default: 900.'),
  })
  .meta({ id: 'repeated_failures' })

const denyRuleSchema = z.object({ capability }).meta({ id: 'deny_rule' })

/** A policy: which capabilities are allowed, asked about or denied. */
export const policySchema = z
  .object({
    role: z.string().optional().describe('The role that the policy applies to, usually `agent`.'),
    allow: z.array(policyRuleSchema).optional().describe('Calls that are made without asking.'),
    ask: z.array(policyRuleSchema).optional().describe('Calls that a person must approve first.'),
    deny: z
      .array(denyRuleSchema)
      .optional()
      .describe('Calls that are never allowed. These rules are checked first.'),
    default: z
      .enum(['allow', 'deny'])
      .optional()
      .describe('What happens to a call that no rule matches. Default: `allow`.'),
    observe: z
      .boolean()
      .optional()
      .describe(
        'Records what this policy, or the definition it is in, would deny, without enforcing ' +
          'it. In the data directory, this covers everything below it too. Default: `false`.',
      ),
    min_isolation: z
      .enum(isolationLevels)
      .optional()
      .describe(
        'The minimum isolation level for jobs. If it is not available, they are not started.',
      ),
    approvals: approvalProofSchema
      .optional()
      .describe('How every decision in the runs under this policy must be proven.'),
    repeated_failures: repeatsSchema
      .optional()
      .describe(
        'How often the same call may fail while nothing changes. Of several policies, the ' +
          'strictest numbers apply.',
      ),
  })
  .meta({ id: 'policy' })

export type PolicyDefinition = z.infer<typeof policySchema>
