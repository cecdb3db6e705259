/**
 * Characters that are invisible or look like a space. Bash treats them as letters, people and
 * other parsers do not, so a command with one outside quotes is not what it seems.
 */

// C0 and C1 controls without tab and line end, blanks that bash does not split at, invisible
// joiners and fillers, signs of direction, halves of a surrogate pair.
const odd = new RegExp(
  [
    '[\\0-\\x08\\x0b-\\x1f\\x7f-\\xa0\\xad]|\\u034f|\\u061c',
    '[\\u115f\\u1160\\u1680\\u17b4\\u17b5]',
    '[\\u180b-\\u180f]|[\\u2000-\\u200f]|[\\u2028-\\u202f]|[\\u205f-\\u206f]',
    '[\\u2800\\u3000\\u3164]',
    '[\\ufe00-\\ufe0f]|[\\ufeff\\uffa0]|[\\ufff0-\\uffff]|[\\u{e0000}-\\u{e0fff}]|\\p{Surrogate}',
  ].join('|'),
  'u',
)

const everyOdd = new RegExp(odd.source, 'gu')

// Neither has a place anywhere: one ends a text for C, the other is no character at all.
const broken = /[\0\p{Surrogate}]/u

/** A stretch of the text that is quoted. */
export type TextSpan = { readonly begin: number; readonly end: number }

/** Whether the text has any such character at all: mostly not, and then nobody looks further. */
export function hasOdd(text: string): boolean {
  return odd.test(text)
}

/** The first one that stands outside of the quoted spans, as people can read it; else null. */
export function findOdd(text: string, quoted: readonly TextSpan[]): string | null {
  const none = broken.exec(text)
  if (none !== null) return spell(none[0])
  const spans = quoted.toSorted((left, right) => left.begin - right.begin)
  let next = 0
  let end = 0
  for (const found of text.matchAll(everyOdd)) {
    // Spans may lie in one another: what counts is how far those reach that have begun by now.
    for (; (spans[next]?.begin ?? text.length) <= found.index; next += 1) {
      end = Math.max(end, spans[next]?.end ?? 0)
    }
    if (found.index >= end) return spell(found[0])
  }
  return null
}

function spell(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
