/**
 * Fields that a definition of any dialect may have.
 */
import { z } from 'zod'
import { isolationLevels } from '../machine/isolation-levels.ts'
import { policySchema } from '../policy/schema.ts'

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
  .describe('Dollars after which the run allows no more tool calls.')

/** The same. */
export const minIsolation = z
  .enum(isolationLevels)
  .optional()
  .describe('Jobs of its runs that cannot be held so strongly are refused.')

const pathsSchema = z
  .object({
    read: namesField.optional().describe('Files outside the workspace that may be read, as globs.'),
    write: namesField
      .optional()
      .describe('Files outside the workspace that may be written, as globs.'),
  })
  .meta({ id: 'paths' })

/** The fields for a definition's shape; `dialect` says which one it is when it could be two. */
export function commonFields<const D extends string>(dialect: D) {
  return {
    $schema: z.string().optional().describe('Where editors find the schema of this file.'),
    dialect: z.literal(dialect).optional().describe(`Says that this is a ${dialect} definition.`),
    policy: policySchema.optional().describe('What tools the agent may use, whatever the stage.'),
    paths: pathsSchema.optional().describe('Files beyond the workspace that file tools may reach.'),
    createdAt: z.string().optional().describe('Set by the service that stores it; not read.'),
    updatedAt: z.string().optional().describe('Set by the service that stores it; not read.'),
  }
}
