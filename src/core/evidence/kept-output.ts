/**
 * The end of what a call printed, as it is kept in the log of a run: bounded, and without secrets.
 * Must not know who may read it.
 */
import { redact } from '../redact.ts'

export type KeptOutput = {
  readonly text: string
  /** More was printed before it. */
  readonly isCut: boolean
}

export const keptOutputCharsMax = 4_000
/** WHY more: a secret that begins before the part that is kept is recognised by its beginning. */
const readCharsMax = 4 * keptOutputCharsMax

/** What not every store can hold: NUL, and half letters. */
const unstorable = /[\0\p{Cs}]/gu

/** Its last lines; null: nothing was printed. */
export function keepOutput(printed: string): KeptOutput | null {
  if (printed.trim() === '') return null
  const clean = redact(printed.slice(-readCharsMax)).replace(unstorable, '\uFFFD').trimEnd()
  if (clean.length <= keptOutputCharsMax) {
    return { text: clean, isCut: printed.length > readCharsMax }
  }
  const end = clean.slice(-keptOutputCharsMax)
  // A line that is cut in two is left out, unless it is all there is.
  const text = end.slice(end.indexOf('\n') + 1)
  return { text: text.replace(/^\p{Cs}/u, ''), isCut: true }
}
