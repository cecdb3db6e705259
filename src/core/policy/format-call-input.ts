/**
 * The input of a call as a person reads it before deciding: exact, on one line, and marked where
 * something is left out. Must not know approvals.
 */
import type { JsonObject } from '../json.ts'

/** Letters of an input that a question shows; the whole stands in the approval itself. */
export const shownCharsMax = 1_200

const headChars = 800
const tailChars = 300

/** The input as one line; both ends of a long one, with how much is missing between them. */
export function showInput(input: JsonObject): string {
  const text = JSON.stringify(input)
  if (text.length <= shownCharsMax) return visible(text)
  const missing = text.length - headChars - tailChars
  const head = visible(text.slice(0, headChars))
  const tail = visible(text.slice(-tailChars))
  return `${head} … (${missing} more characters) … ${tail}`
}

/** Marks that cannot be seen, or that turn the order of letters round, are spelt out. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]|[^\P{Zs} ]/gu, (mark) => {
    const code = (mark.codePointAt(0) as number).toString(16).padStart(4, '0')
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`
  })
}
