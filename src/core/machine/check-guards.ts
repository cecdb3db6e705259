/**
 * Findings about guards that can never hold, and routes that are never chosen.
 * Knows guards by comparison. Must not evaluate expressions, nor guess at the agent's data.
 */
import { compare } from '../expr/compare-values.ts'
import { type Finding, finding } from '../finding.ts'
import type { Json } from '../json.ts'
import type { CheckContext } from './check-context.ts'
import { shadowedRoutes } from './choose-order.ts'
import type { Route } from './machine.ts'
import { quotedList } from './name-suggestions.ts'
import { type CompareGuard, guardUsesOf, type Writers, writersOf } from './variable-writers.ts'

/** GUARD_UNSATISFIABLE: guards that never hold, alone or together on one route. */
export function checkSatisfiable(survey: CheckContext): readonly Finding[] {
  const writers = writersOf(survey.machine)
  const found: Finding[] = []
  const isTold = new Set<string>()
  for (const { guard } of guardUsesOf(survey.machine)) {
    const why = whyNever(guard, writers)
    if (why === null || isTold.has(guard.origin)) continue
    isTold.add(guard.origin)
    const message = `guard \`${guard.name}\` can never hold: ${why.because}`
    found.push(finding('GUARD_UNSATISFIABLE', guard.origin, { message, hint: why.hint }))
  }
  for (const { stage, signal, route } of routesOf(survey)) {
    const clash = clashOn(route, writers)
    if (clash.length === 0) continue
    const names = [...new Set(clash.map((guard) => guard.name))]
    const message =
      `${quotedList(names)} can never hold at the same time, ` +
      `so \`${stage}\` never takes this route on \`${signal}\``
    const hint = 'remove one of them, or write two routes with one guard each'
    found.push(finding('GUARD_UNSATISFIABLE', route.origin, { message, hint }))
  }
  return found
}

const orderings: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte'])

type Why = { readonly because: string; readonly hint: string }

/** Why a guard alone never holds; null: it may. */
export function whyNever(guard: CompareGuard, writers: Writers): Why | null {
  if (orderings.has(guard.op) && typeof guard.value !== 'number') {
    const because = `\`${guard.op}\` compares numbers, but its value is ${kindOf(guard.value)}`
    return { because, hint: 'write the value as a number, without quotes' }
  }
  if (guard.op === 'in' && !(Array.isArray(guard.value) && guard.value.length > 0)) {
    const because = '`in` needs a list with at least one value'
    return { because, hint: 'list the values that should pass' }
  }
  const isObserved = writers.observed.has(guard.field) || writers.hasInvoked
  if (guard.source === 'observed' && !isObserved) {
    const because = `it needs \`${guard.field}\` as observed by Pawl, but nothing here observes it`
    const hint =
      'use evidence of a command, such as `{ evidence: npm test }`, or have a person approve it'
    return { because, hint }
  }
  return null
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return `the string \`${value}\``
  return typeof value === 'object' ? 'an object' : `${JSON.stringify(value)}`
}

// ── guards that contradict each other ───────────────────────────────────────

/** The guards of a route that speak of one field and exclude each other; empty: none. */
function clashOn(route: Route, writers: Writers): readonly CompareGuard[] {
  if (route.guards.length < 2) return []
  const byField = new Map<string, CompareGuard[]>()
  for (const guard of route.guards) {
    if (guard.kind !== 'compare' || whyNever(guard, writers) !== null) continue
    const guards = byField.get(guard.field)
    if (guards === undefined) byField.set(guard.field, [guard])
    else guards.push(guard)
  }
  for (const guards of byField.values()) {
    if (guards.length > 1 && !canHoldTogether(guards)) return guards
  }
  return []
}

function canHoldTogether(guards: readonly CompareGuard[]): boolean {
  const sources = new Set(guards.flatMap((guard) => guard.source ?? []))
  if (sources.size > 1) return false
  const candidates = candidatesOf(guards)
  if (candidates !== null) {
    return candidates.some((value) => guards.every((one) => compare(one.op, value, one.value)))
  }
  const has = (op: string) => guards.some((guard) => guard.op === op)
  const isOrdered = guards.some((guard) => orderings.has(guard.op))
  if (has('not_exists') && (has('exists') || has('contains') || isOrdered)) return false
  if (has('contains') && isOrdered) return false
  return hasRoom(guards)
}

/** The only values that could pass, where a guard names them; null: any value could. */
function candidatesOf(guards: readonly CompareGuard[]): readonly Json[] | null {
  const equal = guards.find((guard) => guard.op === 'eq')
  if (equal !== undefined) return [equal.value]
  const among = guards.find((guard) => guard.op === 'in')
  return among !== undefined && Array.isArray(among.value) ? (among.value as readonly Json[]) : null
}

/** Whether a number fits between all bounds. */
function hasRoom(guards: readonly CompareGuard[]): boolean {
  let low = Number.NEGATIVE_INFINITY
  let high = Number.POSITIVE_INFINITY
  for (const { op, value } of guards) {
    if (typeof value !== 'number') continue
    if (op === 'gt' || op === 'gte') low = Math.max(low, value)
    if (op === 'lt' || op === 'lte') high = Math.min(high, value)
  }
  if (low !== high) return low < high
  return guards.every(({ op, value }) => compare(op, low, value))
}

// ── routes ──────────────────────────────────────────────────────────────────

type PlacedRoute = { readonly stage: string; readonly signal: string; readonly route: Route }

function routesOf(survey: CheckContext): PlacedRoute[] {
  return Object.values(survey.machine.stages).flatMap((stage) => {
    return Object.values(stage.signals).flatMap((trigger) => {
      return trigger.routes.map((route) => ({ stage: stage.name, signal: trigger.name, route }))
    })
  })
}

/** ROUTE_SHADOWED: an earlier route always takes what this one waits for. */
export function checkShadowedRoutes(survey: CheckContext): readonly Finding[] {
  const found: Finding[] = []
  for (const stage of Object.values(survey.machine.stages)) {
    for (const trigger of Object.values(stage.signals)) {
      for (const { route, by } of shadowedRoutes(trigger.routes)) {
        const first = by.guards.length === 0 ? 'has no condition' : 'holds whenever this one does'
        const message =
          `this route out of \`${stage.name}\` on \`${trigger.name}\` is never taken: ` +
          `an earlier one ${first}`
        const hint = 'put it before the earlier one, or remove it'
        found.push(finding('ROUTE_SHADOWED', route.origin, { message, hint }))
      }
    }
  }
  return found
}
