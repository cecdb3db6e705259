/** Inputs and answers of the operations of the MCP gateway. */
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
  proof: nameSchema.describe('signature of the daemon that answered the hook'),
})
const whose = {
  workspace: folderSchema.describe('the folder the agent works in'),
  runId: nameSchema
    .optional()
    .describe('the run named in the environment; it takes precedence over a mark'),
  mark: mark
    .optional()
    .describe("what a host's hook wrote into the call; ignored unless its proof is valid"),
  last: nameSchema.optional().describe('the run that judged the caller last'),
}
const server = z.strictObject({
  server: nameSchema,
  tool: nameSchema,
  changes: z
    .boolean()
    .optional()
    .describe("whether the tool changes something, by its server's annotations"),
})
const scope = folderSchema
  .nullable()
  .describe("the folder whose file lists the server; null for the file in Pawl's data directory")
const text = z.string().max(textCharsMax)
const launch = z.strictObject({
  command: text.optional(),
  args: z.array(text).optional(),
  cwd: text.optional(),
  env: jsonObjectSchema.optional(),
  url: text.optional(),
  headers: jsonObjectSchema.optional(),
  sampling: text.optional(),
  elicitation: text.optional(),
})
const pin = {
  isAccepted: z.boolean(),
  hasChanged: z.boolean().describe('true if an earlier version was accepted'),
  about: z.string(),
  doubts: z.array(z.string()),
  changes: z
    .array(z.string())
    .describe('differences from what was accepted; empty if there are none'),
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
      estimateMicroUsd: paidSchema.optional().describe('estimated cost; absent if unknown'),
      waitMs: callWaitMs.describe('how long to wait for an approval'),
    }),
    answer: z.object({
      verdict: z.enum(['allow', 'ask', 'deny']),
      code: z.enum([...denialCodes, ...gatewayCodes]).nullable(),
      reason: z.string(),
      rule: z.string().nullable(),
      document: ruleDocument,
      hint: z.string(),
      instead: z.array(alternative),
      input: jsonObjectSchema
        .nullable()
        .describe('the arguments to call with; null if the call is not allowed'),
      runId: z
        .string()
        .nullable()
        .describe('the run that judged the call; null if only policies did'),
      branch: z.string().nullable(),
      callId: z.string().nullable(),
      approvalId: z.string().nullable().describe('the pending approval'),
      bytesLeft: countSchema
        .nullable()
        .describe('maximum size of the result in bytes; null for no limit'),
      pass: z
        .object({ file: z.string(), word: z.string(), ms: countSchema })
        .nullable()
        .describe(
          'while the file contains this token, and for at most `ms`, a call without a mark that ' +
            'mentions no protected name need not be checked; if null, check every call',
        ),
    }),
  },
  'gateway.mark': { input: mark, answer: z.object({ isProven: z.boolean() }) },
  'gateway.report': {
    input: z.strictObject({
      runId: nameSchema,
      branch: nameSchema.optional(),
      callId: nameSchema,
      holder: nameSchema.describe(
        'the caller of `gateway.check`; only this caller may report an approved call',
      ),
      ok: z.boolean(),
      output: z.string().nullable().default(null),
      bytes: countSchema.default(0),
      costMicroUsd: paidSchema.default(0),
      wasNotMade: z
        .literal(true)
        .optional()
        .describe('the gateway did not make the call in the end, so it does not count'),
    }),
    answer: z.object({ reported: z.literal(true) }),
  },
  'gateway.renew': {
    input: z.strictObject({ runId: nameSchema, callId: nameSchema, holder: nameSchema }),
    answer: z.object({
      renewed: z.boolean().describe('false if the call is no longer known to be in progress'),
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
      launch: launch.describe("the server's entry as written in the file"),
      tools: z
        .array(z.strictObject({ tool: nameSchema, definition: jsonObjectSchema }))
        .max(toolsMax)
        .nullable()
        .describe('null if the server has not been queried yet'),
    }),
    answer: z.object({
      isLaunchAccepted: z.boolean(),
      accepted: z.array(z.string()).describe('tools that may be listed and called'),
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
      tool: nameSchema.optional().describe('if absent, the server with all its tools'),
      version: countSchema.describe('the version that the person has seen'),
    }),
    answer: pinned,
  },
} as const
