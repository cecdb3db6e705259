/**
 * What a tool call is now, as JSON.
 */
import { z } from 'zod'
import { countSchema, moneySchema, signalSchema } from './wire-schemas.ts'

const callState = z
  .enum(['allowed', 'pending', 'denied', 'refused', 'done', 'unsure'])
  .describe(
    'what the call is now. allowed: make it, once; pending: a person decides; denied: by a rule; ' +
      'refused: by a person; done: it was made before under this key; unsure: it was allowed ' +
      'before under this key, and its end was never reported',
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
    seq: countSchema.describe('records in the log'),
    reply: z.object({
      kind: z.literal('verdict'),
      state: callState,
      ...signalSchema,
      callId: z.string().nullable(),
      approvalId: z.string().nullable().describe('the question to a person; null: none'),
      refusal: z
        .object({ by: z.string().nullable(), note: z.string() })
        .nullable()
        .describe('who refused it; `by` is null where nobody decided in time'),
      report: callReport.nullable().describe('how it ended, where it is done'),
    }),
  })
  .meta({ id: 'Checked' })
