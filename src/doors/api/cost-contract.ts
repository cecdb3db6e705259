/**
 * What goes into the operations about money, and what comes out of them.
 */
import { z } from 'zod'
import { tokensMax } from '../../core/money.ts'
import { count, moment, money, name, outcome, paid } from './wire-schemas.ts'

const some = count.max(tokensMax)
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
    costMicroUsd: money,
    count: count.describe('calls or messages that it is made of'),
  })
  .meta({ id: 'CostRow' })

export const costContract = {
  'runs.spend': {
    input: z.strictObject({
      runId: name,
      model: name.optional().describe('its price is looked up when no cost is given'),
      tokens: tokens.optional(),
      costMicroUsd: paid.optional().describe('absent: the price of the tokens'),
      source: name.default('api').describe('who says so'),
      branch: name.optional().describe('an open branch; absent: the main run'),
    }),
    answer: outcome,
  },
  'costs.read': {
    input: z.strictObject({
      runId: name.optional().describe('absent: all runs'),
      since: moment.optional().describe('absent: from the beginning'),
    }),
    answer: z.object({
      rows: z.array(costRow),
      isPartial: z.boolean().describe('there was more than one answer holds'),
    }),
  },
} as const
