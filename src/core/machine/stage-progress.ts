/**
 * How far a run has come: the fewest stages from the beginning to where it is, and from there to a
 * good end. For lists that people read. Must not know runs; nothing is decided by it.
 */
import { type Edge, edgesOf } from './graph.ts'
import type { Machine } from './machine.ts'

export type StageProgress = {
  /** Stages before this one. */
  readonly passed: number
  /** Stages from here to the end, this one not counted. */
  readonly left: number
}

/** By stage; one from which no good end can be reached is not in it. */
export function stageProgress(machine: Machine): ReadonlyMap<string, StageProgress> {
  const steps = edgesOf(machine).filter(isStep)
  const ends = Object.values(machine.stages).filter((stage) => stage.final === 'completed')
  const endings = edgesOf(machine).filter(({ kind, from }) => kind === 'end' && from !== null)
  const seeds = [...ends.map((stage) => stage.name), ...endings.map(({ from }) => from ?? '')]
  const passed = distances([machine.initial], steps)
  const left = distances(
    seeds,
    steps.map(({ from, to }) => ({ from: to, to: from })),
  )
  const found = new Map<string, StageProgress>()
  for (const name of Object.keys(machine.stages)) {
    const [before, after] = [passed.get(name), left.get(name)]
    if (before !== undefined && after !== undefined)
      found.set(name, { passed: before, left: after })
  }
  return found
}

type Step = Pick<Edge, 'from' | 'to'>

/** A branch is a run of its own; the run that waits for it goes on by the join. */
function isStep({ kind, from, to }: Edge): boolean {
  return from !== null && to !== null && kind !== 'fork' && kind !== 'fail' && kind !== 'detour'
}

function distances(seeds: readonly string[], steps: readonly Step[]): Map<string, number> {
  const next = new Map<string, string[]>()
  for (const { from, to } of steps) {
    const known = next.get(from ?? '')
    if (known === undefined) next.set(from ?? '', [to ?? ''])
    else known.push(to ?? '')
  }
  const found = new Map(seeds.map((seed) => [seed, 0]))
  const queue = [...found.keys()]
  for (let at = 0; at < queue.length; at += 1) {
    const name = queue[at] ?? ''
    for (const other of next.get(name) ?? []) {
      if (found.has(other)) continue
      found.set(other, (found.get(name) ?? 0) + 1)
      queue.push(other)
    }
  }
  return found
}
