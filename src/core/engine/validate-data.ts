/** Rejects data with reserved keys, and data that is too large for a run. */
import type { Json, JsonObject } from '../json.ts'

/** Values and keys that one signal may carry. */
const dataNodesMax = 20_000
/** Letters in all its texts together. */
const dataCharsMax = 1_000_000
/** How deep its lists and objects may nest. */
export const dataDepthMax = 64

/** Why this data may not come in, or null. */
export function refuseData(data: JsonObject): string | null {
  return isPlainlyFine(data) ? null : walkData(data)
}

/** A few short values at the top: what nearly every signal carries. */
function isPlainlyFine(data: JsonObject): boolean {
  let count = 0
  for (const key in data) {
    count += 1
    const value = data[key]
    if (count > 16 || key === '__proto__' || key.length > 100) return false
    if (typeof value === 'object' && value !== null) return false
    if (typeof value === 'string' && value.length > 1_000) return false
    if (typeof value === 'number' && !Number.isFinite(value)) return false
  }
  return true
}

/** Iterative: depth is data, not stack. */
function walkData(data: JsonObject): string | null {
  const stack: { readonly value: Json; readonly depth: number }[] = [{ value: data, depth: 0 }]
  let nodes = 0
  let chars = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next
    nodes += 1
    if (nodes > dataNodesMax) return `the data has more than ${dataNodesMax} values`
    if (typeof value === 'string') chars += value.length
    if (chars > dataCharsMax) return `the data has more than ${dataCharsMax} characters`
    if (typeof value === 'number' && !Number.isFinite(value))
      return 'the data has a number that is not finite'
    if (typeof value !== 'object' || value === null) continue
    if (depth >= dataDepthMax) return `the data is nested more than ${dataDepthMax} levels deep`
    for (const key of Object.keys(value)) {
      chars += key.length
      if (reachesPrototype(value, key)) return `the key \`${key}\` would change a prototype`
      stack.push({ value: (value as JsonObject)[key] as Json, depth: depth + 1 })
    }
  }
  return null
}

function reachesPrototype(value: Json, key: string): boolean {
  if (key === '__proto__') return true
  if (key !== 'constructor' || typeof value !== 'object' || value === null) return false
  const inner = (value as JsonObject)[key]
  return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype')
}
