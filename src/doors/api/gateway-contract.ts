/**
 * What goes into the operations of a gateway and what comes out.
 */
import { z } from 'zod'
import { denialCodes, gatewayCodes } from '../../core/errors.ts'
import {
  alternative,
  callWaitMs,
  countSchema,
  folderSchema,
  jsonObjectSchema,
  nameSchema,
  paidSchema,
  ruleDocument,
} from './wire-schemas.ts'

/** Tools that one question may name. */
const toolsMax = 2_000
/** Letters of one word of an entry. */
const textCharsMax = 100_000

const mark = z.strictObject({
  session: nameSchema,
  agent: nameSchema.nullable(),
  run: nameSchema.nullable(),
  branch: nameSchema.nullable(),
  proof: nameSchema.describe('of the daemon that answered the hook'),
})
const whose = {
  workspace: folderSchema.describe('where the agent works'),
  runId: nameSchema
    .optional()
    .describe('the run that the environment names; no mark says otherwise'),
  mark: mark.optional().describe("what a host's hook wrote into the call; ignored unless proven"),
  last: nameSchema.optional().describe('the run that the caller was held by last'),
}
const server = z.strictObject({ server: nameSchema, tool: nameSchema })
const scope = folderSchema
  .nullable()
  .describe("the folder whose file names the server; null: the file beside Pawl's data")
const text = z.string().max(textCharsMax)
const launch = z.strictObject({
  command: text.optional(),
  args: z.array(text).optional(),
  cwd: text.optional(),
  env: jsonObjectSchema.optional(),
  url: text.optional(),
  headers: jsonObjectSchema.optional(),
})
const pin = {
  isAccepted: z.boolean(),
  hasChanged: z.boolean().describe('it was agreed to before, when it was something else'),
  about: z.string(),
  doubts: z.array(z.string()),
  changes: z.array(z.string()).describe('what is not as it was agreed to; empty: it is'),
}
const pinned = z
  .object({
    scope: z.string().nullable(),
    server: z.string(),
    version: countSchema,
    launch: z.object(pin),
    tools: z.array(z.object({ tool: z.string(), ...pin })),
  })
  .meta({ id: 'Pinned' })

export const gatewayContract = {
  'gateway.check': {
    input: z.strictObject({
      ...whose,
      server,
      input: jsonObjectSchema.default({}),
      holder: nameSchema,
      estimateMicroUsd: paidSchema.optional().describe('what it will cost; absent: nobody knows'),
      waitMs: callWaitMs.describe('how long to wait for a person'),
    }),
    answer: z.object({
      verdict: z.enum(['allow', 'ask', 'deny']),
      code: z.enum([...denialCodes, ...gatewayCodes]).nullable(),
      reason: z.string(),
      rule: z.string().nullable(),
      document: ruleDocument,
      hint: z.string(),
      instead: z.array(alternative),
      input: jsonObjectSchema.nullable().describe('as it is to be made; null: it is not'),
      runId: z.string().nullable().describe('the run that judged; null: policies alone did'),
      branch: z.string().nullable(),
      callId: z.string().nullable(),
      approvalId: z.string().nullable().describe('the question that a person is asked'),
      bytesLeft: countSchema
        .nullable()
        .describe('bytes that its result may have; null: any number'),
      pass: z
        .object({ file: z.string(), word: z.string(), ms: countSchema })
        .nullable()
        .describe(
          'while the word stands in the file, and no longer than this, calls without a mark that ' +
            'speak of no guard need not be asked about; null: ask about each',
        ),
    }),
  },
  'gateway.mark': { input: mark, answer: z.object({ isProven: z.boolean() }) },
  'gateway.report': {
    input: z.strictObject({
      runId: nameSchema,
      branch: nameSchema.optional(),
      callId: nameSchema,
      holder: nameSchema.describe('who asked for it; of an approved call nobody else reports'),
      ok: z.boolean(),
      output: z.string().nullable().default(null),
      bytes: countSchema.default(0),
      costMicroUsd: paidSchema.default(0),
    }),
    answer: z.object({ reported: z.literal(true) }),
  },
  'gateway.renew': {
    input: z.strictObject({ runId: nameSchema, callId: nameSchema, holder: nameSchema }),
    answer: z.object({
      renewed: z.boolean().describe('false: as far as is known, nobody makes it any more'),
    }),
  },
  'gateway.offer': {
    input: z.strictObject({ ...whose, tools: z.array(server).max(toolsMax) }),
    answer: z.object({
      runId: z.string().nullable(),
      offered: z.array(z.enum(['listed', 'hidden', 'same'])),
    }),
  },
  'gateway.see': {
    input: z.strictObject({
      ...whose,
      scope,
      server: nameSchema,
      launch: launch.describe('its entry as it is written'),
      tools: z
        .array(z.strictObject({ tool: nameSchema, definition: jsonObjectSchema }))
        .max(toolsMax)
        .nullable()
        .describe('null: the server was not asked yet'),
    }),
    answer: z.object({
      isLaunchAccepted: z.boolean(),
      accepted: z.array(z.string()).describe('tools that may be shown and called'),
    }),
  },
  'gateway.pins': {
    input: z.strictObject({ workspace: folderSchema }),
    answer: z.object({ items: z.array(pinned) }),
  },
  'gateway.accept': {
    input: z.strictObject({
      scope,
      server: nameSchema,
      tool: nameSchema.optional().describe('absent: the server with all its tools'),
      version: countSchema.describe('of what the person has seen'),
    }),
    answer: pinned,
  },
} as const
