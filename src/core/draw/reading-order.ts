/**
 * The order in which a reader should meet the nodes of a picture, from the start downwards.
 * Knows pictures. Must not know any output format.
 */
import type { Picture, PictureEdge, PictureNode } from './picture-types.ts'

/** Work first, along the ways that lead on; then what was left; ends last, good ones first. */
export function readingOrder(picture: Picture): PictureNode[] {
  const byId = new Map(picture.nodes.map((node) => [node.id, node]))
  const outs = groupBy(picture.edges, (edge) => edge.from)
  const ins = groupBy(picture.edges, (edge) => edge.to)
  const placed = new Set<string>()
  const working = picture.nodes.filter((node) => !isEnd(node))
  const roots = [
    ...working.filter((node) => node.isInitial),
    ...working.filter((node) => node.kind === 'detour'),
    ...working,
  ]
  for (const root of roots) {
    const stack = [root.id]
    while (stack.length > 0) {
      const id = stack.pop() ?? ''
      const node = byId.get(id)
      if (!node || placed.has(id) || isEnd(node)) continue
      // WHY: a join is read after its last branch, not in the middle of the first.
      const isWaiting = node.kind === 'join' && node !== root
      if (isWaiting && (ins.get(id) ?? []).some((edge) => !placed.has(edge.from))) continue
      placed.add(id)
      const next = (outs.get(id) ?? []).toSorted((a, b) => Number(a.isBad) - Number(b.isBad))
      stack.push(...next.map((edge) => edge.to).toReversed())
    }
  }
  const ends = picture.nodes.filter(isEnd).toSorted((a, b) => rank(a) - rank(b))
  return [...[...placed].flatMap((id) => byId.get(id) ?? []), ...ends]
}

function isEnd(node: PictureNode): boolean {
  return node.kind === 'final' || node.kind === 'end' || node.kind === 'return'
}

function rank(node: PictureNode): number {
  return ['completed', 'blocked', 'failed'].indexOf(node.outcome ?? 'completed')
}

/** Edges under the key they share, in their own order. */
export function groupBy(
  edges: readonly PictureEdge[],
  keyOf: (edge: PictureEdge) => string,
): Map<string, PictureEdge[]> {
  const groups = new Map<string, PictureEdge[]>()
  for (const edge of edges) {
    const group = groups.get(keyOf(edge))
    if (group) group.push(edge)
    else groups.set(keyOf(edge), [edge])
  }
  return groups
}
