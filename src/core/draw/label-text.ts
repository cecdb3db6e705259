/**
 * Author's text made fit for a picture: one line, no control characters, short enough.
 * Knows characters. Must not know machines or any output format.
 */

const ellipsis = '…'

/** The text on one line, without characters that would break or disguise a picture. */
export function oneLine(text: string): string {
  return (
    text
      // WHY: half a surrogate pair and the two non-characters are no legal XML.
      .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
      // WHY: a mark that turns the writing direction could make a label say something else.
      .replace(/\p{Cf}/gu, '')
      .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
      .trim()
  )
}

/** At most `charsMax` characters on one line; what is cut is marked. */
export function shortenText(text: string, charsMax: number): string {
  const chars = [...oneLine(text)]
  if (chars.length <= charsMax) return chars.join('')
  const kept = chars.slice(0, charsMax - 1).join('')
  return kept.trimEnd() + ellipsis
}

/** `Read, Grep, Glob +2`: as many names as fit, then how many more there are. */
export function listNames(names: readonly string[], charsMax: number): string {
  let text = ''
  for (const [index, name] of names.entries()) {
    const longer = index === 0 ? shortenText(name, charsMax) : `${text}, ${oneLine(name)}`
    const isLast = index === names.length - 1
    const room = isLast ? charsMax : charsMax - ` +${names.length - index - 1}`.length
    if (index > 0 && [...longer].length > room) return `${text} +${names.length - index}`
    text = longer
  }
  return text
}

/** How many columns of a terminal a text takes. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const char of text) cells += isNoCell(char) ? 0 : isWideCharacter(char) ? 2 : 1
  return cells
}

/** Whether a character takes the room of two, as Chinese signs and emoji do. */
export function isWideCharacter(char: string): boolean {
  return wide.test(char)
}

/** Whether a character sits on the one before it and takes no room. */
export function isNoCell(char: string): boolean {
  return /\p{Mn}|\p{Me}/u.test(char)
}

// Chinese, Japanese and Korean signs, full-width forms, and what is drawn as a coloured picture.
const wideRanges = [
  '\\u1100-\\u115F\\u2E80-\\u303E\\u3041-\\uA4CF\\uAC00-\\uD7A3\\uF900-\\uFAFF',
  '\\uFE30-\\uFE6F\\uFF01-\\uFF60\\uFFE0-\\uFFE6\\u{20000}-\\u{3FFFD}',
]
const wide = new RegExp(`[${wideRanges.join('')}\\p{Emoji_Presentation}]`, 'u')

type WrapRule = {
  readonly widthMax: number
  readonly linesMax: number
  readonly measure: (text: string) => number
}

/** The text in lines that fit; the last line tells when something is missing. */
export function wrapText(text: string, rule: WrapRule): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of oneLine(text).split(' ')) {
    for (const part of breakWord(word, rule)) {
      const longer = line === '' ? part : `${line} ${part}`
      if (rule.measure(longer) > rule.widthMax && line !== '') {
        lines.push(line)
        line = part
      } else line = longer
    }
  }
  if (line !== '') lines.push(line)
  if (lines.length <= rule.linesMax) return lines
  const kept = lines.slice(0, rule.linesMax - 1)
  return [...kept, cutToFit(lines.slice(rule.linesMax - 1).join(' '), rule)]
}

/** A word that is wider than a line, in parts that are not. */
function breakWord(word: string, rule: WrapRule): string[] {
  if (rule.measure(word) <= rule.widthMax) return [word]
  const parts: string[] = []
  let part = ''
  for (const char of word) {
    if (part !== '' && rule.measure(part + char) > rule.widthMax) {
      parts.push(part)
      part = ''
    }
    part += char
  }
  return [...parts, part]
}

/** The longest beginning that fits with the mark of a cut behind it. */
export function cutToFit(text: string, rule: Omit<WrapRule, 'linesMax'>): string {
  if (rule.measure(text) <= rule.widthMax) return text
  let kept = ''
  for (const char of text) {
    if (rule.measure(kept + char + ellipsis) > rule.widthMax) break
    kept += char
  }
  return kept.trimEnd() + ellipsis
}
