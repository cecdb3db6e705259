/**
 * Any text in a column of PostgreSQL, which refuses some that JavaScript allows.
 * Knows the literals of the wire. Must not know what a text says.
 */

// A code point that Unicode keeps free for such uses; a text that has it is escaped as well.
const mark = '\ufdd0'
const refused = /[\0\ufdd0]|\p{Surrogate}/u
const everyRefused = /[\0\ufdd0]|\p{Surrogate}/gu
const everyEscape = /\ufdd0([0-9a-f]{4})/g

/** The text without NUL and lone surrogates; nearly always the text itself. */
export function escapeText(text: string): string {
  if (!refused.test(text)) return text
  return text.replace(everyRefused, (unit) => mark + hexOf(unit))
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}

/** What `escapeText` was given. */
export function restoreText(text: string): string {
  if (!text.includes(mark)) return text
  return text.replace(everyEscape, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** An array as PostgreSQL reads it. */
export function printArray(items: readonly (string | number | null)[]): string {
  return `{${items.map(printItem).join(',')}}`
}

function printItem(item: string | number | null): string {
  if (typeof item !== 'string') return `${item}`
  return `"${escapeText(item).replace(/[\\"]/g, '\\$&')}"`
}
