/**
 * Fields that a definition of any dialect may have.
 */
import { z } from 'zod'
import { isolationLevels } from '../machine/isolation-levels.ts'
import { approvalProofSchema, policySchema } from '../policy/schema.ts'

/** A text that is not blank. */
export const nameField = z.string().min(1)

/** A limit: a whole number from one. */
export const limitField = z.int().min(1)

export const namesField = z.array(z.string())

/** Values nobody looks into: the author's, a host's or a tool's. */
export const freeObject = z.record(z.string(), z.unknown())

/** Of a definition that runs by itself; an envelope has none. */
export const sessionBudget = z
  .number()
  .gt(0)
  .optional()
  .describe("The run's budget in dollars. Once it is spent, no more tool calls are allowed.")

/** The same. */
export const minIsolation = z
  .enum(isolationLevels)
  .optional()
  .describe(
    "The minimum isolation level for the run's jobs. If it is not available, they do not start.",
  )

/** The same. */
export const approvalProof = approvalProofSchema
  .optional()
  .describe("How every decision in the definition's runs must be proven.")

const pathsSchema = z
  .object({
    read: namesField
      .optional()
      .describe('Glob patterns for files outside the workspace that may be read.'),
    write: namesField
      .optional()
      .describe('Glob patterns for files outside the workspace that may be written.'),
  })
  .meta({ id: 'paths' })

/** The fields for a definition's shape; `dialect` says which one it is when it could be two. */
export function commonFields<const D extends string>(dialect: D) {
  return {
    $schema: z.string().optional().describe('URL of the schema, for editors.'),
    dialect: z.literal(dialect).optional().describe(`Marks this as a ${dialect} definition.`),
    policy: policySchema.optional().describe('Which tools the agent may use in every stage.'),
    paths: pathsSchema.optional().describe('Files outside the workspace that file tools may use.'),
    createdAt: z
      .string()
      .optional()
      .describe('Set by the service that stores the definition; ignored.'),
    updatedAt: z
      .string()
      .optional()
      .describe('Set by the service that stores the definition; ignored.'),
  }
}
