/**
 * Truncates a result that is larger than what the stage still allows, and marks where its texts
 * end.
 */
import { asObject, type Json, type JsonObject } from '../core/json.ts'

/** The result itself where it fits. */
export function truncateResult(result: Json, bytesMax: number): Json {
  const whole = asObject(result)
  if (whole === null || bytesOf(result) <= bytesMax) return result
  const { structuredContent, content } = whole
  return {
    content: cutTexts(content, bytesMax).map(({ text }) => ({ type: 'text', text })),
    // WHY an error then: clients take a result without the values of its schema only as one.
    ...(whole.isError === true || structuredContent !== undefined ? { isError: true } : {}),
  }
}

/** The same for what reading a resource gives. */
export function truncateContents(result: Json, bytesMax: number): Json {
  const { contents } = asObject(result) ?? {}
  if (!Array.isArray(contents) || bytesOf(result) <= bytesMax) return result
  const [first] = contents as readonly Json[]
  const uri = asObject(first)?.uri ?? ''
  return {
    contents: cutTexts(contents, bytesMax).map(({ part, text }) => {
      return { uri: part?.uri ?? uri, mimeType: 'text/plain', text }
    }),
  }
}

type Cut = { readonly part: JsonObject | null; readonly text: string }

function cutTexts(content: Json | undefined, bytesMax: number): readonly Cut[] {
  const parts = Array.isArray(content) ? (content as readonly Json[]) : []
  const kept: Cut[] = []
  let left = bytesMax
  for (const one of parts) {
    const part = asObject(one)
    const text = part?.text
    // What is no text is of no use in pieces.
    if (typeof text !== 'string' || left <= 0) continue
    const bytes = Buffer.from(text)
    kept.push({ part, text: bytes.length <= left ? text : pieceOf(bytes, left) })
    left -= bytes.length
  }
  const text = `[cut by Pawl: only ${bytesMax} more bytes of results are allowed here]`
  return [...kept, { part: null, text }]
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
