/**
 * A short name for the contents of a call, to notice that the same one is made again.
 * Frozen with the events: states keep it.
 */
import { type JsonObject, own } from '../json.ts'

/** Fields beside a command that change nothing about what it does. */
const noteFields: ReadonlySet<string> = new Set([
  ...['description', 'justification', 'explanation', 'timeout', 'timeout_ms', 'run_in_background'],
])

function contentOf(input: JsonObject): JsonObject {
  if (own(input, 'command') === undefined) return input
  return Object.fromEntries(Object.entries(input).filter(([field]) => !noteFields.has(field)))
}

/**
 * 53 bits of the tool and the input as it was sent, of a command without notes on it (cyrb53).
 * WHY not SHA-256: it is made for each call, and an agent that found two calls of one name would
 *     only be told too early that it repeats itself. Nothing is approved or proven by it.
 */
export function contentKey(tool: string, input: JsonObject): string {
  const text = `${tool}\0${JSON.stringify(contentOf(input))}`
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
