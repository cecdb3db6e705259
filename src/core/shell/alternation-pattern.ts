/**
 * A pattern with many choices, written as lines of words instead of one long line.
 */

/** The choices of all lines, parted by blanks, between a beginning and an end. */
export function alternationPattern(begin: string, lines: readonly string[], end: string): RegExp {
  const choices = lines
    .join(' ')
    .split(' ')
    .filter((choice) => choice !== '')
  return new RegExp(`${begin}(?:${choices.join('|')})${end}`)
}
