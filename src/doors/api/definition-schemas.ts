/** Definitions on the wire: as they are sent, stored, listed and remarked on. */
import { z } from 'zod'
import { errorCodes, type FindingCode, warningCodes } from '../../core/errors.ts'
import { countSchema, folderSchema, jsonObjectSchema, nameSchema } from './wire-schemas.ts'

const dateTimeSchema = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC' })
const format = z.enum(['json', 'yaml'])

export const definitionVersion = z
  .object({
    version: countSchema,
    sourceHash: z.string(),
    source: z.string().describe('as written by its author'),
    format,
    machines: z.record(z.string(), z.string()).describe('hash of each machine, by name'),
    createdAt: dateTimeSchema,
  })
  .meta({ id: 'DefinitionVersion' })

export const definitionHead = z
  .object({
    id: z.string(),
    name: z.string(),
    workspace: z.string().describe('folder of the file; empty if it was stored through the API'),
    dialect: z.string(),
    tasks: z
      .array(z.string())
      .describe('names that can be started: one, or several if the file contains several forms'),
    version: countSchema,
    createdAt: dateTimeSchema,
    updatedAt: dateTimeSchema,
  })
  .meta({ id: 'DefinitionHead' })

export const definition = definitionHead
  .extend({
    sourceHash: z.string(),
    source: z.string().describe('as written by its author'),
    format,
    machines: z.record(z.string(), z.string()).describe('hash of each machine, by name'),
    document: jsonObjectSchema
      .nullable()
      .describe('a process with its `id`, `createdAt` and `updatedAt`; null for other dialects'),
  })
  .meta({ id: 'Definition' })

const findingCodes = [...new Set([...errorCodes, ...warningCodes])] as [FindingCode]

export const findingSchema = z
  .object({
    code: z.enum(findingCodes),
    severity: z.enum(['error', 'warning']),
    pointer: z.string().describe('JSON pointer to the element'),
    atKey: z.boolean().exactOptional(),
    saying: z.string().exactOptional(),
    offset: countSchema.exactOptional(),
    message: z.string(),
    hint: z.string(),
  })
  .meta({ id: 'Finding' })

/** A definition as it is sent: its text, or, where it was never a text, the value. */
export const offer = {
  source: z.string().optional().describe('the text of the definition, JSON or YAML'),
  format: format.optional().describe('if absent, detected from the text'),
  definition: jsonObjectSchema.optional().describe('the definition as a value instead of text'),
  upstream_servers: z
    .array(jsonObjectSchema)
    .readonly()
    .optional()
    .describe('servers of a template file, kept with the definition'),
}

/** Of `definitions.accept`. */
export const acceptContract = {
  input: z.strictObject({
    id: nameSchema.describe('name of the definition'),
    workspace: folderSchema,
    hash: z
      .string()
      .regex(/^[0-9a-f]{16,64}$/)
      .describe('how the hash of the text begins'),
  }),
  answer: z.object({ name: z.string(), workspace: z.string(), sourceHash: z.string() }),
}
