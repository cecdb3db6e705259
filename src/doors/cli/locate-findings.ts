/**
 * Findings with their lines and columns, and how they are shown.
 * Knows texts and positions. Must not know which verb asks.
 */
import type { FindingCode } from '../../core/errors.ts'
import type { Finding } from '../../core/finding.ts'
import { excerpt, type Node, positionAt, positionOf, type Range } from '../../core/source/source.ts'
import type { SourceFile } from '../../runtime/definitions/read-definition.ts'
import { ansiFor, plain } from './ansi.ts'
import type { Io } from './io.ts'

/** A finding at its place in a file; lines and columns from 1, the end behind the last letter. */
export type LocatedFinding = {
  readonly file: string
  readonly code: FindingCode
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint: string
  readonly pointer: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  /** The lines of the file with marks below. */
  readonly excerpt: string
}

/** Findings of a file in the order of its lines; `root` when they begin at a part of it. */
export function locateFindings(
  file: SourceFile,
  findings: readonly Finding[],
  root: Node | null = file.root,
): readonly LocatedFinding[] {
  const placed = findings.map((finding) => ({ finding, range: rangeOf(root, finding) }))
  placed.sort(
    (left, right) =>
      left.range.start - right.range.start ||
      left.finding.severity.localeCompare(right.finding.severity),
  )
  return placed.map(({ finding, range }) => locatedAt(file, finding, range))
}

function rangeOf(root: Node | null, finding: Finding): Range {
  return positionOf(root, finding) ?? { start: 0, end: 1 }
}

function locatedAt(file: SourceFile, finding: Finding, range: Range): LocatedFinding {
  const begin = positionAt(file.lines, range.start)
  const end = positionAt(file.lines, range.end)
  return {
    file: file.path,
    code: finding.code,
    severity: finding.severity,
    message: finding.message,
    hint: finding.hint,
    pointer: finding.pointer,
    line: begin.line,
    column: begin.column,
    endLine: end.line,
    endColumn: end.column,
    excerpt: excerpt(file.lines, range),
  }
}

/** A finding for a person: its place and message, the lines meant, and what to do. */
export function locatedText(one: LocatedFinding, io: Io): string {
  const colour = one.severity === 'error' ? 'red' : 'yellow'
  const place = `${one.file}:${one.line}:${one.column}`
  const head = [
    ansiFor(io, 'bold', plain(place)),
    `${ansiFor(io, colour, one.severity)} ${one.code}`,
    plain(one.message).replaceAll('\n', ' '),
  ].join('  ')
  const lines = one.excerpt.split('\n').map((line) => ansiFor(io, 'dim', `    ${line}`))
  const hint = one.hint === '' ? [] : [`    → ${plain(one.hint).replaceAll('\n', ' ')}`]
  return `${[head, ...lines, ...hint].join('\n')}\n`
}
