/**
 * Chooses the route a signal takes out of a stage.
 * Knows machines and scopes. Must not know dialects, storage or time.
 */
import { compare } from '../expr/compare-values.ts'
import { evaluate, isTruthy } from '../expr/evaluate.ts'
import { own } from '../json.ts'
import type { Guard, Route, Trigger } from '../machine/machine.ts'
import type { RunState } from './types.ts'

export type Choice =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'none'; readonly failed: readonly string[] }
  | { readonly kind: 'fault'; readonly reason: string }

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
function failedGuards(trigger: Trigger, state: RunState): readonly string[] {
  const guards = trigger.routes.flatMap((route) => route.guards)
  const failed = guards.filter((guard) => judgeGuard(guard, state) === 'fails')
  return [...new Set(failed.map(nameOf))]
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

function nameOf(guard: Guard): string {
  if (guard.kind === 'compare') return guard.name
  return guard.expr.language === 'case' ? 'case' : guard.expr.text
}
