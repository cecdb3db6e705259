/**
 * A text without some letters at its end. A pattern such as `/[. ]+$/` tries every run of them on
 * its way there, and again from each of its letters: seconds, where a text is made for it.
 */

/** The text up to the last letter that is none of these. */
export function trimEnd(text: string, letters: string): string {
  let end = text.length
  while (end > 0 && letters.includes(text[end - 1] as string)) end -= 1
  return text.slice(0, end)
}
