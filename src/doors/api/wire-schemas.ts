/**
 * The shapes that go over the wires: what a run, a question, a definition and a verdict look like
 * as JSON. Answers are not parsed with them; the compiler holds the handlers to them.
 */
import { z } from 'zod'
import type { FindingCode } from '../../core/errors.ts'
import { denialCodes, errorCodes, warningCodes } from '../../core/errors.ts'
import { hostIds } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isolationLevels } from '../../core/machine/isolation-levels.ts'
import { fieldTypes } from '../../core/machine/machine.ts'
import { costMicroUsdMax } from '../../core/money.ts'

// WHY the casts: JSON of any depth is what `JSON.parse` gave already; nothing is left to check.
export const jsonSchema = z.unknown() as unknown as z.ZodType<Json>
export const jsonObjectSchema = z.record(
  z.string(),
  z.unknown(),
) as unknown as z.ZodType<JsonObject>

/** Letters of a name or an id. */
const nameCharsMax = 500
/** Letters of the path of a folder. */
const pathCharsMax = 4_096
/** Items on one page. */
const pageMax = 500

export const nameSchema = z.string().min(1).max(nameCharsMax)
export const folderSchema = z.string().min(1).max(pathCharsMax)
// WHY without a limit of its own: a long note or reason is cut when it is kept, and not refused.
export const textSchema = z.string()
export const countSchema = z.int().min(0)
export const moneySchema = countSchema.describe('in millionths of a US dollar')
/** What one report may say of money. */
export const paidSchema = moneySchema.max(costMicroUsdMax)
export const momentSchema = countSchema.describe('milliseconds since 1970')
export const hostSchema = z.enum(hostIds).describe('whose tool names these are')
/** How long one request may wait; a client that wants more asks again. */
export const waitMsMax = 60_000
export const callWaitMs = countSchema.max(waitMsMax).default(0)
export const pageLimit = z.int().min(1).max(pageMax).default(50)
export const pageAfter = z.string().max(pathCharsMax).describe('`next` of the page before')

/** A page of a list; `next` is null on the last one. */
export function pageSchemaOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() })
}

export const statuses = [
  'running',
  'waiting',
  'paused',
  'completed',
  'blocked',
  'failed',
  'cancelled',
] as const
export const approvalStatuses = ['pending', 'granted', 'refused', 'expired'] as const
const dialect = z.enum(['process', 'workflow', 'steps'])
const verdict = z.enum(['allow', 'ask', 'deny'])
const denialCode = z.enum(denialCodes)

export const runHead = z
  .object({
    id: z.string(),
    machine: z.string().describe('hash of the machine it is pinned to'),
    definition: z.string(),
    dialect: z.string(),
    status: z.string(),
    stage: z.string(),
    seq: countSchema.describe('records in its log'),
    hash: z.string().describe('hash of the last record'),
    workspace: z.string().nullable(),
    callsCount: countSchema,
    costMicroUsd: moneySchema,
    startedAt: momentSchema,
    updatedAt: momentSchema,
    endedAt: momentSchema.nullable(),
  })
  .meta({ id: 'RunHead' })

export const changedHead = runHead
  .extend({ asks: z.boolean().describe('a person is asked about it') })
  .meta({ id: 'ChangedHead' })

const field = z
  .object({
    name: z.string(),
    type: z.enum(fieldTypes),
    title: z.string(),
    description: z.string(),
    isRequired: z.boolean(),
    enum: z.array(z.string()).nullable(),
    pattern: z.string().nullable(),
    format: z.string().nullable(),
    examples: z.array(jsonSchema),
    origin: z.string(),
  })
  .meta({ id: 'Field' })

const remaining = z.object({ left: countSchema, max: countSchema }).meta({ id: 'Remaining' })
const texts = z.array(z.string())

