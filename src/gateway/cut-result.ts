/**
 * A result that is larger than what a stage still takes: as much of its texts as there is room for,
 * and a mark where they end.
 */
import { asObject, type Json, type JsonObject } from '../core/json.ts'

/** The result itself where it fits. */
export function cutResult(result: Json, bytesMax: number): Json {
  const whole = asObject(result)
  if (whole === null || bytesOf(result) <= bytesMax) return result
  const { structuredContent, content } = whole
  const parts = Array.isArray(content) ? (content as readonly Json[]) : []
  const kept: JsonObject[] = []
  let left = bytesMax
  for (const part of parts) {
    const text = asObject(part)?.text
    // What is no text is of no use in pieces.
    if (typeof text !== 'string' || left <= 0) continue
    const bytes = Buffer.from(text)
    const piece = bytes.length <= left ? text : pieceOf(bytes, left)
    kept.push({ type: 'text', text: piece })
    left -= bytes.length
  }
  const text = `[cut by Pawl: the stage takes ${bytesMax} more bytes of results]`
  return {
    content: [...kept, { type: 'text', text }],
    // WHY an error then: clients take a result without the values of its schema only as one.
    ...(whole.isError === true || structuredContent !== undefined ? { isError: true } : {}),
  }
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** WHY so: a letter of several bytes is not cut in two. */
function pieceOf(bytes: Buffer, max: number): string {
  let end = max
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString()
}
