/** Inputs and answers of the operations by which agents get credentials. */
import { z } from 'zod'
import { nameSchema } from './wire-schemas.ts'

const credential = z.string().describe('send it as `Authorization: Bearer`')

export const credentialContract = {
  'credentials.issue': {
    input: z.strictObject({}),
    answer: z.object({
      credential,
      session: z.string().describe('by which its calls are told from those of others'),
    }),
  },
  'credentials.forRun': {
    input: z.strictObject({ runId: nameSchema }),
    answer: z.object({ credential, runId: z.string() }),
  },
}