const stageRules = z
  .object({
    tools: z.union([z.literal('all'), texts]),
    toolsDenied: texts,
    toolsAmong: texts.nullable().describe('the list speaks only of tools that begin so'),
    commands: texts.nullable().describe('commands that may be run; null: any'),
    commandTool: z.string().describe('the tool whose commands are meant'),
    envBlocked: texts.describe('variables that no command may read or set'),
    envSet: texts.describe('variables that are set for commands; their values are not shown'),
    editLinesMax: countSchema.nullable(),
    files: z
      .object({ max: countSchema, changed: texts })
      .nullable()
      .describe('files that may be changed in the stage, and those that were'),
    calls: remaining.nullable().describe('calls of the stage'),
    runCalls: remaining.nullable().describe('calls of the run, or of a run above it'),
    bytes: remaining.nullable().describe('bytes of results of the stage'),
    paths: z
      .object({ read: texts, write: texts })
      .nullable()
      .describe('what file tools may reach beside the workspace; null: anything'),
    mail: z
      .object({ mailsMax: countSchema.nullable(), from: texts.nullable(), to: texts.nullable() })
      .nullable(),
    minIsolation: z.enum(isolationLevels).nullable(),
    budgets: z.array(
      z.object({
        of: z.string().describe('a definition, or a capability that a policy limits'),
        period: z.enum(['run', 'hourly', 'daily', 'monthly']),
        spentMicroUsd: moneySchema,
        maxMicroUsd: moneySchema,
      }),
    ),
    rates: z.array(
      z.object({
        capability: z.string(),
        windowMs: countSchema,
        left: countSchema,
        max: countSchema,
      }),
    ),
  })
  .meta({ id: 'StageRules' })

export const viewSchema = z
  .object({
    runId: z.string(),
    name: z.string(),
    dialect,
    stage: z.string(),
    status: z.enum(statuses),
    reason: z.string(),
    brief: z.string().describe('what the agent is told, with the rules at its end'),
    goal: z.string().describe("the author's first words about the stage"),
    tools: z.union([z.literal('all'), z.array(z.string())]),
    signals: z.array(z.string()),
    fields: z.array(field),
    missing: z.array(z.string()),
    goTo: z.array(z.string()).describe('stages that the signal may name to go to'),
    pendingCall: z.object({ name: z.string(), arguments: jsonObjectSchema }).nullable(),
    approval: z
      .object({ id: z.string(), kind: z.enum(['move', 'call']), message: z.string() })
      .nullable(),
    branches: z.record(z.string(), z.string()),
    callsLeft: countSchema.nullable(),
    bytesLeft: countSchema.nullable().describe('bytes of results that the stage still takes'),
    budget: z
      .object({
        spentMicroUsd: moneySchema,
        maxMicroUsd: moneySchema,
        warned: z.int().min(0).max(100),
      })
      .nullable()
      .describe('the fullest budget of dollars that holds here'),
    rules: stageRules.describe('every rule that holds here, and what is left of it'),
    mustCall: z.boolean(),
    hasDebug: z.boolean().describe('a person may put the run into any stage'),
    vars: jsonObjectSchema,
    local: jsonObjectSchema,
    inputs: jsonObjectSchema,
  })
  .meta({ id: 'View' })

export const standingSchema = z
  .object({
    member: z.string().describe('the run of the family that the view shows'),
    machine: z.string().describe('hash of its machine'),
    sources: z.record(z.string(), z.enum(['claimed', 'observed', 'given'])),
    callsCount: countSchema,
    filesCount: countSchema,
    bytes: countSchema,
  })
  .meta({ id: 'Standing' })

export const alternative = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('tool'), name: z.string(), asks: z.boolean() }),
    z.object({ kind: z.literal('command'), entry: z.string(), asks: z.boolean() }),
    z.object({
      kind: z.literal('signal'),
      name: z.string(),
      asks: z.boolean(),
      needs: z.array(z.string()),
    }),
    z.object({ kind: z.literal('file'), path: z.string() }),
    z.object({ kind: z.literal('wait') }),
  ])
  .meta({ id: 'Alternative' })

/** Beside a rule. */
export const ruleDocument = z
  .string()
  .optional()
  .describe('the policy file or definition of `rule`; absent: the definition of the run')

export const signalSchema = {
  verdict,
  code: denialCode.nullable(),
  reason: z.string(),
  rule: z
    .string()
    .nullable()
    .describe('JSON pointer of the rule that decides; null: no author wrote it'),
  document: ruleDocument,
  hint: z.string(),
  instead: z.array(alternative),
  input: jsonObjectSchema.nullable().describe('what to call with instead; null: as it is'),
}

const said = {
  runId: z.string(),
  seq: countSchema.describe('records in the log when this was said'),
  isRepeated: z.boolean().describe('this command id had its reply already'),
  notes: z.array(z.string()).describe('what the caller should hear beside it'),
}

