/**
 * `${x#a}`, `${x##a}`, `${x%a}` and `${x%%a}`: a value without what a pattern matches at its
 * beginning or end. Knows texts only.
 */

/** The longest value that is cut. */
export const cutCharsMax = 200

/** Whether a pattern is letters, `?` and at most one `*`: no quotes, sets or expansions. */
export function isCutPattern(pattern: string): boolean {
  return !/["'$`\\[\](){}]|\*.*\*/s.test(pattern)
}

/** A value without the shortest (`#`, `%`) or longest (`##`, `%%`) match of a pattern. */
export function cutBy(operator: string, pattern: string, value: string): string {
  const source = pattern
    .replace(/[.+^|/]/g, '\\$&')
    .replace(/\*+/g, '[^]*')
    .replace(/\?/g, '[^]')
  const matches = new RegExp(`^${source}$`)
  const isEnd = operator.startsWith('%')
  const isLong = operator.length > 1
  for (let i = 0; i <= value.length; i += 1) {
    const length = isLong ? value.length - i : i
    const at = isEnd ? value.length - length : length
    if (matches.test(isEnd ? value.slice(at) : value.slice(0, at))) {
      return isEnd ? value.slice(0, at) : value.slice(at)
    }
  }
  return value
}
