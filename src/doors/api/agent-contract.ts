/** Inputs and answers of the operations for agents that are not about a run. */
import { z } from 'zod'
import { checkedCallSchema } from './call-schemas.ts'
import { definition, findingSchema, offer } from './definition-schemas.ts'
import {
  folderSchema,
  jsonObjectSchema,
  momentSchema,
  nameSchema,
  outcomeSchema,
  textSchema,
} from './wire-schemas.ts'

const branch = nameSchema.optional().describe('an open branch; if absent, the main run')

const writer = z.object({ run: z.string(), source: z.string() })

const memory = z
  .object({
    key: z.string(),
    value: z.unknown(),
    version: z.int(),
    at: momentSchema,
    by: writer.describe('the run and source that wrote it'),
  })
  .meta({ id: 'Memory' })

const taskStatus = z.enum(['open', 'claimed', 'done'])

const task = z
  .object({
    id: z.string(),
    title: z.string(),
    note: z.string(),
    status: taskStatus,
    run: z.string().nullable().describe('the run that claimed it'),
    result: z.string(),
    createdAt: momentSchema,
    updatedAt: momentSchema,
    by: writer.describe('the run and source that created it'),
  })
  .meta({ id: 'Task' })

const draft = z
  .object({
    id: z.string().describe('`NAME@HASH`; a different text is a different draft'),
    name: z.string(),
    dialect: z.string(),
    source: z.string(),
    format: z.enum(['json', 'yaml']),
    by: z.string().describe('`kind:name` of the author'),
    at: momentSchema,
  })
  .meta({ id: 'Draft' })

/** Whose memories or tasks. */
const scope = {
  workspace: folderSchema,
  definition: nameSchema
    .optional()
    .describe('a process; if absent, what all processes in the workspace share'),
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
        .describe('the result of the tool; null if the call was not allowed'),
    }),
  },
  'process.step': {
    input: z.strictObject({
      runId: nameSchema,
      branch,
      answer: nameSchema,
      state: nameSchema.optional().describe('the state you answer'),
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
    input: z.strictObject({ id: nameSchema.describe('the id, or the name if it is unique') }),
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
      hash: nameSchema.describe('hash of what the person saw'),
      client: nameSchema.describe('the program that asked them'),
    }),
    answer: outcomeSchema,
  },
} as const
