/**
 * Lists in columns. Knows texts and their width only.
 */
import { cellsOf } from '../../../core/draw/label-text.ts'
import type { Io } from '../io.ts'
import {
  printable,
  printLines,
  type StyledLine,
  type StyledSpan,
  styledSpan,
} from '../play/styled-text.ts'

/** Cells of one column; longer texts are cut, except in the last one. */
const cellsMax = 40

/** Rows under their heads; every column as wide as it has to be. */
export function tableText(heads: readonly string[], rows: readonly StyledLine[], io: Io): string {
  const head: StyledLine = heads.map((text) => styledSpan(text, 'dim'))
  const lines = [head, ...rows].map((row) => row.map(cutSpan(row.length - 1)))
  const widths = heads.map((_, index) =>
    Math.max(...lines.map((row) => cellsOf(row[index]?.text ?? ''))),
  )
  return printLines(
    lines.map((row) => row.map((part, index) => padded(part, index, { row, widths }))),
    io,
  )
}

function cutSpan(last: number): (part: StyledSpan, index: number) => StyledSpan {
  return (part, index) => {
    const text = printable(part.text)
    if (index === last || cellsOf(text) <= cellsMax) return { ...part, text }
    return { ...part, text: `${[...text].slice(0, cellsMax - 1).join('')}…` }
  }
}

type TableRow = { readonly row: StyledLine; readonly widths: readonly number[] }

function padded(part: StyledSpan, index: number, { row, widths }: TableRow): StyledSpan {
  if (index === row.length - 1) return part
  const gap = (widths[index] ?? 0) - cellsOf(part.text) + 2
  return { ...part, text: part.text + ' '.repeat(Math.max(1, gap)) }
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A span of time in its largest unit: `12s`, `3m`, `5h`, `2d`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms)
  if (size < minuteMs) return `${Math.floor(size / secondMs)}s`
  if (size < hourMs) return `${Math.floor(size / minuteMs)}m`
  return size < dayMs ? `${Math.floor(size / hourMs)}h` : `${Math.floor(size / dayMs)}d`
}

/** How long something took: `340ms`, `1.2s`, `2m 5s`, `3h 10m`. */
export function durationOf(ms: number): string {
  if (ms < secondMs) return `${Math.max(0, Math.round(ms))}ms`
  if (ms < minuteMs) return `${Math.floor(ms / 100) / 10}s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)}m ${Math.floor((ms % minuteMs) / secondMs)}s`
  return `${Math.floor(ms / hourMs)}h ${Math.floor((ms % hourMs) / minuteMs)}m`
}

/** A moment of today as `12:03:11`, of another day with its date. */
export function momentText(at: number, now: number): string {
  const [day, time] = localParts(at)
  return day === localParts(now)[0] ? time : `${day} ${time}`
}

function localParts(at: number): [day: string, time: string] {
  const moment = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-')
  return [day, [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')]
}
