/** Inputs and answers of the operations about money. */
import { z } from 'zod'
import { tokensMax } from '../../core/money.ts'
import {
  countSchema,
  momentSchema,
  moneySchema,
  nameSchema,
  outcomeSchema,
  paidSchema,
} from './wire-schemas.ts'

const some = countSchema.max(tokensMax)
const tokens = z
  .strictObject({
    input: some.default(0).describe('without cached tokens'),
    output: some.default(0),
    cacheRead: some.default(0),
    cacheWrite: some.default(0),
  })
  .describe('tokens that a model used')

const costRow = z
  .object({
    runId: z.string(),
    definition: z.string(),
    stage: z.string(),
    tool: z.string().describe('the tool of a call, or `model:NAME`'),
    day: z.string().describe('in UTC, `2026-11-16`'),
    costMicroUsd: moneySchema,
    count: countSchema.describe('number of calls or messages'),
  })
  .meta({ id: 'CostRow' })

export const costContract = {
  'runs.spend': {
    input: z.strictObject({
      runId: nameSchema,
      model: nameSchema.optional().describe('its price is looked up if no cost is given'),
      tokens: tokens.optional(),
      costMicroUsd: paidSchema.optional().describe('if absent, the price of the tokens'),
      source: nameSchema.default('api').describe('where the numbers come from'),
      branch: nameSchema.optional().describe('an open branch; if absent, the main run'),
    }),
    answer: outcomeSchema,
  },
  'costs.read': {
    input: z.strictObject({
      runId: nameSchema.optional().describe('if absent, all runs'),
      since: momentSchema.optional().describe('if absent, from the beginning'),
    }),
    answer: z.object({
      rows: z.array(costRow),
      isPartial: z.boolean().describe('there are more rows than one answer can contain'),
    }),
  },
} as const
