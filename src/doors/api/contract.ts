/**
 * What goes into every operation and what comes out of it, as schemas. With the table of
 * operations this is the whole contract: whoever speaks over a wire is held to it.
 */
import { z } from 'zod'
import { ownHostId } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { agentContract } from './agent-contract.ts'
import { checkedCallSchema } from './call-schemas.ts'
import { costContract } from './cost-contract.ts'
import { gatewayContract } from './gateway-contract.ts'
import { jobsContract } from './jobs-contract.ts'
import { mailContract } from './mail-contract.ts'
import type { OperationName, StreamName } from './operations-table.ts'
import { pageContract } from './page-contract.ts'
import { searchWords } from './search-words.ts'
import {
  anchor,
  approvalSchema,
  approvalStatuses,
  callWaitMs,
  changedHead,
  countSchema,
  definition,
  definitionHead,
  definitionVersion,
  eventRecord,
  findingSchema,
  folderSchema,
  hostSchema,
  jsonObjectSchema,
  judgementSchema,
  momentSchema,
  nameSchema,
  offer,
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
const branch = nameSchema.optional().describe('an open branch; absent: the main run')
const timeoutMs = z.int().min(0).max(waitMsMax).default(30_000)
const offered = z.object({ definition, findings: z.array(findingSchema) })
const page = { after: pageAfter.optional(), limit: pageLimit }
const ofRun = z.strictObject({ runId })
const nothing = z.strictObject({})

export const contract = {
  ...agentContract,
  ...gatewayContract,
  ...mailContract,
  'runs.start': {
    input: z.strictObject({
      definition: nameSchema.describe('name or id of a definition'),
      task: nameSchema.optional().describe('one of several tasks in it; absent: the first'),
      stage: nameSchema.optional().describe('begin here'),
      vars: jsonObjectSchema.default({}),
      workspace: folderSchema.optional().describe('where the agent works, an absolute path'),
      session: nameSchema.optional().describe('the conversation that works on it, `HOST:ID`'),
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
    answer: pageSchemaOf(runHead),
  },
  'runs.read': {
    input: z.strictObject({ runId, branch }),
    answer: z.object({
      head: runHead,
      view: viewSchema,
      notice: z.string().describe('what the agent must be told beside the brief'),
      standing: standingSchema,
    }),
  },
  'runs.signal': {
    input: z.strictObject({
      runId,
      name: z.string().max(500).default('').describe('event or answer; a form needs none'),
      data: jsonObjectSchema.nullable().default(null),
      stage: nameSchema.optional().describe('where the sender believes the run is'),
      goTo: nameSchema.optional().describe('where it wants to go, if it may choose'),
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
      cwd: folderSchema.optional().describe("where the agent's shell stands, an absolute path"),
      estimateMicroUsd: paidSchema
        .optional()
        .describe('what it may cost, held until its report; absent: nobody knows'),
      waitMs: callWaitMs.describe('how long to wait for a person, and for calls before this one'),
      attempt: nameSchema
        .optional()
        .describe('names this try: sent again with it, an allowed call is allowed again'),
      branch,
    }),
    answer: checkedCallSchema,
  },
  'runs.report': {
    input: z.strictObject({
      runId,
      callId: nameSchema.optional().describe('absent: the call that was let through last'),
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
    input: z.strictObject({ runId, release: z.boolean().default(false) }),
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
      workspace: folderSchema.describe('where the caller works'),
      runId: nameSchema.optional().describe('the run that its environment names'),
      last: nameSchema.optional().describe('the run that it was held by last'),
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
      seq: countSchema.describe('records in the log; not more than `after`: time over'),
    }),
  },
  'runs.verify': {
    input: z.strictObject({
      runId,
      seq: countSchema.optional().describe('of an anchor'),
      hash: nameSchema.optional().describe('of an anchor'),
    }),
    answer: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), runId: z.string(), count: countSchema, hash: z.string() }),
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
      hash: nameSchema.optional().describe('of what the person saw; another one waits: refused'),
      edits: jsonObjectSchema.optional().describe('values to change, where the gate lets them'),
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
          problem: z.string().nullable().describe('null: it went through'),
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
      deafness: z
        .string()
        .nullable()
        .describe('why nodes do not tell each other of changes, so that waiters wake by looks'),
      found: z.array(z.string()).describe('what the start found to say'),
      elicitation: z.boolean().describe("whether a person may decide through their agent's client"),
      trouble: z.string().nullable(),
    }),
  },
  stop: { input: nothing, answer: z.object({ stopping: z.literal(true) }) },
  health: { input: nothing, answer: z.object({ ok: z.literal(true) }) },
  ...pageContract,
} as const satisfies Readonly<Record<OperationName, Terms>>

const after = countSchema.optional().describe('id of the last message seen; absent: from the start')

/** The same for streams: what is asked for, and what each message holds. */
export const streamContract = {
  'runs.stream': { input: z.strictObject({ runId, after }), answer: eventRecord },
  'changes.stream': {
    input: z.strictObject({ after: momentSchema.optional().describe('absent: from now on') }),
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
