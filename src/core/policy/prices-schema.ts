/** Prices that a person may set: under `prices` in `config.json`, and in a file of a workspace. */
import { z } from 'zod'

const price = z.number().min(0).max(100_000)
const rates = {
  input: price.describe('Price of input tokens.'),
  output: price.describe('Price of output tokens.'),
  cacheRead: price.exactOptional().describe('Price of tokens read from the cache.'),
  cacheWrite: price.exactOptional().describe('Price of tokens written to the cache.'),
  cacheWriteHour: price
    .exactOptional()
    .describe('Price of tokens written to the cache for an hour.'),
}
const above = z.int().min(1).describe('Number of input tokens above which these prices apply.')
const priceSchema = z.strictObject({
  ...rates,
  long: z
    .strictObject({ above, ...rates })
    .exactOptional()
    .describe('Prices for long prompts.'),
})

/** By the name of a model. */
export const pricesSchema = z
  .record(z.string().min(1).max(200), priceSchema)
  .describe('Model prices in dollars per million tokens. They override the known prices.')

/** A file that has nothing but prices. */
export const pricesFileSchema = z.strictObject({ prices: pricesSchema })
