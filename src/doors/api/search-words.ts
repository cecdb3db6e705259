/** The words of a search. Every word has to match. */
import { z } from 'zod'

const wordsMax = 8
const charsMax = 200

export const searchWords = z
  .string()
  .max(charsMax)
  .refine((text) => wordsInText(text).length <= wordsMax, `at most ${wordsMax} words`)
  .describe(
    `up to ${wordsMax} words; each must occur in the id, title, definition, status, stage or ` +
      'workspace',
  )

/** The words of a text. */
export function wordsInText(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
