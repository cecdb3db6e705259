/**
 * What goes into the operations that serve agents beside their runs, and what comes out.
 */
import { z } from 'zod'
import { checkedCallSchema } from './call-schemas.ts'
import {
  definition,
  findingSchema,
  folderSchema,
  jsonObjectSchema,
  momentSchema,
  nameSchema,
  offer,
  outcomeSchema,
  textSchema,
} from './wire-schemas.ts'

const branch = nameSchema.optional().describe('an open branch; absent: the main run')

const writer = z.object({ run: z.string(), source: z.string() })

const memory = z
  .object({
    key: z.string(),
    value: z.unknown(),
    version: z.int(),
    at: momentSchema,
    by: writer.describe('who wrote it'),
  })
  .meta({ id: 'Memory' })

const taskStatus = z.enum(['open', 'claimed', 'done'])

const task = z
  .object({
    id: z.string(),
    title: z.string(),
    note: z.string(),
    status: taskStatus,
    run: z.string().nullable().describe('the run that has it'),
    result: z.string(),
    createdAt: momentSchema,
    updatedAt: momentSchema,
    by: writer.describe('who made it'),
  })
  .meta({ id: 'Task' })

const draft = z
  .object({
    id: z.string().describe('`NAME@HASH`: another text is another draft'),
    name: z.string(),
    dialect: z.string(),
    source: z.string(),
    format: z.enum(['json', 'yaml']),
    by: z.string().describe('`kind:name` of who offered it'),
    at: momentSchema,
  })
  .meta({ id: 'Draft' })

/** Whose memories or tasks. */
const scope = {
  workspace: folderSchema,
  definition: nameSchema.optional().describe('of this process; absent: what all there share'),
}

export const agentContract = {
  'process.call': {
    input: z.strictObject({
      runId: nameSchema,
      branch,
      tool: nameSchema,
      input: jsonObjectSchema.default({}),
    }),
    answer: checkedCallSchema.extend({
      value: jsonObjectSchema
        .nullable()
        .describe('what the tool gave; null: it was not let through'),
    }),
  },
  'process.step': {
    input: z.strictObject({
      runId: nameSchema,
      branch,
      answer: nameSchema,
      state: nameSchema.optional().describe('the state that is answered'),
      note: textSchema.optional(),
    }),
    answer: outcomeSchema,
  },
  'memories.list': {
    input: z.strictObject({ ...scope, prefix: z.string().max(200).default('') }),
    answer: z.object({ items: z.array(memory) }),
  },
  'memories.delete': {
    input: z.strictObject({ ...scope, key: nameSchema }),
    answer: z.object({ deleted: z.boolean() }),
  },
  'tasks.list': {
    input: z.strictObject({ ...scope, status: taskStatus.optional() }),
    answer: z.object({ items: z.array(task) }),
  },
  'drafts.create': {
    input: z.strictObject(offer),
    answer: z.object({ draft, findings: z.array(findingSchema) }),
  },
  'drafts.list': { input: z.strictObject({}), answer: z.object({ items: z.array(draft) }) },
  'drafts.activate': {
    input: z.strictObject({ id: nameSchema.describe('id, or the name where only one has it') }),
    answer: z.object({ definition, findings: z.array(findingSchema) }),
  },
  'drafts.delete': {
    input: z.strictObject({ id: nameSchema }),
    answer: z.object({ deleted: z.literal(true) }),
  },
  'approvals.elicited': {
    input: z.strictObject({
      id: nameSchema,
      granted: z.boolean(),
      note: textSchema.default(''),
      hash: nameSchema.describe('of what the person saw'),
      client: nameSchema.describe('the program that has asked them'),
    }),
    answer: outcomeSchema,
  },
} as const
