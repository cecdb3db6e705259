/**
 * Which stages and routes of a definition its cases have walked.
 */
import type { Recorded } from '../core/engine/family.ts'
import type { Machine } from '../core/machine/machine.ts'

export type Coverage = {
  readonly name: string
  readonly stages: { readonly all: readonly string[]; readonly seen: readonly string[] }
  /** Origins of routes. */
  readonly routes: { readonly all: readonly string[]; readonly seen: readonly string[] }
}

/** Nothing walked yet. */
export function emptyCoverage(machine: Machine): Coverage {
  const stages = Object.values(machine.stages)
  const routes = stages.flatMap((stage) => [
    ...Object.values(stage.signals).flatMap((trigger) =>
      trigger.routes.map((route) => route.origin),
    ),
    ...(stage.fallback === null ? [] : [stage.fallback.origin]),
  ])
  return {
    name: machine.name,
    stages: { all: stages.map((stage) => stage.name), seen: [] },
    routes: { all: routes, seen: [] },
  }
}

/** With what a step recorded; children of another definition walk their own. */
export function noteCoverage(coverage: Coverage, recorded: readonly Recorded[]): Coverage {
  const stages = new Set(coverage.stages.seen)
  const routes = new Set(coverage.routes.seen)
  for (const { event } of recorded) {
    if (event.type === 'stage.entered' && coverage.stages.all.includes(event.stage))
      stages.add(event.stage)
    if (
      event.type === 'signal.taken' &&
      event.route !== null &&
      coverage.routes.all.includes(event.route)
    ) {
      routes.add(event.route)
    }
  }
  return {
    ...coverage,
    stages: { ...coverage.stages, seen: [...stages] },
    routes: { ...coverage.routes, seen: [...routes] },
  }
}

/** Two walks of one definition as one. */
export function mergeCoverage(left: Coverage, right: Coverage): Coverage {
  const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
  return {
    ...left,
    stages: { ...left.stages, seen: union(left.stages.seen, right.stages.seen) },
    routes: { ...left.routes, seen: union(left.routes.seen, right.routes.seen) },
  }
}
