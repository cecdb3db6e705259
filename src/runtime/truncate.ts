/** Truncates long texts in a log, and marks where. */
import type { Event } from '../core/engine/types.ts'
import type { Json, JsonObject } from '../core/json.ts'

/** Letters of a reason or a note that a person or an agent gives. */
const noteCharsMax = 4_096
/** Letters of one text in the input of a call, as the log keeps it. */
export const inputCharsMax = 16_384

/** A text cut to a length, with a mark that tells how long it was. */
export function truncateText(text: string, charsMax: number = noteCharsMax): string {
  if (text.length <= charsMax) return text
  // WHY not through a pair: half a letter is none.
  const last = text.charCodeAt(charsMax - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? charsMax - 1 : charsMax
  return `${text.slice(0, end)}… [cut: ${text.length} characters]`
}

/** The event as the log keeps it. Only what no fold looks at is cut. */
export function truncateEvent(event: Event): Event {
  switch (event.type) {
    case 'call.allowed':
    case 'call.asked':
    case 'call.waiting':
    case 'call.denied':
      // WHY the same one where nothing is cut: see `stored-reply.ts`.
      return isShort(event.input) ? event : { ...event, input: cutJson(event.input) as JsonObject }
    default:
      return event
  }
}

function isShort(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.length <= inputCharsMax
  if (typeof value !== 'object' || value === null) return true
  for (const key in value) if (!isShort((value as JsonObject)[key])) return false
  return true
}

function cutJson(value: Json): Json {
  if (typeof value === 'string') return truncateText(value, inputCharsMax)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cutJson)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutJson(inner)]))
}
