/**
 * A command as a message quotes it: on one line, and not longer than a message should be.
 */

const textCharsMax = 80

/** The text on one line, cut where it gets long. */
export function quoteCommand(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > textCharsMax ? `${line.slice(0, textCharsMax)}…` : line
}
