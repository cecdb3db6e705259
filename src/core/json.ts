/**
 * The type of all data in core: plain JSON, never changed in place. Must not know machines,
 * dialects or expressions.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** A value as an object of JSON, or null when it is anything else. */
export function asObject(value: Json | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : null
}

/** An empty record without a prototype: `constructor` and `__proto__` are not in it. */
export function emptyRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

/** The own value under a key; what every object inherits is never found. */
export function own<T>(record: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** A deep copy without prototypes, so that an expression can reach nothing but data. */
export function bare(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(bare)
  const copy = emptyRecord<Json>()
  for (const [key, member] of Object.entries(value)) copy[key] = bare(member)
  return copy
}

/** Whether two values are the same JSON: no coercion, lists in order, objects in any order. */
export function equalJson(left: Json, right: Json): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if (left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length && left.every((item, i) => equalJson(item, right[i] as Json))
    )
  }
  const a = left as JsonObject
  const b = right as JsonObject
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key] as Json, b[key] as Json))
}

/** One spelling per value: keys sorted, no spaces. What is hashed is this text. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as JsonObject)[key] as Json)}`)
  return `{${members.join(',')}}`
}
