/**
 * A block of our lines between two marker comments in someone else's file. For files with `#`
 * comments.
 */

const end = '# <<< pawl'

export type MarkedBlock = { readonly start: number; readonly end: number; readonly text: string }

/** Our block of a name in a text, or the first one; null: there is none. */
export function blockIn(text: string, name: string | null): MarkedBlock | null {
  const named = name === null ? '.*' : `${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}: .*`
  const form = new RegExp(`^# >>> pawl ${named}\r?\n(?:.*\r?\n)*?# <<< pawl(?:\r?\n|$)`, 'm')
  const found = form.exec(text)
  if (found === null) return null
  return { start: found.index, end: found.index + found[0].length, text: found[0].trimEnd() }
}

/** The text with a block as its last lines. */
export function addBlock(text: string, name: string, lines: readonly string[]): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || /\n$/.test(text) ? '' : newline
  const begin = `# >>> pawl ${name}: written by \`pawl init\`; \`pawl uninit\` removes it`
  return `${text}${gap}${[begin, ...lines, end, ''].join(newline)}`
}

/** The text without a block. */
export function removeBlock(text: string, name: string | null): string {
  const block = blockIn(text, name)
  return block === null ? text : `${text.slice(0, block.start)}${text.slice(block.end)}`
}
