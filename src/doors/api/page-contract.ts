/**
 * What goes into the operations of the page and what comes out of them.
 */
import { z } from 'zod'
import { accesses } from './access.ts'
import type { Terms } from './contract.ts'
import type { PageOperation } from './page-operations.ts'
import { jsonObject, moment, name } from './shapes.ts'

const access = z.enum(accesses)

export const pageContract = {
  me: {
    input: z.strictObject({}),
    answer: z.object({
      role: z.enum(['agent', 'person']),
      name: z.string(),
      access: access.describe('what a person may do; an agent only looks here'),
    }),
  },
  'signIns.invite': {
    input: z.strictObject({ access: access.default('admin') }),
    answer: z.object({ code: z.string(), access, expiresAt: moment }),
  },
  'machines.read': {
    input: z.strictObject({ hash: name }),
    answer: z.object({ machine: jsonObject.describe('as it was compiled') }),
  },
} as const satisfies Readonly<Record<PageOperation, Terms>>
