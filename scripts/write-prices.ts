/**
 * Writes `src/core/prices.json` from the data set `@pydantic/genai-prices`, so that core has the
 * prices without a dependency and without a network. `npm run prices` writes the file; a test
 * fails when it is not what the installed version of the data set gives.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { findProvider, type MatchLogic, type ModelPrice } from '@pydantic/genai-prices'
import { knownPrices, type Price, type Rates } from '../src/core/prices.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dataSet = '@pydantic/genai-prices'
const pricesPath = join(root, 'src', 'core', 'prices.json')

type PriceFile = {
  readonly about: string
  readonly source: { readonly name: string; readonly version: string; readonly date: string }
  readonly added: { readonly source: string; readonly date: string; readonly models: string[] }
  readonly models: Readonly<Record<string, Price>>
}

/** Models that agents run on; others produce sound and pictures. */
const wanted: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-/,
  openai:
    /^(?:gpt-(?:4o|4\.1|[5-9])|o3|o4-mini|codex-)(?!.*(?:image|audio|real|research|trans|tts))/,
  google: /^gemini-(?:2\.5|[3-9])(?!.*(?:image|audio|live|tts))/,
}

/** Models that the data set does not have yet; it wins as soon as it has them. */
const added = {
  source: 'the table built into Claude Code 2.1.325',
  date: '2026-11-16',
  models: {
    'claude-fable-5-2': claude(8, 40, 0.2),
    'claude-haiku-5-5': {
      ...claude(0.1, 0.5, 0.01),
      long: { above: 100_000, ...claude(0.5, 2.5, 0.05) },
    },
    'claude-mythos-5': claude(10, 50, 1),
    'claude-mythos-5-1': claude(10, 50, 0.25),
    'claude-mythos-5-2': claude(8, 40, 0.2),
    'claude-sonnet-5-5': claude(2, 10, 0.1),
  },
}

/** Writing to the cache costs 1.25 times the input, and twice the input for an hour. */
function claude(input: number, output: number, cacheRead: number): Rates {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 }
}

/** The models of the data set, by name, with the prices in force on a day and those announced. */
export function collectPrices(date: string): Readonly<Record<string, Price>> {
  const models = new Map<string, Price>(Object.entries(added.models))
  const listed = Object.entries(wanted).flatMap(([providerId, form]) =>
    (findProvider({ providerId })?.models ?? []).flatMap(({ id, match, prices }) => {
      const price = priceOf(Array.isArray(prices) ? inForce(prices, date) : [prices])
      const names = [id, ...namesIn(match)].filter((name) => form.test(name))
      return price === null ? [] : names.map((name) => [name, price] as const)
    }),
  )
  const isDated = (name: string): boolean => withoutDate(name) !== name
  for (const [name, price] of listed) if (!isDated(name)) models.set(name, price)
  // A dated version stands for its model, unless that has a price of its own.
  for (const [name, price] of listed.filter(([one]) => isDated(one))) {
    const model = withoutDate(name)
    const known = models.get(model)
    if (known === undefined) models.set(model, price)
    else if (!isDeepStrictEqual(known, price)) models.set(name, price)
  }
  return Object.fromEntries([...models].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

type Dated = { readonly constraint?: object; readonly prices: ModelPrice }

/** The prices of a day and of the days to come. */
function inForce(prices: readonly Dated[], date: string): readonly ModelPrice[] {
  const startOf = ({ constraint }: Dated): string =>
    constraint !== undefined && 'start_date' in constraint ? String(constraint.start_date) : ''
  const first = prices.findLastIndex((one) => startOf(one) <= date)
  return prices.slice(Math.max(first, 0)).map((one) => one.prices)
}

const keys = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWriteHour: 'cache_write_1h_mtok',
} as const

/** The highest of each rate; null: not a model that is paid by token. */
function priceOf(prices: readonly ModelPrice[]): Price | null {
  const parts = prices.flatMap((price) => Object.values(keys).map((key) => price[key]))
  const starts = parts.flatMap((part) =>
    typeof part === 'object' ? part.tiers.map((tier) => tier.start) : [],
  )
  const usual = ratesOf(prices, 0)
  if (usual === null || starts.length === 0) return usual
  const long = ratesOf(prices, Number.POSITIVE_INFINITY)
  return long === null ? usual : { ...usual, long: { above: Math.min(...starts), ...long } }
}

function ratesOf(prices: readonly ModelPrice[], tokens: number): Rates | null {
  const rateOf = (key: string): number | null => {
    const rates = prices.map((price) => price[key]).filter((part) => part !== undefined)
    const numbers = rates.map((part) => {
      if (typeof part === 'number') return part
      return Math.max(
        part.base,
        ...part.tiers.map((tier) => (tokens > tier.start ? tier.price : 0)),
      )
    })
    return numbers.length === 0 ? null : Math.max(...numbers)
  }
  const [input, output, cacheRead] = [keys.input, keys.output, keys.cacheRead].map(rateOf)
  if (input == null || output == null) return null
  const [write, hour] = [rateOf(keys.cacheWrite), rateOf(keys.cacheWriteHour)]
  return {
    ...{ input, output },
    ...(cacheRead == null ? {} : { cacheRead }),
    ...(write === null ? {} : { cacheWrite: write }),
    ...(hour === null ? {} : { cacheWriteHour: hour }),
  }
}

function namesIn(match: MatchLogic): readonly string[] {
  if ('or' in match) return match.or.flatMap(namesIn)
  if ('and' in match) return match.and.flatMap(namesIn)
  if ('equals' in match) return [match.equals]
  return 'starts_with' in match ? [match.starts_with] : []
}

/** WHY: `findPrice` takes a date or a tag behind a name by itself. */
function withoutDate(name: string): string {
  return name.replace(/(?:-\d{4}-\d\d-\d\d|[-@]\d{8}|-20\d\d|-latest|-preview.*|[-@])$/, '')
}

/** When this version of the data set was published. */
function publishedOn(version: string): string {
  const times: unknown = JSON.parse(
    execFileSync('npm', ['view', dataSet, 'time', '--json'], { encoding: 'utf8' }),
  )
  const time = (times as Readonly<Record<string, string>>)[version]
  if (time === undefined) throw new Error(`the registry has no date for ${dataSet} ${version}`)
  return time.slice(0, 'yyyy-mm-dd'.length)
}

/** The version of the data set that is installed. */
export function installedVersion(): string {
  const path = join(root, 'node_modules', dataSet, 'package.json')
  return String(JSON.parse(readFileSync(path, 'utf8')).version)
}

function writePrices(): void {
  const version = installedVersion()
  const date = publishedOn(version)
  const models = collectPrices(date)
  const { models: extra, ...about } = added
  const used = Object.keys(extra).filter((name) => models[name] === extra[name as never])
  const file: PriceFile = {
    about: 'US dollars for a million tokens. Written by `npm run prices`; not edited by hand.',
    source: { name: dataSet, version, date },
    added: { ...about, models: used },
    models,
  }
  writeFileSync(pricesPath, JSON.stringify(file))
  execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', pricesPath])
  const gone = Object.keys(knownPrices.models).filter((name) => models[name] === undefined)
  if (gone.length > 0) console.log(`no longer in the table: ${gone.join(', ')}`)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) writePrices()
