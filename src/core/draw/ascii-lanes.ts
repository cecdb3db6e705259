/**
 * Draws lanes at the right of a text picture, from the line where a route leaves to the box it
 * leads to.
 * Knows rows of text. Must not know pictures.
 */
import { cellsOf } from './label-text.ts'

export type AsciiRow = {
  readonly text: string
  /** The box that a way leaving in this row leads to. */
  readonly leadsTo: string | null
  /** The box whose title stands in this row. */
  readonly isTitleOf: string | null
}

type Lane = { readonly rows: number[]; readonly entry: number }

const laneGap = 3
const lanesMax = 7

/** The rows with lanes beside them, or as they are when lanes would not fit or help. */
export function drawLanes(rows: readonly AsciiRow[], widthMax: number): string[] {
  const plain = rows.map((row) => row.text)
  const lanes = lanesOf(rows)
  const left = rows.reduce((most, row) => Math.max(most, cellsOf(row.text)), 0) + 2
  const isTooMany = lanes.length > lanesMax || left + lanes.length * laneGap > widthMax
  if (lanes.length === 0 || isTooMany) return plain
  // WHY: a short lane inside a long one crosses fewer lines.
  const ordered = lanes.toSorted((a, b) => spanOf(a) - spanOf(b))
  const width = left + lanes.length * laneGap
  const right = rows.map(() => Array.from({ length: width - left }, () => ' '))
  const gaps = rows.map(() => ' ')
  for (const [index, lane] of ordered.entries()) {
    drawLane({ right, gaps }, lane, index * laneGap + 1)
  }
  return plain.map((text, index) => {
    const gap = gaps[index] ?? ' '
    const cells = cellsOf(text)
    const isEntry = gap === entryMark
    const filler = isEntry ? '─' : gap
    const begin = isEntry ? entryMark : ' '
    const between = begin + filler.repeat(Math.max(0, left - cells - 1))
    return (text + between + (right[index] ?? []).join('')).trimEnd()
  })
}

const entryMark = '◀'

function lanesOf(rows: readonly AsciiRow[]): Lane[] {
  const titles = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    if (row.isTitleOf !== null) titles.set(row.isTitleOf, index)
  }
  const lanes = new Map<string, Lane>()
  for (const [index, row] of rows.entries()) {
    if (row.leadsTo === null) continue
    const entry = titles.get(row.leadsTo)
    if (entry === undefined) continue
    const lane = lanes.get(row.leadsTo)
    if (lane) lane.rows.push(index)
    else lanes.set(row.leadsTo, { rows: [index], entry })
  }
  return [...lanes.values()]
}

/** The uppermost and the lowest row of a lane; its exits are in order already. */
function endsOf(lane: Lane): { top: number; bottom: number } {
  const first = lane.rows[0] ?? lane.entry
  const last = lane.rows.at(-1) ?? lane.entry
  return { top: Math.min(first, lane.entry), bottom: Math.max(last, lane.entry) }
}

function spanOf(lane: Lane): number {
  const { top, bottom } = endsOf(lane)
  return bottom - top
}

type Canvas = { readonly right: string[][]; readonly gaps: string[] }

function drawLane(canvas: Canvas, lane: Lane, column: number): void {
  const stops = new Set([...lane.rows, lane.entry])
  const { top, bottom } = endsOf(lane)
  for (let index = top; index <= bottom; index += 1) {
    const row = canvas.right[index]
    if (!row) continue
    if (!stops.has(index)) {
      row[column] = row[column] === '─' ? '┼' : '│'
      continue
    }
    row[column] = index === top ? '╮' : index === bottom ? '╯' : '┤'
    for (let at = 0; at < column; at += 1) row[at] = row[at] === '│' ? '┼' : '─'
    canvas.gaps[index] = index === lane.entry ? entryMark : '─'
  }
}
