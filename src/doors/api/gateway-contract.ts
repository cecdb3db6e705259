/**
 * What goes into the operations of a gateway and what comes out.
 */
import { z } from 'zod'
import { denialCodes, gatewayCodes } from '../../core/errors.ts'
import {
  alternative,
  callWaitMs,
  count,
  folder,
  jsonObject,
  name,
  paid,
  ruleDocument,
} from './wire-schemas.ts'

/** Tools that one question may name. */
const toolsMax = 2_000
/** Letters of one word of an entry. */
const textCharsMax = 100_000

const mark = z.strictObject({
  session: name,
  agent: name.nullable(),
  run: name.nullable(),
  branch: name.nullable(),
  proof: name.describe('of the daemon that answered the hook'),
})
const whose = {
  workspace: folder.describe('where the agent works'),
  runId: name.optional().describe('the run that the environment names; no mark says otherwise'),
  mark: mark.optional().describe("what a host's hook wrote into the call; ignored unless proven"),
  last: name.optional().describe('the run that the caller was held by last'),
}
const server = z.strictObject({ server: name, tool: name })
const scope = folder
  .nullable()
  .describe("the folder whose file names the server; null: the file beside Pawl's data")
const text = z.string().max(textCharsMax)
const launch = z.strictObject({
  command: text.optional(),
  args: z.array(text).optional(),
  cwd: text.optional(),
  env: jsonObject.optional(),
  url: text.optional(),
  headers: jsonObject.optional(),
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
    version: count,
    launch: z.object(pin),
    tools: z.array(z.object({ tool: z.string(), ...pin })),
  })
  .meta({ id: 'Pinned' })

export const gatewayContract = {
  'gateway.check': {
    input: z.strictObject({
      ...whose,
      server,
      input: jsonObject.default({}),
      holder: name,
      estimateMicroUsd: paid.optional().describe('what it will cost; absent: nobody knows'),
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
      input: jsonObject.nullable().describe('as it is to be made; null: it is not'),
      runId: z.string().nullable().describe('the run that judged; null: policies alone did'),
      branch: z.string().nullable(),
      callId: z.string().nullable(),
      approvalId: z.string().nullable().describe('the question that a person is asked'),
      bytesLeft: count.nullable().describe('bytes that its result may have; null: any number'),
      pass: z
        .object({ file: z.string(), word: z.string(), ms: count })
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
      runId: name,
      branch: name.optional(),
      callId: name,
      holder: name.describe('who asked for it; of an approved call nobody else reports'),
      ok: z.boolean(),
      output: z.string().nullable().default(null),
      bytes: count.default(0),
      costMicroUsd: paid.default(0),
    }),
    answer: z.object({ reported: z.literal(true) }),
  },
  'gateway.renew': {
    input: z.strictObject({ runId: name, callId: name, holder: name }),
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
      server: name,
      launch: launch.describe('its entry as it is written'),
      tools: z
        .array(z.strictObject({ tool: name, definition: jsonObject }))
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
    input: z.strictObject({ workspace: folder }),
    answer: z.object({ items: z.array(pinned) }),
  },
  'gateway.accept': {
    input: z.strictObject({
      scope,
      server: name,
      tool: name.optional().describe('absent: the server with all its tools'),
      version: count.describe('of what the person has seen'),
    }),
    answer: pinned,
  },
} as const
