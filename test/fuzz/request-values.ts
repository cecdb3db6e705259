/** Values for requests: what a schema asks for, known ids, and what nobody should send. */

/** The part of JSON Schema that the contract of the API uses. */
export type InputSchema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly items?: InputSchema
  readonly anyOf?: readonly InputSchema[]
  readonly oneOf?: readonly InputSchema[]
  readonly minimum?: number
  readonly maximum?: number
}

export type Random = {
  /** From 0 to below 1. */
  readonly next: () => number
  readonly below: (count: number) => number
  readonly pick: <T>(list: readonly T[]) => T
}

/** The same seed gives the same numbers. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  return { next, below, pick }
}

const oddTexts = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\ufdd0', '../..', '/', '/..;/', '%2e%2e', '%00'],
  ...['__proto__', 'constructor', 'toString', 'null', '-1', '1e999', '[]', '{}', '\u001b[2J'],
  ...['x'.repeat(400), 'x'.repeat(5_000), '/'.repeat(400), '\u{1f600}'.repeat(300), "'; --"],
] as const
const oddNumbers = [0, -1, -0, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 9e15] as const
const depthMax = 4

const oddValues = (random: Random): unknown =>
  random.pick([
    ...[null, true, false, [], {}, [[]], { a: { b: [] } }, JSON.parse('{"__proto__":{"x":1}}')],
    random.pick(oddTexts),
    random.pick(oddNumbers),
    nested(40),
  ])

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

/** Texts that mean something, by the field that they stand in. */
export type KnownTexts = (field: string) => readonly string[]

export type ValueSource = {
  readonly random: Random
  readonly known: KnownTexts
  /** How often a value is one that does not fit. */
  readonly oddShare: number
}

/** The field that a value is for, and how deep it lies. */
type At = { readonly field: string; readonly depth: number }
const top: At = { field: '', depth: 0 }

/** A value for a schema; now and then one that does not fit it. */
export function valueFor(source: ValueSource, schema: InputSchema, at: At = top): unknown {
  const { field, depth } = at
  const inner = { field, depth: depth + 1 }
  const { random, oddShare } = source
  if (random.next() < oddShare) return oddValues(random)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return valueFor(source, random.pick(options), inner)
  const type = typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? ['any'])
  switch (type) {
    case 'object':
      return objectFor(source, schema, depth)
    case 'array':
      return Array.from({ length: depth > depthMax ? 0 : random.below(3) }, () =>
        valueFor(source, schema.items ?? {}, inner),
      )
    case 'integer':
    case 'number':
      return numberFor(random, schema, field)
    case 'boolean':
      return random.next() < 0.5
    case 'null':
      return null
    case 'string':
      return textFor(source, field)
    default:
      return random.pick([textFor(source, field), 1, true, null, {}, { a: 'b' }])
  }
}

function objectFor(source: ValueSource, schema: InputSchema, depth: number): unknown {
  const { random } = source
  const given: Record<string, unknown> = {}
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    const isNeeded = schema.required?.includes(field) ?? false
    const share = isNeeded ? 0.98 : 0.3
    if (depth > depthMax || random.next() > share) continue
    given[field] = valueFor(source, inner, { field, depth: depth + 1 })
  }
  if (random.next() < source.oddShare) given[random.pick(oddTexts)] = oddValues(random)
  return given
}

function numberFor(random: Random, { minimum = 0, maximum }: InputSchema, field: string): number {
  // WHY: who waits is not asking.
  if (/wait|timeout|ms$/i.test(field)) return Math.max(minimum, random.below(10))
  return minimum + random.below(Math.min(maximum ?? 100, 100))
}

function textFor({ random, known }: ValueSource, field: string): string {
  const texts = known(field)
  return texts.length > 0 && random.next() < 0.8 ? random.pick(texts) : random.pick(oddTexts)
}
