/** Prices that a person may set: under `prices` in `config.json`, and in a file of a workspace. */
import { z } from 'zod'

const price = z.number().min(0).max(100_000)
const rates = {
  input: price,
  output: price,
  cacheRead: price.exactOptional(),
  cacheWrite: price.exactOptional(),
  cacheWriteHour: price.exactOptional(),
}
const priceSchema = z.strictObject({
  ...rates,
  long: z.strictObject({ above: z.int().min(1), ...rates }).exactOptional(),
})

/** By the name of a model. */
export const pricesSchema = z
  .record(z.string().min(1).max(200), priceSchema)
  .describe('Model prices in dollars per million tokens. They override the known prices.')

/** A file that has nothing but prices. */
export const pricesFileSchema = z.strictObject({ prices: pricesSchema })
