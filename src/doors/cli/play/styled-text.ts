/**
 * Text for a terminal: spans with a tone, lines of spans, and the one place that prints them.
 * Knows columns and colours. Must not know runs.
 */
import { cellsOf } from '../../../core/draw/label-text.ts'

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn' | 'accent'
export type StyledSpan = { readonly text: string; readonly tone: Tone }
export type StyledLine = readonly StyledSpan[]

const codes: Readonly<Record<Tone, string>> = {
  plain: '',
  strong: '1',
  dim: '2',
  good: '32',
  bad: '31',
  warn: '33',
  accent: '36',
}

/** A piece of text in one tone. */
export function styledSpan(text: string, tone: Tone = 'plain'): StyledSpan {
  return { text, tone }
}

/** A line that is one piece of text. */
export function styledLine(text: string, tone: Tone = 'plain'): StyledLine {
  return [styledSpan(text, tone)]
}

/** Lines as text to print, each with its end. */
export function printLines(
  lines: readonly StyledLine[],
  look: { readonly hasColour: boolean },
): string {
  return lines.map((one) => `${one.map((part) => printSpan(part, look)).join('')}\n`).join('')
}

/** One span as text to print. */
export function printSpan(
  { text, tone }: StyledSpan,
  look: { readonly hasColour: boolean },
): string {
  const clean = printable(text)
  const code = codes[tone]
  return !look.hasColour || code === '' || clean === '' ? clean : `\u001b[${code}m${clean}\u001b[0m`
}

/** WHY: words of a definition or of an agent must not steer the terminal they are shown in. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (char) => (char === '\t' ? ' ' : '\uFFFD'))
}

/** Words put into lines of at most `width` columns; line ends of the author are kept. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split(/\r\n|\r|\n/)) {
    // WHY: lists and code in instructions are indented on purpose.
    const indent = /^\s*/.exec(paragraph)?.[0].slice(0, width >> 1) ?? ''
    let current = indent
    let isEmpty = true
    for (const word of paragraph
      .trim()
      .split(/\s+/)
      .flatMap((one) => pieces(one, width))) {
      const longer = isEmpty ? current + word : `${current} ${word}`
      if (!isEmpty && cellsOf(longer) > width) {
        lines.push(current)
        current = indent + word
      } else current = longer
      isEmpty = false
    }
    lines.push(current.trimEnd())
  }
  return lines
}

/** A word wider than a line, in pieces that are not. */
function pieces(word: string, width: number): string[] {
  if (cellsOf(word) <= width) return [word]
  const found: string[] = []
  let piece = ''
  for (const char of word) {
    if (cellsOf(piece + char) > width) {
      found.push(piece)
      piece = ''
    }
    piece += char
  }
  return [...found, piece]
}

type Head = {
  readonly head: StyledLine
  readonly width: number
  readonly tone?: Tone
  /** Columns in front of the lines after the first; else as wide as the head. */
  readonly indent?: number
}

/** A text behind a head; the lines after the first are indented. */
export function hang(text: string, { head, width, tone = 'plain', indent }: Head): StyledLine[] {
  const headCells = head.reduce((cells, part) => cells + cellsOf(part.text), 0)
  const indentCells = indent ?? headCells
  // WHY: a word as wide as the head beyond the indent makes the first line as much shorter.
  const filler = headCells > indentCells + 1 ? `${'x'.repeat(headCells - indentCells - 1)} ` : ''
  const parts = wrap(filler + text, Math.max(16, width - indentCells))
  return parts.map((part, index) =>
    index === 0
      ? [...head, styledSpan(part.slice(filler.length), tone)]
      : [styledSpan(' '.repeat(indentCells)), styledSpan(part, tone)],
  )
}
