/** The state of a tool call, as JSON. */
import { z } from 'zod'
import { countSchema, moneySchema, signalSchema } from './wire-schemas.ts'

const callState = z
  .enum(['allowed', 'pending', 'denied', 'refused', 'done', 'unsure'])
  .describe(
    'state of the call. allowed: make it once; pending: needs an approval; denied: by a rule; ' +
      'refused: by a person; done: it was already made with this key; unsure: it was allowed ' +
      'before with this key, and its result was never reported',
  )
const callReport = z.object({
  ok: z.boolean(),
  exitCode: z.int().nullable(),
  bytes: countSchema,
  costMicroUsd: moneySchema,
})

/** What a call is now, and no more: most callers need nothing else. */
export const checkedCallSchema = z
  .object({
    runId: z.string(),
    seq: countSchema.describe('number of records in the log'),
    reply: z.object({
      kind: z.literal('verdict'),
      state: callState,
      ...signalSchema,
      callId: z.string().nullable(),
      approvalId: z.string().nullable().describe('the approval; null if there is none'),
      refusal: z
        .object({ by: z.string().nullable(), note: z.string() })
        .nullable()
        .describe('who refused it; `by` is null if the approval expired'),
      report: callReport.nullable().describe('how the call ended, if it is done'),
    }),
  })
  .meta({ id: 'Checked' })
