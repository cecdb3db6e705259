/**
 * Chooses the route a signal takes out of a stage.
 * Knows machines and scopes. Must not know dialects, storage or time.
 */
import { compare } from '../expr/compare-values.ts'
import { evaluate, isTruthy } from '../expr/evaluate.ts'
import { type Json, own } from '../json.ts'
import type { Guard, Route, Trigger } from '../machine/machine.ts'
import type { RunState } from './types.ts'

export type Choice =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'none'; readonly failed: readonly FailedGuard[] }
  | { readonly kind: 'fault'; readonly reason: string }

export type FailedGuard = {
  readonly name: string
  /** The value that only Pawl can set, and what Pawl saw; undefined: nothing yet. */
  readonly observed: { readonly field: string; readonly value: Json | undefined } | null
}

type Judged = 'holds' | 'fails' | { readonly fault: string }

/**
 * The first route whose every guard holds. Order is the author's; it is never sorted.
 * WHY: guards read the state as it is when this is called. Whether the signal's own data is
 *      already in it is decided by the pipeline, so this stays the same for every dialect.
 */
export function chooseRoute(trigger: Trigger, state: RunState): Choice {
  for (const route of trigger.routes) {
    const judged = judgeRoute(route, state)
    if (judged === 'holds') return { kind: 'route', route }
    if (judged !== 'fails') return { kind: 'fault', reason: judged.fault }
  }
  return { kind: 'none', failed: failedGuards(trigger, state) }
}

function judgeRoute(route: Route, state: RunState): Judged {
  for (const guard of route.guards) {
    const judged = judgeGuard(guard, state)
    if (judged !== 'holds') return judged
  }
  return 'holds'
}

/** Every guard that stands in the way, not only the first of each route. */
function failedGuards(trigger: Trigger, state: RunState): readonly FailedGuard[] {
  const guards = trigger.routes.flatMap((route) => route.guards)
  const failed = guards.filter((guard) => judgeGuard(guard, state) === 'fails')
  const byName = new Map(failed.map((guard) => [nameOf(guard), observedBy(guard, state)]))
  return [...byName].map(([name, observed]) => ({ name, observed }))
}

function judgeGuard(guard: Guard, state: RunState): Judged {
  if (guard.kind === 'compare') {
    if (guard.source !== null && (own(state.sources, guard.field) ?? 'given') !== guard.source) {
      return 'fails'
    }
    return compare(guard.op, own(state.vars, guard.field), guard.value) ? 'holds' : 'fails'
  }
  const evaluated = evaluate(guard.expr, state)
  if (!evaluated.ok) return { fault: evaluated.reason }
  return isTruthy(evaluated.value) ? 'holds' : 'fails'
}

function observedBy(guard: Guard, { sources, vars }: RunState): FailedGuard['observed'] {
  if (guard.kind !== 'compare' || guard.source !== 'observed') return null
  const { field } = guard
  const isSeen = own(sources, field) === 'observed'
  return { field, value: isSeen ? own(vars, field) : undefined }
}

function nameOf(guard: Guard): string {
  if (guard.kind === 'compare') return guard.name
  return guard.expr.language === 'case' ? 'case' : guard.expr.text
}
