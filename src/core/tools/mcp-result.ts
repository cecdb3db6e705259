/**
 * What rules and definitions read of the result of an MCP tool: its structured content, or its
 * text. Knows MCP's results. Must not know who received one.
 */
import { asObject, type Json } from '../json.ts'

/** The text of a result, or of its list of contents; null: it is none, or has no text. */
export function textOfMcpResult(result: Json): string | null {
  const whole = asObject(result)
  if (whole?.structuredContent !== undefined && whole.structuredContent !== null) {
    return JSON.stringify(whole.structuredContent)
  }
  const parts = Array.isArray(result) ? result : whole?.content
  if (!Array.isArray(parts)) return null
  const texts = parts.flatMap((part: Json) => {
    const text = asObject(part)?.text
    return typeof text === 'string' ? [text] : []
  })
  return texts.length === 0 ? null : texts.join('\n')
}

/** Whether a result says of itself that the tool failed. */
export function isMcpFailure(result: Json): boolean {
  return asObject(result)?.isError === true
}
