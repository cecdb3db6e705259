/** Lines and columns of a text, and excerpts with a mark under a position. Knows text only. */
import type { Position, Range } from './source.ts'

/** Characters of a line that an excerpt shows. */
const excerptColumnsMax = 100
/** Lines that an excerpt shows of a place that spans many. */
const excerptLinesMax = 3

/** Where each line of a text begins, for many lookups in the same text. */
export type LineIndex = { readonly text: string; readonly starts: readonly number[] }

/** Finds the beginning of every line once. */
export function lineIndex(text: string): LineIndex {
  const starts = [0]
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1)
  }
  return { text, starts }
}

/** Line and column of an offset; an offset outside the text is moved to its nearest end. */
export function positionAt(text: string | LineIndex, offset: number): Position {
  const { starts, text: whole } = typeof text === 'string' ? lineIndex(text) : text
  const at = Math.max(0, Math.min(offset, whole.length))
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= at) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: at - (starts[low] as number) + 1 }
}

/**
 * The line or lines of a place with their numbers and a mark below, ready to print:
 * ```
 *   3 |   "initail": "a"
 *     |   ^^^^^^^^^
 * ```
 */
export function excerpt(text: string | LineIndex, range: Range): string {
  const index = typeof text === 'string' ? lineIndex(text) : text
  const from = positionAt(index, range.start)
  const to = positionAt(index, Math.max(range.start, range.end - 1))
  const last = Math.min(to.line, from.line + excerptLinesMax - 1)
  const width = String(last).length
  const out: string[] = []
  for (let line = from.line; line <= last; line += 1) {
    const begin = line === from.line ? from.column : 1
    const end = line === to.line ? to.column : Number.POSITIVE_INFINITY
    out.push(...marked(lineText(index, line), { line, begin, end, width }))
  }
  if (last < to.line) out.push(`${' '.repeat(width)} | …`)
  return out.join('\n')
}

type Mark = { line: number; begin: number; end: number; width: number }

/** One line and its mark; a long line is cut so that the marked part stays in sight. */
function marked(text: string, mark: Mark): string[] {
  const half = excerptColumnsMax >> 1
  const isLong = text.length > excerptColumnsMax
  const cutFrom = isLong ? Math.min(Math.max(0, mark.begin - 1 - half), text.length - 1) : 0
  const shown = text.slice(cutFrom, cutFrom + excerptColumnsMax)
  const head = cutFrom > 0 ? '…' : ''
  const tail = cutFrom + shown.length < text.length ? '…' : ''
  const indent = text.length - text.trimStart().length
  const first = Math.max(mark.begin - 1, mark.begin === 1 ? indent : 0) - cutFrom
  const length = Math.max(1, Math.min(mark.end - cutFrom, shown.length) - first)
  // WHY: a tab stays a tab in the line of marks, so that both lines are as wide in any terminal.
  const lead = shown.slice(0, Math.max(0, first)).replace(/[^\t]/g, ' ')
  const number = String(mark.line).padStart(mark.width)
  const marks = `${' '.repeat(head.length)}${lead}${'^'.repeat(length)}`
  return [
    `${number} | ${head}${printable(shown)}${tail}`.trimEnd(),
    `${' '.repeat(mark.width)} | ${marks}`,
  ]
}

/** WHY: a control character of a hostile file must not reach a terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{C}\t]/gu, '�')
}

function lineText(index: LineIndex, line: number): string {
  const start = index.starts[line - 1] ?? 0
  const end = index.starts[line] ?? index.text.length
  // WHY: a file may be one line of megabytes; what lies far beyond the mark is not looked at.
  return index.text.slice(start, end).replace(/[\r\n]+$/, '')
}
