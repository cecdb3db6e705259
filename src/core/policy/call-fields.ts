/** Fields of calls that order rules name, and whether an input has the values they ask for. */
import { asObject, equalJson, type Json, type JsonObject, own } from '../json.ts'
import { hashJson } from '../machine/hash.ts'
import type { CallField, InputMatch } from '../machine/order-rule.ts'

/** The value under some keys, one inside the other; undefined: there is none. */
export function valueUnder(value: Json | undefined, keys: readonly string[]): Json | undefined {
  let found = value
  for (const key of keys) {
    if (found === undefined) return undefined
    const list: readonly Json[] | null = Array.isArray(found) ? found : null
    const record: JsonObject | null = asObject(found)
    if (list !== null) found = /^\d{1,6}$/.test(key) ? list[Number(key)] : undefined
    else found = record === null ? undefined : own(record, key)
  }
  return found
}

/** The keys of a field inside its part of the call. */
export function keysOf([, ...keys]: CallField): readonly string[] {
  return keys
}

/** Whether an input has every value that is asked for. */
export function matchesInput(input: JsonObject, matches: readonly InputMatch[]): boolean {
  return matches.every(({ field, value }) => matchesValue(valueUnder(input, keysOf(field)), value))
}

function matchesValue(found: Json | undefined, wanted: Json): boolean {
  if (found === undefined) return false
  if (typeof wanted === 'string' && wanted.endsWith('*')) {
    return typeof found === 'string' && found.startsWith(wanted.slice(0, -1))
  }
  return equalJson(found, wanted)
}

/** A value in few characters: equal values have the same, and no others do. */
export function valueHash(value: Json): string {
  return hashJson(value).slice(0, hashChars)
}
const hashChars = 'sha256:'.length + 32

/** Several values as one. */
export function joinHashes(hashes: readonly string[]): string {
  return hashes.join(' ')
}
