/** Quotes a command for a message: on one line, with a maximum length. */

const textCharsMax = 80

/** The text on one line, cut where it gets long. */
export function quoteCommand(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > textCharsMax ? `${line.slice(0, textCharsMax)}…` : line
}
