/**
 * What goes into the operations about money, and what comes out of them.
 */
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
    input: some.default(0).describe('without those that a cache gave or took'),
    output: some.default(0),
    cacheRead: some.default(0),
    cacheWrite: some.default(0),
  })
  .describe('what a model has used')

const costRow = z
  .object({
    runId: z.string(),
    definition: z.string(),
    stage: z.string(),
    tool: z.string().describe('the tool of a call, or `model:NAME`'),
    day: z.string().describe('in UTC, `2026-11-16`'),
    costMicroUsd: moneySchema,
    count: countSchema.describe('calls or messages that it is made of'),
  })
  .meta({ id: 'CostRow' })

export const costContract = {
  'runs.spend': {
    input: z.strictObject({
      runId: nameSchema,
      model: nameSchema.optional().describe('its price is looked up when no cost is given'),
      tokens: tokens.optional(),
      costMicroUsd: paidSchema.optional().describe('absent: the price of the tokens'),
      source: nameSchema.default('api').describe('who says so'),
      branch: nameSchema.optional().describe('an open branch; absent: the main run'),
    }),
    answer: outcomeSchema,
  },
  'costs.read': {
    input: z.strictObject({
      runId: nameSchema.optional().describe('absent: all runs'),
      since: momentSchema.optional().describe('absent: from the beginning'),
    }),
    answer: z.object({
      rows: z.array(costRow),
      isPartial: z.boolean().describe('there was more than one answer holds'),
    }),
  },
} as const
