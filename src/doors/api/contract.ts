/**
 * Inputs and answers of every operation, as schemas. Together with the table of operations they
 * are the contract of the API.
 */
import { z } from 'zod'
import { ownHostId } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { agentContract } from './agent-contract.ts'
import { boxesContract } from './boxes-contract.ts'
import { checkedCallSchema } from './call-schemas.ts'
import { costContract } from './cost-contract.ts'
import { credentialContract } from './credential-contract.ts'
import { dashboardContract } from './dashboard-contract.ts'
import {
  acceptContract,
  definition,
  definitionHead,
  definitionVersion,
  findingSchema,
  offer,
} from './definition-schemas.ts'
import { gatewayContract } from './gateway-contract.ts'
import { jobsContract } from './jobs-contract.ts'
import { mailContract } from './mail-contract.ts'
import type { OperationName, StreamName } from './operations-table.ts'
import { passkeyContract, signatureSchema } from './passkey-contract.ts'
import { searchWords } from './search-words.ts'
import {
  anchor,
  approvalSchema,
  approvalStatuses,
  callWaitMs,
  changedHead,
  countSchema,
  eventRecord,
  evidenceLineSchema,
  folderSchema,
  hostSchema,
  jsonObjectSchema,
  judgementSchema,
  listedRun,
  momentSchema,
  nameSchema,
  outcomeSchema,
  pageAfter,
  pageLimit,
  pageSchemaOf,
  paidSchema,
  runCopy,
  runHead,
  standingSchema,
  statuses,
  textSchema,
  viewSchema,
  waitMsMax,
} from './wire-schemas.ts'

/** Records that one answer holds. */
const eventsMax = 1_000

const runId = nameSchema
const session = nameSchema.describe('`HOST:ID`')
const branch = nameSchema.optional().describe('an open branch; if absent, the main run')
const timeoutMs = z.int().min(0).max(waitMsMax).default(30_000)
const offered = z.object({ definition, findings: z.array(findingSchema) })
const page = { after: pageAfter.optional(), limit: pageLimit }
const ofRun = z.strictObject({ runId })
const nothing = z.strictObject({})

