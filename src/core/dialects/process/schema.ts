/**
 * The format of a process as its author writes it: questions with fixed answers. Knows field names
 * and types; the compiler knows what they mean.
 */
import { z } from 'zod'
import { evidenceSchema } from '../../evidence/schema.ts'
import { approvalsSchema } from '../../policy/schema.ts'
import {
  approvalProof,
  commonFields,
  limitField,
  minIsolation,
  nameField,
  namesField,
  sessionBudget,
} from '../common-schema.ts'
import { withPick } from '../validate-tree.ts'

const evidenceList = z.array(evidenceSchema).min(1)
const answerCondition = withPick(z.union([evidenceSchema, evidenceList]), (node) =>
  node.kind === 'list' ? evidenceList : evidenceSchema,
)

const answerSchema = z
  .object({
    next: z.string().nullable().describe('The next state; `null` if this answer ends the process.'),
    action: z
      .enum(['block', 'warn', 'complete', 'notify_human'])
      .optional()
      .describe(
        'Ends the process as blocked or completed, records a warning, or waits for a person.',
      ),
    if: answerCondition
      .optional()
      .describe('The evidence without which this answer is rejected; of a list, all of it.'),
    approvals: approvalsSchema
      .optional()
      .describe('Who has to approve if `notify_human` waits for people.'),
  })
  .meta({ id: 'answer' })

const stateSchema = z
  .object({
    question: z.string().describe('The question that the agent must answer here.'),
    answers: z
      .record(z.string(), answerSchema)
      .optional()
      .describe('The accepted answers. A state without answers ends the process.'),
  })
  .meta({ id: 'state' })

const emailSchema = z
  .object({
    max_emails_per_session: limitField
      .optional()
      .describe('Maximum number of mails that one run may send.'),
    allowed_from: namesField.optional().describe('Allowed sender addresses.'),
    allowed_to: namesField.optional().describe('Allowed recipient addresses (to, cc and bcc).'),
  })
  .meta({ id: 'email_config' })

/** A process definition, also as a service stores it. */
export const processSchema = z.object({
  ...commonFields('process'),
  id: z
    .string()
    .optional()
    .describe('Set by the service that stores the definition; kept, but never used as its name.'),
  name: z.string().describe('Name of the definition: lower-case letters, digits and hyphens.'),
  initial: nameField.describe('The state with the first question.'),
  initial_prompt: z.string().optional().describe('Sent to the agent once, before the first turn.'),
  states: z.record(z.string(), stateSchema).describe('All states by name.'),
  session_budget_usd: sessionBudget,
  min_isolation: minIsolation,
  approvals: approvalProof,
  email_config: emailSchema.optional().describe('Limits on the mail that the agent sends.'),
  allowed_tools: namesField
    .optional()
    .describe("Which of Pawl's memory and task tools may be used. Default: all."),
})

export type ProcessDefinition = z.infer<typeof processSchema>
