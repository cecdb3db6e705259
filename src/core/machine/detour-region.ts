/**
 * The region of a detour: the stages that a run may enter without ending it.
 * Knows stages and moves. Must not know what started the detour.
 */
import { edgesFrom, reachableFrom, reverse } from './graph.ts'
import type { Stage } from './machine.ts'

/**
 * The stages that can be reached from a detour's target, and from which a return can still be.
 *
 * WHY: a detour left by an ordinary route would stay open, suppress later ones and send a late
 *      return to a stage long left. Entering any stage outside this list ends it (hole H4).
 * A branch of a fork is a run of its own, with no detour of its parent's: it is not followed.
 */
export function detourRegionOf(stages: Readonly<Record<string, Stage>>, target: string): string[] {
  return detourRegionFinder(stages)(target)
}

/** The same for many detours of one machine, whose stages are walked once. */
export function detourRegionFinder(
  stages: Readonly<Record<string, Stage>>,
): (target: string) => string[] {
  const names = Object.keys(stages)
  const index = new Map(names.map((name, node) => [name, node]))
  // One node more than there are stages: what leads to any stage leads to it, and it to them all.
  const anyStage = names.length
  const next: number[][] = names.map(() => [])
  next.push(names.map((_, node) => node))
  const returns: number[] = []
  for (const [node, stage] of Object.values(stages).entries()) {
    if (stage.final !== null) continue
    for (const edge of edgesFrom(stage)) {
      if (edge.kind === 'return') returns.push(node)
      if (edge.kind === 'named') next[node]?.push(anyStage)
      const to = edge.kind === 'fork' || edge.to === null ? undefined : index.get(edge.to)
      if (to !== undefined) next[node]?.push(to)
    }
  }
  const canReturn = reachableFrom(reverse(next), returns)
  const found = new Map<string, string[]>()
  return (target) => {
    const start = index.get(target)
    const known = found.get(target)
    if (start === undefined || known !== undefined) return known ?? []
    const isReached = reachableFrom(next, [start])
    const handler = names.filter((_, node) => isReached[node] && canReturn[node])
    found.set(target, handler)
    return handler
  }
}
