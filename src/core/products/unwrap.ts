/**
 * Finds the definitions in a file that a product has exported: alone, in a list, in the answer of
 * an API, or inside a record. The text of each is cut out with its comments.
 * Knows shapes and text. Must not know what a definition means.
 */
import type { Node, Range } from '../source/source.ts'

/** A definition in a file, and what stands around it. */
export type WrappedNode = {
  readonly node: Node
  /** Members beside the definition that are not part of it. */
  readonly beside: readonly { readonly key: string; readonly node: Node }[]
}

/** Members that hold a list of records in the answers of APIs. */
const listKeys = ['items', 'data', 'results', 'workflows', 'processes', 'tools'] as const
/** Records inside each other. */
const depthMax = 4
/** Definitions in one file. */
export const partsMax = 500

/** The definitions of a file; `isOne` says whether an object is one. */
export function unwrapDefinitions(
  root: Node,
  isOne: (node: Node) => boolean,
): readonly WrappedNode[] {
  return within({ node: root, beside: [] }, isOne, 0).slice(0, partsMax + 1)
}

function within(
  wrapped: WrappedNode,
  isOne: (node: Node) => boolean,
  depth: number,
): readonly WrappedNode[] {
  const { node, beside } = wrapped
  if (depth > depthMax) return [wrapped]
  if (node.kind === 'list') {
    return node.items.flatMap((item) => within({ node: item, beside }, isOne, depth + 1))
  }
  if (node.kind !== 'object' || isOne(node)) return [wrapped]
  const inner = node.members.find(({ key }) => key === 'definition')
  if (inner !== undefined) {
    const others = node.members.filter((one) => one !== inner)
    return within({ node: inner.node, beside: others }, isOne, depth + 1)
  }
  const list = node.members.find(
    (one) => listKeys.some((key) => key === one.key) && one.node.kind === 'list',
  )
  return list === undefined ? [wrapped] : within({ node: list.node, beside: [] }, isOne, depth + 1)
}

/** The text of a part as a file of its own: moved to the left, with the comments above it. */
export function cutOut(text: string, { start, end }: Range): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const indent = indentOf(text, lineStart, start)
  const body = text.slice(start, end).trimEnd()
  const lines = body.split('\n').map((line, index) => (index === 0 ? line : outdent(line, indent)))
  return `${[...commentsAbove(text, lineStart), ...lines].join('\n')}\n`
}

/** The column of the part's own lines: of its first line, or of the line that it ends on. */
function indentOf(text: string, lineStart: number, start: number): number {
  const before = text.slice(lineStart, start)
  // A mapping in a YAML list begins behind its dash, and its lines stand below its first key.
  if (/^[\s-]*$/.test(before)) return before.length
  return (/^\s*/.exec(before)?.[0] ?? '').length
}

function outdent(line: string, columns: number): string {
  const blanks = /^\s*/.exec(line)?.[0].length ?? 0
  return line.slice(Math.min(blanks, columns))
}

const commentLine = /^\s*(?:#|\/\/)/

/** Lines of comments directly above the line that begins at an offset. */
export function commentsAbove(text: string, lineStart: number): readonly string[] {
  const above = text.slice(0, lineStart).split('\n').slice(0, -1)
  const kept: string[] = []
  for (let i = above.length - 1; i >= 0 && commentLine.test(above[i] ?? ''); i -= 1) {
    kept.unshift((above[i] ?? '').trim())
  }
  return kept
}
