/**
 * Removes given characters from the end of a text, in linear time. A pattern such as `/[. ]+$/` is
 * quadratic: it takes seconds on a text made for it.
 */

/** The text up to the last letter that is none of these. */
export function trimEnd(text: string, letters: string): string {
  let end = text.length
  while (end > 0 && letters.includes(text[end - 1] as string)) end -= 1
  return text.slice(0, end)
}
