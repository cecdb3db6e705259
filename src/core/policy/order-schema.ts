/**
 * The format of what a policy rule demands of the past: earlier calls, counts and sums. Knows field
 * names and types; the compiler knows what they mean.
 */
import { z } from 'zod'
import { withPick } from '../dialects/validate-tree.ts'
import { evidenceFields } from '../evidence/schema.ts'
import { orderScopes } from '../machine/order-rule.ts'
import { memberOf } from '../source/source.ts'

const fieldPattern = /^(input|output)(\.[^.\s]{1,200}){1,8}$/
const inputPattern = /^input(\.[^.\s]{1,200}){1,8}$/

const field = z
  .string()
  .regex(fieldPattern, '`input.NAME` or `output.NAME`')
  .describe('A field of a call: `input.amount`, or `output.id` of its JSON result.')
const inputField = z
  .string()
  .regex(inputPattern, '`input.NAME`')
  .describe("A field of the call's input: `input.amount`.")

const scope = z
  .enum(orderScopes)
  .optional()
  .describe(
    'Whose calls count: `run` (the run and its child runs; the default) or `session` (all runs ' +
      'that the session of the host has had, one after another).',
  )

const inputMatches = z
  .record(z.string().min(1).max(200), z.unknown())
  .describe(
    'Values that fields of the input must have, by name; `a.b` is a field inside a field. A text ' +
      'that ends in `*` matches every text with that beginning.',
  )

const windowSeconds = z
  .number()
  .gt(0)
  .optional()
  .describe('Length of the rolling window in seconds. Without it, every earlier call counts.')

/** Which calls the conditions of a rule apply to. */
export const callFilterSchema = z
  .strictObject({
    input: inputMatches.optional(),
    commands: z
      .array(z.string().min(1).max(1_000))
      .min(1)
      .max(100)
      .optional()
      .describe('Shell commands, such as `git push`. A text applies if it may run one of them.'),
  })
  .meta({ id: 'call_filter' })

/** An earlier call that has to have succeeded. */
const afterCallSchema = z
  .strictObject({
    capability: z
      .string()
      .min(1)
      .max(500)
      .describe('The earlier call: `mcp:server:tool`, a tool, or a prefix followed by `*`.'),
    input: inputMatches.optional(),
    same: z
      .array(z.strictObject({ this: inputField, earlier: field }))
      .min(1)
      .max(8)
      .optional()
      .describe('Fields that must be equal in this call and in the earlier one.'),
    within_seconds: z
      .number()
      .gt(0)
      .optional()
      .describe('How long ago the earlier call may have ended.'),
    fresh: z
      .boolean()
      .optional()
      .describe('No other call that may change files has been made since. Default: `false`.'),
    claimed: z
      .boolean()
      .optional()
      .describe("Whether the agent's own report of the earlier call is enough. Default: `false`."),
    scope,
  })
  .meta({ id: 'after' })

/** What Pawl must have seen of a command; a field that means nothing is an error here. */
const afterEvidenceSchema = z.strictObject({
  ...evidenceFields,
  scope: scope.describe(
    'Whose evidence counts: `run` (the default) or `session` (also that of earlier runs of the ' +
      'session in the same workspace).',
  ),
})

/** A call, or the evidence of a command. */
export const afterSchema = withPick(z.union([afterCallSchema, afterEvidenceSchema]), (node) =>
  memberOf(node, 'evidence') === undefined ? afterCallSchema : afterEvidenceSchema,
)

const afterListSchema = z.array(afterSchema).min(1).max(10)

/** One prerequisite, or several that all have to be met. */
export const aftersSchema = withPick(z.union([afterSchema, afterListSchema]), (node) =>
  node.kind === 'list' ? afterListSchema : afterSchema,
)

/** A number of calls. */
export const callCountSchema = z
  .strictObject({
    max: z.int().min(1).max(1_000_000_000).describe('Maximum number of calls.'),
    window_seconds: windowSeconds,
    scope,
  })
  .meta({ id: 'count' })

/** A sum of a number of the calls. */
export const sumSchema = z
  .strictObject({
    of: field.describe('The number: `input.amount`, or `output.total` of the JSON result.'),
    max: z.number().gt(0).max(1_000_000_000).describe('What the numbers may add up to.'),
    window_seconds: windowSeconds,
    scope,
  })
  .meta({ id: 'sum' })
