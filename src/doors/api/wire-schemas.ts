/**
 * JSON schemas shared by several operations: runs, approvals, definitions and verdicts. Answers
 * are not parsed with them; the compiler checks the handlers against them.
 */
import { z } from 'zod'
import { denialCodes } from '../../core/errors.ts'
import { hostIds } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isolationLevels } from '../../core/machine/isolation-levels.ts'
import { fieldTypes } from '../../core/machine/machine.ts'
import { costMicroUsdMax } from '../../core/money.ts'
import { riskKinds } from '../../core/shell-view/risk-kinds.ts'

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
export const moneySchema = countSchema.describe('millionths of a US dollar')
/** What one report may say of money. */
export const paidSchema = moneySchema.max(costMicroUsdMax)
export const momentSchema = countSchema.describe('milliseconds since 1970')
export const hostSchema = z.enum(hostIds).describe('the host that defines the tool names')
/** How long one request may wait; a client that wants more asks again. */
export const waitMsMax = 60_000
export const callWaitMs = countSchema.max(waitMsMax).default(0)
export const pageLimit = z.int().min(1).max(pageMax).default(50)
export const pageAfter = z.string().max(pathCharsMax).describe('`next` of the previous page')

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
    machine: z.string().describe('hash of the machine that the run is pinned to'),
    definition: z.string(),
    dialect: z.string(),
    status: z.string(),
    stage: z.string(),
    seq: countSchema.describe('number of records in its log'),
    hash: z.string().describe('hash of the last record'),
    workspace: z.string().nullable(),
    callsCount: countSchema,
    costMicroUsd: moneySchema,
    startedAt: momentSchema,
    updatedAt: momentSchema,
    endedAt: momentSchema.nullable(),
  })
  .meta({ id: 'RunHead' })

const runTitle = z
  .string()
  .nullable()
  .describe('the given title, the first prompt, or the git branch; null if there is none')

const runHost = z.string().nullable().describe('the host that works on the run, if known')
const shown = { title: runTitle, host: runHost }
export const listedRun = runHead.extend(shown).meta({ id: 'ListedRun' })

