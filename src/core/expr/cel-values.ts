/**
 * JSON as CEL values and back.
 * Knows both kinds of values. Must not know expressions.
 */
import {
  type CelInput,
  type CelValue,
  celList,
  celMap,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
} from '@bufbuild/cel'
import { emptyRecord, type Json, type JsonObject } from '../json.ts'
import { charge, chargeText, checkDepth, fault, type WorkMeter } from './meter.ts'

/** How a time or a duration is written; the language's own `string()`. */
export type CelWriter = (value: CelValue) => string | null

/**
 * A JSON value for CEL. Whole numbers are `int`, all others `double`.
 * WHY: in an expression `1` is an int, and `count + 1` must not fault on a count from JSON.
 */
export function toCel(value: Json, meter: WorkMeter, depth = 0): CelValue {
  if (typeof value === 'string') {
    chargeText(meter, value.length)
    return value
  }
  charge(meter, 1)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  checkDepth(depth)
  if (Array.isArray(value)) return listOf(value.map((item: Json) => toCel(item, meter, depth + 1)))
  const members = new Map<string, CelInput>()
  for (const [key, member] of Object.entries(value as JsonObject)) {
    members.set(key, toCel(member, meter, depth + 1))
  }
  return celMap(members)
}

// WHY: a list's items can only be walked slowly from outside; who made it still knows the array.
const itemsOfList = new WeakMap<object, readonly CelValue[]>()

/** A list that remembers its array. */
export function listOf(items: readonly CelValue[]): CelValue {
  const list = celList(items)
  itemsOfList.set(list, items)
  return list
}

/** The items of a list. */
export function itemsOf(list: Iterable<CelValue>): readonly CelValue[] {
  return itemsOfList.get(list) ?? [...list]
}

type CelConversion = {
  readonly meter: WorkMeter
  readonly write: CelWriter
  readonly depth: number
}

/** The JSON of a result. Throws the reason when JSON has nothing like it. */
export function fromCel(value: CelValue, place: CelConversion): Json {
  charge(place.meter, 1)
  checkDepth(place.depth)
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return numberOf(value)
  if (isCelUint(value)) return numberOf(value.value)
  const below = { ...place, depth: place.depth + 1 }
  if (isCelList(value)) return itemsOf(value).map((item) => fromCel(item, below))
  if (isCelMap(value)) return recordOf([...value], below)
  if (value instanceof Uint8Array) return fault('bytes cannot be converted to JSON: use `string()`')
  if (isCelType(value)) return fault('a type cannot be converted to JSON')
  return place.write(value) ?? fault('a message cannot be converted to JSON')
}

function numberOf(value: bigint): number {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : fault('the integer is too large for JSON')
}

function recordOf(
  entries: readonly (readonly [unknown, CelValue])[],
  place: CelConversion,
): JsonObject {
  const record = emptyRecord<Json>()
  for (const [key, member] of entries) {
    const name = isCelUint(key) ? String(key.value) : String(key)
    if (Object.hasOwn(record, name)) fault(`two keys of a map are both \`${name}\` in JSON`)
    record[name] = fromCel(member, place)
  }
  return record
}
