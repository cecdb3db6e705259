/**
 * What goes into the operations that serve agents beside their runs, and what comes out.
 */
import { z } from 'zod'
import { checked } from './call-schemas.ts'
import {
  definition,
  finding,
  folder,
  jsonObject,
  moment,
  name,
  offer,
  outcome,
  text,
} from './wire-schemas.ts'

const branch = name.optional().describe('an open branch; absent: the main run')

const writer = z.object({ run: z.string(), source: z.string() })

const memory = z
  .object({
    key: z.string(),
    value: z.unknown(),
    version: z.int(),
    at: moment,
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
    createdAt: moment,
    updatedAt: moment,
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
    at: moment,
  })
  .meta({ id: 'Draft' })

/** Whose memories or tasks. */
const scope = {
  workspace: folder,
  definition: name.optional().describe('of this process; absent: what all there share'),
}

export const agentContract = {
  'process.call': {
    input: z.strictObject({ runId: name, branch, tool: name, input: jsonObject.default({}) }),
    answer: checked.extend({
      value: jsonObject.nullable().describe('what the tool gave; null: it was not let through'),
    }),
  },
  'process.step': {
    input: z.strictObject({
      runId: name,
      branch,
      answer: name,
      state: name.optional().describe('the state that is answered'),
      note: text.optional(),
    }),
    answer: outcome,
  },
  'memories.list': {
    input: z.strictObject({ ...scope, prefix: z.string().max(200).default('') }),
    answer: z.object({ items: z.array(memory) }),
  },
  'memories.delete': {
    input: z.strictObject({ ...scope, key: name }),
    answer: z.object({ deleted: z.boolean() }),
  },
  'tasks.list': {
    input: z.strictObject({ ...scope, status: taskStatus.optional() }),
    answer: z.object({ items: z.array(task) }),
  },
  'drafts.create': {
    input: z.strictObject(offer),
    answer: z.object({ draft, findings: z.array(finding) }),
  },
  'drafts.list': { input: z.strictObject({}), answer: z.object({ items: z.array(draft) }) },
  'drafts.activate': {
    input: z.strictObject({ id: name.describe('id, or the name where only one has it') }),
    answer: z.object({ definition, findings: z.array(finding) }),
  },
  'drafts.delete': {
    input: z.strictObject({ id: name }),
    answer: z.object({ deleted: z.literal(true) }),
  },
  'approvals.elicited': {
    input: z.strictObject({
      id: name,
      granted: z.boolean(),
      note: text.default(''),
      hash: name.describe('of what the person saw'),
      client: name.describe('the program that has asked them'),
    }),
    answer: outcome,
  },
} as const
