/** Inputs and answers of the operations about keys of the outbound proxy. */
import { z } from 'zod'
import { nameSchema } from './wire-schemas.ts'

const input = z.strictObject({ runId: nameSchema })

export const mailContract = {
  'mail.makeKey': {
    input,
    answer: z.object({
      runId: z.string(),
      key: z.string().describe('shown only once; not stored'),
    }),
  },
  'mail.revokeKey': {
    input,
    answer: z.object({
      runId: z.string(),
      revoked: z.boolean().describe('false if there was no key'),
    }),
  },
} as const