/** What a command did; a refused one is a problem instead. */
export const outcomeSchema = z
  .object({
    ...said,
    reply: z.object({ kind: z.literal('accepted') }),
    view: viewSchema.nullable().describe('the run after it; null: it can not be read now'),
  })
  .meta({ id: 'Outcome' })

export const judgementSchema = z
  .object({
    stage: z.string(),
    ...signalSchema,
    chain: z.array(
      z.object({
        by: z.string(),
        says: z.enum(['allow', 'ask', 'deny', 'nothing']),
        about: z.string(),
        code: denialCode.nullable(),
        rule: z.string().nullable(),
        document: ruleDocument,
      }),
    ),
  })
  .meta({ id: 'Judgement' })

export const eventRecord = z
  .object({
    seq: countSchema,
    member: z.string().describe('the run it is about: the main run or a child run'),
    type: z.string(),
    at: momentSchema,
    actor: z.string().describe('`kind:name`'),
    commandId: z.string(),
    hash: z.string(),
    data: jsonSchema,
  })
  .meta({ id: 'Event' })

const approvalFields = {
  id: z.string(),
  runId: z.string(),
  member: z.string(),
  kind: z.enum(['move', 'call']),
  message: z.string(),
  hash: z.string().describe('of exactly what waits'),
  status: z.enum(approvalStatuses),
  requestedAt: momentSchema,
  expiresAt: momentSchema.nullable(),
  decidedAt: momentSchema.nullable(),
  decidedBy: z.string().nullable(),
  note: z.string(),
}
export const approvalSchema = z
  .object({ ...approvalFields, pending: jsonSchema.describe('the move or call that waits') })
  .meta({ id: 'Approval' })

const format = z.enum(['json', 'yaml'])

export const definitionVersion = z
  .object({
    version: countSchema,
    sourceHash: z.string(),
    source: z.string().describe('as its author wrote it'),
    format,
    machines: z.record(z.string(), z.string()).describe('hash of the machine of each name'),
    createdAt: momentSchema,
  })
  .meta({ id: 'DefinitionVersion' })

export const definitionHead = z
  .object({
    id: z.string(),
    name: z.string(),
    workspace: z.string().describe('the folder whose file it is; empty: stored through the API'),
    dialect: z.string(),
    version: countSchema,
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'DefinitionHead' })

export const definition = definitionHead
  .extend({
    sourceHash: z.string(),
    source: z.string().describe('as its author wrote it'),
    format,
    machines: z.record(z.string(), z.string()).describe('hash of the machine of each name'),
  })
  .meta({ id: 'Definition' })

const findingCodes = [...new Set([...errorCodes, ...warningCodes])] as [FindingCode]

export const findingSchema = z
  .object({
    code: z.enum(findingCodes),
    severity: z.enum(['error', 'warning']),
    pointer: z.string().describe('JSON pointer to the element meant'),
    atKey: z.boolean().exactOptional(),
    saying: z.string().exactOptional(),
    offset: countSchema.exactOptional(),
    message: z.string(),
    hint: z.string(),
  })
  .meta({ id: 'Finding' })

/** A definition as it is sent: its text, or, where it was never a text, the value. */
export const offer = {
  source: z.string().optional().describe('the text as it was written, JSON or YAML'),
  format: format.optional().describe('absent: as the text looks'),
  definition: jsonObjectSchema.optional().describe('the definition as a value, instead of a text'),
}

const storedEvent = z.strictObject({
  seq: countSchema,
  member: z.string(),
  type: z.string(),
  data: z.string(),
  at: momentSchema,
  actor: z.string(),
  commandId: z.string(),
  hash: z.string(),
})

/** A whole run, to the letter: what is hashed stays text. */
export const runCopy = z
  .strictObject({
    head: z.strictObject(runHead.shape),
    events: z.array(storedEvent),
    approvals: z.array(z.strictObject({ ...approvalFields, pending: z.string() })),
    machines: z.array(
      z.strictObject({
        hash: z.string(),
        name: z.string(),
        dialect: z.string(),
        format: countSchema,
        compiled: z.string(),
      }),
    ),
  })
  .meta({ id: 'RunCopy' })

export const anchor = z
  .object({ runId: z.string(), seq: countSchema, hash: z.string() })
  .meta({ id: 'Anchor' })
