/**
 * What a terminal's text says without colours, links and overwritten progress.
 * Knows escape sequences. Must not know what the text is about.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-Z]|[ -~])/g

/** A longer line is not read: no summary is that long. */
const lineCharactersMax = 2000

/** The text without what steers a terminal. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(escapes, '')
}

/** The lines as they stand on a terminal at the end; too long ones are empty. */
export function plainLines(text: string): readonly string[] {
  return withoutEscapes(text)
    .split('\n')
    .map((line) => {
      const shown = line.replace(/\r+$/, '')
      const last = shown.slice(shown.lastIndexOf('\r') + 1).trimEnd()
      return last.length > lineCharactersMax ? '' : last
    })
}