export const contract = {
  ...agentContract,
  ...gatewayContract,
  ...mailContract,
  ...passkeyContract,
  ...credentialContract,
  ...boxesContract,
  'runs.start': {
    input: z.strictObject({
      definition: nameSchema.describe('name or id of a definition'),
      task: nameSchema.optional().describe("one of the definition's tasks; if absent, the first"),
      stage: nameSchema.optional().describe('the stage to start in'),
      vars: jsonObjectSchema.default({}),
      workspace: folderSchema.optional().describe('absolute path of the folder the agent works in'),
      session: nameSchema.optional().describe('the session that works on the run, `HOST:ID`'),
      title: nameSchema.optional().describe('a title for people'),
      observe: z
        .boolean()
        .optional()
        .describe('judge and record calls, but enforce nothing; only people may set this'),
    }),
    answer: outcomeSchema,
  },
  'runs.list': {
    input: z.strictObject({
      ...page,
      statuses: z.array(z.enum(statuses)).optional(),
      workspace: folderSchema.optional(),
      definition: nameSchema.optional(),
      stage: nameSchema.optional(),
      q: searchWords.optional(),
    }),
    answer: pageSchemaOf(listedRun),
  },
  'runs.read': {
    input: z.strictObject({ runId, branch }),
    answer: z.object({
      head: listedRun,
      view: viewSchema,
      notice: z.string().describe('text for the agent in addition to the brief'),
      standing: standingSchema,
      evidence: z
        .array(evidenceLineSchema)
        .describe('what Pawl saw of the commands that rules name, newest first'),
    }),
  },
  'runs.signal': {
    input: z.strictObject({
      runId,
      name: z
        .string()
        .max(500)
        .default('')
        .describe('an event or an answer; not needed for a form'),
      data: jsonObjectSchema.nullable().default(null),
      stage: nameSchema.optional().describe('the stage the sender expects the run to be in'),
      goTo: nameSchema.optional().describe('the stage to go to, if the sender may choose'),
      branch,
    }),
    answer: outcomeSchema,
  },
  'runs.check': {
    input: z.strictObject({
      runId,
      tool: z.string().max(500),
      input: jsonObjectSchema.default({}),
      host: hostSchema.default(ownHostId),
      server: z.strictObject({ server: nameSchema, tool: nameSchema }).optional(),
      cwd: folderSchema.optional().describe("absolute path of the agent's working directory"),
      estimateMicroUsd: paidSchema
        .optional()
        .describe('estimated cost, reserved until the call is reported; absent if unknown'),
      waitMs: callWaitMs.describe('how long to wait for an approval and for earlier calls'),
      attempt: nameSchema
        .optional()
        .describe(
          'id of this attempt: an allowed call that is sent again with it is allowed again',
        ),
      branch,
    }),
    answer: checkedCallSchema,
  },
  'runs.report': {
    input: z.strictObject({
      runId,
      callId: nameSchema.optional().describe('if absent, the last call that was allowed'),
      ok: z.boolean(),
      output: z.string().nullable().default(null),
      exitCode: z.int().nullable().default(null),
      bytes: countSchema.nullable().default(null),
      costMicroUsd: paidSchema.default(0),
      branch,
    }),
    answer: outcomeSchema,
  },
  ...costContract,
  'runs.pause': {
    input: z.strictObject({
      runId,
      release: z.boolean().default(false),
      reason: textSchema.default('').describe('recorded, and shown to people'),
    }),
    answer: outcomeSchema,
  },
  'runs.resume': { input: ofRun, answer: outcomeSchema },
  'runs.cancel': {
    input: z.strictObject({ runId, reason: textSchema.default('') }),
    answer: outcomeSchema,
  },
  'runs.force': {
    input: z.strictObject({ runId, stage: nameSchema, vars: jsonObjectSchema.default({}) }),
    answer: outcomeSchema,
  },
  'runs.finishBranch': {
    input: z.strictObject({ runId, branch: nameSchema }),
    answer: outcomeSchema,
  },
  'runs.claim': {
    input: z.strictObject({ runId, session }),
    answer: z.object({ session: z.string(), runId: z.string() }),
  },
  'runs.locate': {
    input: z.strictObject({
      workspace: folderSchema.describe('the folder the caller works in'),
      runId: nameSchema.optional().describe("the run named in the caller's environment"),
      last: nameSchema.optional().describe('the run that judged the caller last'),
    }),
    answer: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('run'), runId: z.string(), branch: z.string().nullable() }),
      z.object({ kind: z.literal('none') }),
      z.object({
        kind: z.literal('unclear'),
        code: z.string(),
        reason: z.string(),
        hint: z.string(),
      }),
    ]),
  },
  'runs.release': { input: ofRun, answer: z.object({ released: z.array(z.string()) }) },
  'sessions.read': {
    input: z.strictObject({ session }),
    answer: z.object({ session: z.string(), run: runHead.nullable() }),
  },
  'runs.events': {
    input: z.strictObject({
      runId,
      after: countSchema.default(0),
      limit: z.int().min(1).max(eventsMax).default(200),
    }),
    answer: z.object({
      items: z.array(eventRecord),
      next: countSchema.describe('`after` for the next request'),
    }),
  },
  'runs.wait': {
    input: z.strictObject({ runId, after: countSchema.default(0), timeoutMs }),
    answer: z.object({
      seq: countSchema.describe(
        'number of records in the log; if not more than `after`, the wait timed out',
      ),
    }),
  },
  'runs.verify': {
    input: z.strictObject({
      runId,
      seq: countSchema.optional().describe('`seq` of an anchor'),
      hash: nameSchema.optional().describe('`hash` of an anchor'),
    }),
    answer: z.discriminatedUnion('ok', [
      z.object({
        ok: z.literal(true),
        runId: z.string(),
        count: countSchema,
        hash: z.string(),
        signatures: z
          .object({
            ...{ signed: countSchema, unsigned: countSchema, refused: countSchema },
            foreignKeys: z
              .boolean()
              .describe('whether the keys came with an imported run, and are not registered here'),
          })
          .optional()
          .describe('decisions with and without a signature, and tries that were refused'),
      }),
      z.object({ ok: z.literal(false), runId: z.string(), seq: countSchema, problem: z.string() }),
    ]),
  },
  'runs.export': { input: ofRun, answer: runCopy },
  'runs.import': { input: runCopy, answer: anchor },
  'approvals.list': {
    input: z.strictObject({
      ...page,
      status: z.enum(approvalStatuses).optional(),
      runId: nameSchema.optional(),
    }),
    answer: pageSchemaOf(approvalSchema),
  },
  'approvals.read': { input: z.strictObject({ id: nameSchema }), answer: approvalSchema },
  'approvals.decide': {
    input: z.strictObject({
      id: nameSchema,
      granted: z.boolean(),
      note: textSchema.default(''),
      hash: nameSchema
        .optional()
        .describe(
          'hash of what the person saw; the decision is refused if something else is pending now',
        ),
      edits: jsonObjectSchema.optional().describe('values to change, if the gate allows it'),
      signature: signatureSchema
        .optional()
        .describe('what the person signed with a passkey (`passkeys.askDecision`)'),
    }),
    answer: outcomeSchema,
  },
  'definitions.create': { input: z.strictObject(offer), answer: offered },
  'definitions.list': { input: z.strictObject(page), answer: pageSchemaOf(definitionHead) },
  'definitions.read': { input: z.strictObject({ id: nameSchema }), answer: definition },
  'definitions.update': { input: z.strictObject({ id: nameSchema, ...offer }), answer: offered },
  'definitions.delete': {
    input: z.strictObject({ id: nameSchema }),
    answer: z.object({ deleted: z.literal(true) }),
  },
  'definitions.accept': acceptContract,
  'definitions.versions': {
    input: z.strictObject({ id: nameSchema }),
    answer: z.object({ items: z.array(definitionVersion) }),
  },
  ...jobsContract,
  check: {
    input: z.strictObject(offer),
    answer: z.object({ ok: z.boolean(), findings: z.array(findingSchema) }),
  },
  judge: {
    input: z.strictObject({
      runId: nameSchema.optional(),
      definition: nameSchema.optional(),
      stage: nameSchema.optional(),
      tool: z.string().max(500),
      input: jsonObjectSchema.default({}),
      host: hostSchema.default(ownHostId),
      workspace: folderSchema.optional(),
    }),
    answer: judgementSchema,
  },
  'notify.test': {
    input: nothing,
    answer: z.object({
      items: z.array(
        z.object({
          channel: z.string(),
          type: z.string(),
          problem: z.string().nullable().describe('null if the message was sent'),
        }),
      ),
    }),
  },
  status: {
    input: nothing,
    answer: z.object({
      version: z.string(),
      store: z.string(),
      startedAt: momentSchema,
      runsCached: countSchema,
      waitersCount: countSchema,
      listenError: z
        .string()
        .nullable()
        .describe(
          'why LISTEN/NOTIFY is not working, so that waiting requests poll; null otherwise',
        ),
      found: z.array(z.string()).describe("warnings from the daemon's start"),
      elicitation: z.boolean().describe("whether a person may decide in their agent's client"),
      trouble: z.string().nullable(),
    }),
  },
  stop: { input: nothing, answer: z.object({ stopping: z.literal(true) }) },
  health: { input: nothing, answer: z.object({ ok: z.literal(true) }) },
  ...dashboardContract,
} as const satisfies Readonly<Record<OperationName, Terms>>

