/**
 * Draws the branches of a fork as one node until they are opened, so that a large graph stays
 * readable. Knows pictures. Must not know a layout.
 */
import type { Picture, PictureEdge, PictureNode } from '../../src/core/draw/picture.ts'

export type ForkBranches = {
  readonly forkId: string
  readonly joinId: string
  /** The names of the branches. */
  readonly branches: readonly string[]
  /** Ids of the nodes that can be reached through this fork only, up to its join. */
  readonly inner: ReadonlySet<string>
}

/** The forks of a picture, in its order; an outer one contains the nodes of its inner ones. */
export function forksInPicture({ nodes, edges }: Picture): readonly ForkBranches[] {
  // INVARIANT: a picture has one join for each fork, in the same order.
  const joins = nodes.filter(({ kind }) => kind === 'join')
  const roots = nodes.filter(({ isInitial, kind }) => isInitial || kind === 'detour')
  const rootIds = roots.map(({ id }) => id)
  return nodes
    .filter(({ kind }) => kind === 'fork')
    .flatMap(({ id: forkId }, index) => {
      const joinId = joins[index]?.id
      if (joinId === undefined) return []
      const outer = reachable(rootIds, edges, forkId)
      const found = reachable([forkId], edges, joinId)
      const inner = new Set([...found].filter((id) => id !== forkId && !outer.has(id)))
      const branches = edges
        .filter(({ kind, from }) => kind === 'fork' && from === forkId)
        .flatMap(({ lines }) => lines.map(({ signals }) => signals))
      return [{ forkId, joinId, branches, inner }]
    })
}

/** All that edges lead to from there on, without what is behind one node. */
function reachable(
  from: readonly string[],
  edges: readonly PictureEdge[],
  stop: string,
): ReadonlySet<string> {
  const targets = new Map<string, string[]>()
  for (const edge of edges) targets.set(edge.from, [...(targets.get(edge.from) ?? []), edge.to])
  const found = new Set(from)
  for (const id of found) {
    for (const next of targets.get(id) ?? []) if (next !== stop) found.add(next)
  }
  return found
}

/** The picture with each of these forks as one node, which leads to what its join leads to. */
export function collapseForks(picture: Picture, forks: readonly ForkBranches[]): Picture {
  const into = new Map<string, string>()
  // WHY the outer ones last: what is in both is drawn as the outer one.
  for (const { forkId, joinId, inner } of forks.toSorted((a, b) => a.inner.size - b.inner.size)) {
    for (const id of [...inner, joinId]) into.set(id, forkId)
  }
  if (into.size === 0) return picture
  const nodes = picture.nodes
    .filter(({ id }) => !into.has(id))
    .map((node) => {
      const fork = forks.find(({ forkId }) => forkId === node.id)
      return fork === undefined ? node : collapsedNode(node, fork)
    })
  return { ...picture, nodes, edges: mergedEdges(picture.edges, into) }
}

const titleCharsMax = 36

function collapsedNode(node: PictureNode, { branches }: ForkBranches): PictureNode {
  const names = branches.join(' + ')
  const title = names.length > titleCharsMax ? `${branches.length} branches` : names
  return { ...node, title, name: 'fork', facts: [{ key: 'brief', text: branches.join('\n') }] }
}

/** Edges between what is left; those within a fork are gone, and equal ones are one. */
function mergedEdges(
  edges: readonly PictureEdge[],
  into: ReadonlyMap<string, string>,
): readonly PictureEdge[] {
  const merged = new Map<string, PictureEdge>()
  for (const edge of edges) {
    const from = into.get(edge.from) ?? edge.from
    const to = into.get(edge.to) ?? edge.to
    const isInside = from === to && (from !== edge.from || to !== edge.to)
    if (isInside) continue
    merged.set(JSON.stringify([from, to, edge.lines]), { ...edge, from, to })
  }
  return [...merged.values()]
}
