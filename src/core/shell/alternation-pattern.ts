/** A regular expression with many alternatives, written as lines of words. */

/** The choices of all lines, parted by blanks, between a beginning and an end. */
export function alternationPattern(begin: string, lines: readonly string[], end: string): RegExp {
  const choices = lines
    .join(' ')
    .split(' ')
    .filter((choice) => choice !== '')
  return new RegExp(`${begin}(?:${choices.join('|')})${end}`)
}

/** The same of one line of data, in upper or lower case. */
export function anyOf(words: string, begin: string, end: string): RegExp {
  return new RegExp(begin + words.split(' ').join('|') + end, 'i')
}