const after = countSchema
  .optional()
  .describe('id of the last message seen; if absent, from the start')

/** The same for streams: what is asked for, and what each message holds. */
export const streamContract = {
  'runs.stream': { input: z.strictObject({ runId, after }), answer: eventRecord },
  'changes.stream': {
    input: z.strictObject({ after: momentSchema.optional().describe('if absent, from now on') }),
    answer: changedHead,
  },
} as const satisfies Readonly<Record<StreamName, Terms>>

export type Terms = { readonly input: z.ZodType; readonly answer: z.ZodType }

type Contract = typeof contract

/** What a caller sends: fields with a default may be left out. */
export type OperationInput<Name extends OperationName> = DeepReadonly<
  z.input<Contract[Name]['input']>
>
/** What a handler gets: checked, with every default filled in. */
export type OperationRequest<Name extends OperationName> = DeepReadonly<
  z.output<Contract[Name]['input']>
>
/** What comes back. */
export type OperationAnswer<Name extends OperationName> = DeepReadonly<
  z.output<Contract[Name]['answer']>
>

type StreamContract = typeof streamContract
export type StreamInput<Name extends StreamName> = DeepReadonly<
  z.input<StreamContract[Name]['input']>
>
export type StreamRequest<Name extends StreamName> = DeepReadonly<
  z.output<StreamContract[Name]['input']>
>
/** What each message of a stream holds. */
export type StreamMessage<Name extends StreamName> = DeepReadonly<
  z.output<StreamContract[Name]['answer']>
>

// JSON of any depth is read-only already, and has no end that a type could walk to.
type DeepReadonly<T> = [Json] extends [T]
  ? T
  : T extends object
    ? JsonObject extends T
      ? T
      : { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T
