/**
 * JSON values: ordinary ones, and odd ones that a sender could put on the wire.
 */
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { evilNames, fieldName } from './names.ts'

/** What an author or a well-behaved agent writes. */
export const plainValue: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.boolean(),
  fc.constantFrom('', 'pass', 'fail', 'x', '1', '{{x}}', '2026-03-11', 'a@b.example'),
  fc.constant(null),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  fc.dictionary(fieldName, fc.integer({ min: 0, max: 3 }), { maxKeys: 2 }),
)

function nested(depth: number): Json {
  let value: Json = 'deep'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { x: value }
  return value
}

/** Values that have broken programs. `JSON.parse` makes `__proto__` an own member. */
const brokenBefore: readonly Json[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  Number.MAX_SAFE_INTEGER + 2,
  -0,
  '\ud800',
  '\u0000',
  '\u202e\u2028',
  'y'.repeat(5_000),
  nested(40),
  nested(70),
  JSON.parse('{"__proto__": {"isAdmin": true}}') as Json,
  JSON.parse('{"constructor": {"prototype": {"isAdmin": true}}}') as Json,
  JSON.parse('{"a": {"__proto__": 1}}') as Json,
  Array.from({ length: 200 }, (_, index) => index),
]

/** Any value at all, within what JSON types allow. */
export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: plainValue },
  { weight: 1, arbitrary: fc.constantFrom(...brokenBefore) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)

const oddKey = fc.oneof(
  { weight: 6, arbitrary: fieldName },
  { weight: 1, arbitrary: fc.constantFrom(...evilNames) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
)

/** Data of a signal: mostly fields that guards read. */
export const plainData: fc.Arbitrary<JsonObject> = fc.dictionary(fieldName, plainValue, {
  maxKeys: 3,
})

/** Data with odd keys and values; `fromEntries` makes every key an own member. */
export const oddData: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(oddKey, oddValue), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as JsonObject)
