/**
 * Chooses the route a signal takes out of a stage.
 * Knows machines and scopes. Must not know dialects, storage or time.
 */
import { assertNever } from '../assert.ts'
import {
  type EvidenceAnswer,
  type EvidenceMoment,
  meetsRequirement,
} from '../evidence/meets-requirement.ts'
import type { RecordedEvidence } from '../evidence/recorded-evidence.ts'
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
  /** Why the evidence is not enough; absent: the guard wants none. */
  readonly evidence?: Extract<EvidenceAnswer, { met: false }>
}

/** What guards look at: the values of the run, and what was seen in any run of its family. */
export type GuardScope = {
  readonly state: RunState
  readonly evidence: readonly RecordedEvidence[]
  readonly moment: EvidenceMoment
}

type Judged = 'holds' | 'fails' | { readonly fault: string }

/**
 * The first route whose every guard holds. Order is the author's; it is never sorted.
 * WHY: guards read the state as it is when this is called. Whether the signal's own data is
 *      already in it is decided by the pipeline, so this stays the same for every dialect.
 */
export function chooseRoute(trigger: Trigger, scope: GuardScope): Choice {
  for (const route of trigger.routes) {
    const judged = judgeRoute(route, scope)
    if (judged === 'holds') return { kind: 'route', route }
    if (judged !== 'fails') return { kind: 'fault', reason: judged.fault }
  }
  return { kind: 'none', failed: failedGuards(trigger, scope) }
}

function judgeRoute(route: Route, scope: GuardScope): Judged {
  for (const guard of route.guards) {
    const judged = judgeGuard(guard, scope)
    if (judged !== 'holds') return judged
  }
  return 'holds'
}

/** Every guard that stands in the way, not only the first of each route. */
function failedGuards(trigger: Trigger, scope: GuardScope): readonly FailedGuard[] {
  const guards = trigger.routes.flatMap((route) => route.guards)
  const failed = guards.filter((guard) => judgeGuard(guard, scope) === 'fails')
  // WHY with its kind: a value may be named like a command, and must not stand in for evidence.
  const keyOf = (guard: Guard): string => `${guard.kind} ${nameOf(guard)}`
  const byName = new Map(failed.map((guard) => [keyOf(guard), failureOf(guard, scope)]))
  return [...byName.values()]
}

function judgeGuard(guard: Guard, scope: GuardScope): Judged {
  const { state } = scope
  switch (guard.kind) {
    case 'compare':
      if (guard.source !== null && (own(state.sources, guard.field) ?? 'given') !== guard.source) {
        return 'fails'
      }
      return compare(guard.op, own(state.vars, guard.field), guard.value) ? 'holds' : 'fails'
    case 'evidence':
      return answerOf(guard, scope).met ? 'holds' : 'fails'
    case 'expr': {
      const evaluated = evaluate(guard.expr, state)
      if (!evaluated.ok) return { fault: evaluated.reason }
      return isTruthy(evaluated.value) ? 'holds' : 'fails'
    }
    default:
      return assertNever(guard)
  }
}

function answerOf(
  { requirement }: Extract<Guard, { kind: 'evidence' }>,
  { evidence, moment }: GuardScope,
): EvidenceAnswer {
  return meetsRequirement(requirement, evidence, moment)
}

function failureOf(guard: Guard, scope: GuardScope): FailedGuard {
  const failed = { name: nameOf(guard), observed: observedBy(guard, scope.state) }
  const answer = guard.kind === 'evidence' ? answerOf(guard, scope) : null
  return answer === null || answer.met ? failed : { ...failed, evidence: answer }
}

function observedBy(guard: Guard, { sources, vars }: RunState): FailedGuard['observed'] {
  if (guard.kind !== 'compare' || guard.source !== 'observed') return null
  const { field } = guard
  const isSeen = own(sources, field) === 'observed'
  return { field, value: isSeen ? own(vars, field) : undefined }
}

function nameOf(guard: Guard): string {
  if (guard.kind !== 'expr') return guard.name
  return guard.expr.language === 'case' ? 'case' : guard.expr.text
}
