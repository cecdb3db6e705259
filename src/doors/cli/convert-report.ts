/** Losses of a conversion with their lines and columns, and how they are shown. */
import type { Loss } from '../../core/dialects/convert.ts'
import { type Node, nodeAt, positionAt } from '../../core/source/source.ts'
import type { SourceFile } from '../../runtime/definitions/read-definition.ts'
import { ansiFor, plain } from './ansi.ts'
import type { Io } from './io.ts'

/** A loss at its place in the file; lines and columns count from 1. */
export type LocatedLoss = Loss & {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The losses in the order of the file's lines. */
export function locateLosses(file: SourceFile, losses: readonly Loss[]): readonly LocatedLoss[] {
  const placed = losses.map((loss) => ({ loss, start: startOf(file.root, loss.pointer) }))
  placed.sort((left, right) => left.start - right.start)
  return placed.map(({ loss, start }) => {
    const { line, column } = positionAt(file.lines, start)
    return { file: file.path, line, column, ...loss }
  })
}

/** Where the element begins, or the nearest one around it that the author wrote. */
function startOf(root: Node | null, pointer: string): number {
  if (root === null) return 0
  let path = pointer
  let node = nodeAt(root, path)
  while (node === null && path !== '') {
    path = path.slice(0, path.lastIndexOf('/'))
    node = nodeAt(root, path)
  }
  return Math.max(0, node?.start ?? 0)
}

/** A loss for a person: its place, what cannot be said, and what that means. */
export function lossText(loss: LocatedLoss, io: Io): string {
  const place = ansiFor(io, 'bold', plain(`${loss.file}:${loss.line}:${loss.column}`))
  const what = `${ansiFor(io, 'yellow', 'loss')}  ${oneLine(loss.what)}`
  return `${place}  ${what}\n    → ${oneLine(loss.effect)}\n`
}

function oneLine(text: string): string {
  return plain(text).replaceAll('\n', ' ')
}
