/**
 * Parses untrusted JSON: valid UTF-8, limited depth, and no keys that reach into the prototype of
 * objects. Signals may not carry those keys either.
 */
import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../../core/json.ts'
import { type ProblemDocument, problem } from './problem.ts'

/** How deep lists and objects may nest. */
const depthMax = 100

export type ParsedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: ProblemDocument }

/** The value of a text; a text that is none is malformed, not merely wrong. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (!isUtf8(bytes)) return malformed('the text is not UTF-8')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return malformed('the text is not JSON')
  }
  const wrong = findWrong(value)
  if (wrong === null) return { ok: true, value }
  return { ok: false, problem: problem('REQUEST_INVALID', { detail: wrong }) }
}

function malformed(detail: string): ParsedJson {
  return { ok: false, problem: problem('REQUEST_INVALID', { detail, status: 400 }) }
}

/** Iterative: depth is data, not stack. */
function findWrong(root: Json): string | null {
  if (typeof root !== 'object' || root === null) return null
  let level: (readonly Json[] | JsonObject)[] = [root]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > depthMax) return `the JSON nests deeper than ${depthMax} levels`
    const next: (readonly Json[] | JsonObject)[] = []
    for (const one of level) {
      const isList = Array.isArray(one)
      for (const key in one) {
        const value = (one as JsonObject)[key]
        if (!isList && reachesPrototype(key, value)) return `the key \`${key}\` is not allowed`
        if (typeof value === 'object' && value !== null) next.push(value)
      }
    }
    level = next
  }
  return null
}

function reachesPrototype(key: string, value: Json | undefined): boolean {
  if (key === '__proto__') return true
  if (key !== 'constructor' || typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, 'prototype')
}
