/**
 * What goes into the operations about keys of the outbound proxy, and what comes out of them.
 */
import { z } from 'zod'
import { nameSchema } from './wire-schemas.ts'

const input = z.strictObject({ runId: nameSchema })

export const mailContract = {
  'mail.makeKey': {
    input,
    answer: z.object({ runId: z.string(), key: z.string().describe('told once, and not kept') }),
  },
  'mail.revokeKey': {
    input,
    answer: z.object({
      runId: z.string(),
      revoked: z.boolean().describe('false: there was none'),
    }),
  },
} as const
