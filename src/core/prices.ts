/**
 * Prices of models: the table, which is data, and the cost of one use. Must not know hosts: the
 * reader of a transcript passes the tokens in.
 */
import { own } from './json.ts'
import table from './prices.json' with { type: 'json' }

/** Dollars for a million tokens, which is millionths of a dollar for one. */
export type Rates = {
  readonly input: number
  readonly output: number
  /** Absent: as `input`. */
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** Kept for an hour instead of five minutes; absent: as `cacheWrite`. */
  readonly cacheWriteHour?: number
}

export type Price = Rates & {
  /** Other prices for a message whose prompt has more than so many tokens. */
  readonly long?: Rates & { readonly above: number }
}

export type PriceTable = {
  /** By the name of a model, without the date that may stand behind it. */
  readonly models: Readonly<Record<string, Price>>
  /** For a model that is not in the table: the highest of each, so that no budget fails open. */
  readonly unknown: Rates
}

export const knownPrices: PriceTable = tableOf(table.models)

/** Where the known prices come from, each with its date: the data set, then models added to it. */
export const pricesSources: readonly { readonly name: string; readonly date: string }[] = [
  { name: `${table.source.name} ${table.source.version}`, date: table.source.date },
  ...(table.added.models.length === 0
    ? []
    : [
        {
          name: `${table.added.models.length} models from ${table.added.source}`,
          date: table.added.date,
        },
      ]),
]

export type ModelUsage = {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Part of `cacheWrite`; absent: none. */
  readonly cacheWriteHour?: number
}

type Priced = {
  readonly microUsd: number
  /** The model was in the table. */
  readonly isKnown: boolean
}

/** Prices with those of a user laid over them. */
export function withPrices(
  models: Readonly<Record<string, Price>>,
  base: PriceTable = knownPrices,
): PriceTable {
  return tableOf({ ...base.models, ...models })
}

/** Prices with models added to them and rates raised; no model that they know gets cheaper. */
export function raisePrices(models: PriceTable['models'], base: PriceTable): PriceTable {
  const raised = Object.entries(models).map(([name, price]) => {
    // WHY not by the same name alone: a date behind it would make another entry for the model.
    const known = findPrice(base, name)
    return [name, known === null ? price : dearerOf(known, price)] as const
  })
  return withPrices(Object.fromEntries(raised), base)
}

/** At least as dear as either, whatever the use; where long prompts begin, the lower counts. */
function dearerOf({ long: aLong, ...a }: Price, { long: bLong, ...b }: Price): Price {
  const usual = highestOf([a, b])
  const longs = [aLong, bLong].filter((one) => one !== undefined)
  if (longs.length === 0) return usual
  const above = Math.min(...longs.map((one) => one.above))
  return { ...usual, long: { ...highestOf([usual, ...longs]), above } }
}

/** For where it cannot be told what a model costs: each is as dear as the dearest. */
export function highestPrices({ unknown }: PriceTable): PriceTable {
  return { models: {}, unknown }
}

function tableOf(models: PriceTable['models']): PriceTable {
  const all = Object.values(models).flatMap(({ long, ...usual }) =>
    long === undefined ? [usual] : [usual, long],
  )
  return { models, unknown: highestOf(all) }
}

/** The highest of each rate, with none left out. */
function highestOf(all: readonly Rates[]): Required<Rates> {
  const highest = (rateOf: (rates: Rates) => number): number => Math.max(0, ...all.map(rateOf))
  return {
    input: highest((one) => one.input),
    output: highest((one) => one.output),
    cacheRead: highest((one) => one.cacheRead ?? one.input),
    cacheWrite: highest((one) => one.cacheWrite ?? one.input),
    cacheWriteHour: highest((one) => one.cacheWriteHour ?? one.cacheWrite ?? one.input),
  }
}

/** The price of one use, in whole millionths of a dollar. */
export function priceUsage(prices: PriceTable, usage: ModelUsage): Priced {
  const found = findPrice(prices, usage.model)
  const { input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = usage
  const { long, ...usual }: Price = found ?? prices.unknown
  const isLong = long !== undefined && input + cacheRead + cacheWrite > long.above
  const rate = isLong ? long : usual
  const writeRate = rate.cacheWrite ?? rate.input
  const hour = Math.min(cacheWriteHour, cacheWrite)
  const microUsd =
    input * rate.input +
    output * rate.output +
    cacheRead * (rate.cacheRead ?? rate.input) +
    (cacheWrite - hour) * writeRate +
    hour * (rate.cacheWriteHour ?? writeRate)
  return { microUsd: Math.round(microUsd), isKnown: found !== null }
}

/**
 * What may stand behind the name of a model without making it another one: a date, a tag.
 * WHY no more: the next model has the name of the last one and a number, and another price.
 */
const sameModel = /^(?:[-@]\d{6,8}|-\d{4}-\d\d-\d\d|[-@]latest|-preview[\w-]*|\[\w+\]|:[\w.-]+)+$/

/** The price of a model by its name, with or without a date. */
function findPrice({ models }: PriceTable, model: string): Price | null {
  const plain = model.slice(model.lastIndexOf('/') + 1)
  const exact = own(models, plain)
  if (exact !== undefined) return exact
  const name = Object.keys(models).find(
    (one) => plain.startsWith(one) && sameModel.test(plain.slice(one.length)),
  )
  return name === undefined ? null : (own(models, name) ?? null)
}
