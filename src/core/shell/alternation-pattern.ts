/** A regular expression with many alternatives, written as lines of words. */

/** The choices of all lines, parted by blanks, between a beginning and an end. */
export function alternationPattern(begin: string, lines: readonly string[], end: string): RegExp {
  const choices = lines
    .join(' ')
    .split(' ')
    .filter((choice) => choice !== '')
  return new RegExp(`${begin}(?:${choices.join('|')})${end}`)
}
