/**
 * What somebody searches for: a few words, each of which has to be there.
 */
import { z } from 'zod'

const wordsMax = 8
const charsMax = 200

export const searchWords = z
  .string()
  .max(charsMax)
  .refine((text) => wordsInText(text).length <= wordsMax, `at most ${wordsMax} words`)
  .describe(
    `words, ${wordsMax} at most, that all stand in its id, definition, status, stage or workspace`,
  )

/** The words of a text. */
export function wordsInText(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