export const changedHead = listedRun
  .extend({ asks: z.boolean().describe('true if an approval is pending') })
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
    toolsAmong: texts.nullable().describe('the list applies only to tools with these prefixes'),
    commands: texts.nullable().describe('allowed commands; null for any'),
    commandTool: z.string().describe('the tool that `commands` applies to'),
    programsDenied: texts.describe('programs that may not be started'),
    envBlocked: texts.describe('variables that no command may read or set'),
    envSet: texts.describe('variables set for commands; values are not shown'),
    editLinesMax: countSchema.nullable(),
    filesWritable: texts.nullable().describe('globs of files that may be changed; null for any'),
    files: z
      .object({ max: countSchema, changed: texts })
      .nullable()
      .describe('how many files may be changed in the stage, and which have been'),
    calls: remaining.nullable().describe('limit on calls in the stage'),
    runCalls: remaining.nullable().describe('limit on calls in the run or a parent run'),
    bytes: remaining.nullable().describe('limit on bytes of results in the stage'),
    paths: z
      .object({ read: texts, write: texts })
      .nullable()
      .describe('files outside the workspace that file tools may use; null for any'),
    mail: z
      .object({ mailsMax: countSchema.nullable(), from: texts.nullable(), to: texts.nullable() })
      .nullable(),
    minIsolation: z.enum(isolationLevels).nullable(),
    budgets: z.array(
      z.object({
        of: z.string().describe('a definition, or a capability limited by a policy'),
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

const pendingCall = z.object({ name: z.string(), arguments: jsonObjectSchema })

export const viewSchema = z
  .object({
    runId: z.string(),
    name: z.string(),
    dialect,
    stage: z.string(),
    status: z.enum(statuses),
    reason: z.string(),
    brief: z.string().describe('instructions for the agent, followed by the rules'),
    goal: z.string().describe('first instruction of the stage'),
    tools: z.union([z.literal('all'), z.array(z.string())]),
    signals: z.array(z.string()),
    fields: z.array(field),
    missing: z.array(z.string()),
    goTo: z.array(z.string()).describe('stages that a signal may choose'),
    pendingCalls: z.array(pendingCall).describe('queued calls, oldest first'),
    pendingCall: pendingCall.nullable().describe('the queued call to make next'),
    approval: z
      .object({ id: z.string(), kind: z.enum(['move', 'call']), message: z.string() })
      .nullable(),
    branches: z.record(z.string(), z.string()),
    callsLeft: countSchema.nullable(),
    bytesLeft: countSchema.nullable().describe('bytes of results left in the stage'),
    budget: z
      .object({
        spentMicroUsd: moneySchema,
        maxMicroUsd: moneySchema,
        warned: z.int().min(0).max(100),
      })
      .nullable()
      .describe('the budget in dollars that is closest to its limit'),
    rules: stageRules.describe("all of the stage's rules, and what is left of each limit"),
    mustCall: z.boolean().describe('true if the agent has to call a tool before it replies'),
    toolChoice: z
      .string()
      .nullable()
      .describe('the tool that the agent has to call; null if it may choose'),
    observes: z
      .boolean()
      .describe('true if calls are judged and recorded, but not all rules are enforced'),
    hasDebug: z.boolean().describe('true if a person may move the run to any stage'),
    vars: jsonObjectSchema,
    local: jsonObjectSchema,
    inputs: jsonObjectSchema,
  })
  .meta({ id: 'View' })

export const evidenceLineSchema = z
  .object({
    command: z.string(),
    folder: z.string().describe('relative to the workspace'),
    grade: z.enum(['claimed', 'host', 'job']).describe('who saw it'),
    source: z.string().describe('the job or host session that reported it'),
    exit: z
      .union([z.int(), z.literal('nonzero')])
      .nullable()
      .describe('null if the command did not come to its end'),
    tests: z
      .object({ passed: countSchema, failed: countSchema, skipped: countSchema })
      .nullable()
      .describe('null if no test runner was recognised'),
    endedAt: z.int(),
    isFresh: z.boolean().nullable().describe('no file changed since; null if nobody could compare'),
    text: z.string().describe('the same as a sentence'),
  })
  .meta({ id: 'Evidence' })

export const standingSchema = z
  .object({
    member: z.string().describe('the run that the view shows: the main run or a child run'),
    machine: z.string().describe("hash of the run's machine"),
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
  .describe("the policy file or definition that contains `rule`; if absent, the run's definition")

export const signalSchema = {
  verdict,
  code: denialCode.nullable(),
  reason: z.string(),
  rule: z
    .string()
    .nullable()
    .describe('JSON pointer to the rule that decided; null if the rule is built in'),
  document: ruleDocument,
  hint: z.string(),
  instead: z.array(alternative),
  input: jsonObjectSchema.nullable().describe('changed arguments to call with; null if unchanged'),
}

const said = {
  runId: z.string(),
  seq: countSchema.describe('number of records in the log at that time'),
  isRepeated: z.boolean().describe('true if this command id was already answered'),
  notes: z.array(z.string()).describe('further messages for the caller'),
}

/** What a command did; a refused one is a problem instead. */
export const outcomeSchema = z
  .object({
    ...said,
    reply: z.object({ kind: z.literal('accepted') }),
    view: viewSchema.nullable().describe('the run afterwards; null if it cannot be read now'),
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

const bindsSchema = z
  .string()
  .nullable()
  .describe('hashes of the rows that were stored with the record, as JSON')

export const eventRecord = z
  .object({
    seq: countSchema,
    member: z.string().describe('the main run or the child run that the record is about'),
    type: z.string(),
    at: momentSchema,
    actor: z.string().describe('`kind:name`'),
    commandId: z.string(),
    binds: bindsSchema,
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
  hash: z.string().describe('hash of the pending move or call'),
  status: z.enum(approvalStatuses),
  requestedAt: momentSchema,
  expiresAt: momentSchema.nullable(),
  decidedAt: momentSchema.nullable(),
  decidedBy: z.string().nullable(),
  note: z.string(),
}
const callRisk = z
  .object({
    kind: z.enum(riskKinds),
    why: z.string(),
    text: z.string().describe('the part of the input that it is about'),
    begin: countSchema.nullable().describe('where that begins in the command; null if not in it'),
  })
  .meta({ id: 'CallRisk' })

export const approvalSchema = z
  .object({
    ...approvalFields,
    evidence: z
      .array(evidenceLineSchema)
      .optional()
      .describe('what Pawl saw of the commands that rules name; only for a single approval'),
    runTitle,
    pending: jsonSchema.describe('the pending move or call'),
    risks: z.array(callRisk).describe('what to look at before approving a call'),
  })
  .meta({ id: 'Approval' })

const storedEvent = z.strictObject({
  seq: countSchema,
  member: z.string(),
  type: z.string(),
  data: z.string(),
  at: momentSchema,
  actor: z.string(),
  commandId: z.string(),
  // Runs that were exported by older versions have none.
  binds: bindsSchema.default(null),
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
    passkeys: z
      .array(storedEvent)
      .optional()
      .describe('the log of passkeys, if decisions in the run are signed'),
  })
  .meta({ id: 'RunCopy' })

export const anchor = z
  .object({ runId: z.string(), seq: countSchema, hash: z.string() })
  .meta({ id: 'Anchor' })
