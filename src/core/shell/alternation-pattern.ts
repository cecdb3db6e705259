/** A regular expression with many alternatives, written as one line of words. */

/** Any of the words, parted by blanks, between a beginning and an end; in upper or lower case. */
export function anyOf(words: string, begin: string, end: string): RegExp {
  return new RegExp(begin + words.split(' ').join('|') + end, 'i')
}
