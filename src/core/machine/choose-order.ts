/**
 * What follows from the order in which the routes of a signal are tried: the first whose guards
 * hold is taken, and where none is left, a form may end.
 * Knows routes and guards. Must not evaluate expressions.
 */
import { compare } from '../expr/compare-values.ts'
import { canonicalJson, type Json } from '../json.ts'
import type { Guard, Route, Trigger } from './machine.ts'
import type { CompareGuard } from './variable-writers.ts'

// INVARIANT: shadows between guarded routes are looked for in pairs, so that there is a maximum.
const comparedRoutesMax = 60

type Shadow = { readonly route: Route; readonly by: Route }

/** The routes that are never taken, each with an earlier one that holds whenever it does. */
export function shadowedRoutes(routes: readonly Route[]): readonly Shadow[] {
  if (routes.length < 2) return []
  const shadows: Shadow[] = []
  const open: Conditions[] = []
  let always: Route | undefined
  for (const route of routes) {
    const own = conditionsOf(route)
    const by = always ?? open.find((one) => holdsWith(one, own))?.route
    if (by !== undefined) shadows.push({ route, by })
    else if (route.guards.length === 0) always = route
    else if (open.length < comparedRoutesMax) open.push(own)
  }
  return shadows
}

type Conditions = {
  readonly route: Route
  readonly texts: ReadonlySet<string>
  readonly compares: readonly CompareGuard[]
}

function conditionsOf(route: Route): Conditions {
  const compares = route.guards.filter((guard) => guard.kind === 'compare')
  return { route, texts: new Set(route.guards.map(conditionOf)), compares }
}

/** Whether every guard of the first holds where all of the second do. */
function holdsWith({ route }: Conditions, second: Conditions): boolean {
  return route.guards.every((guard) => {
    if (second.texts.has(conditionOf(guard))) return true
    return guard.kind === 'compare' && second.compares.some((one) => implies(one, guard))
  })
}

/** Whether the second holds for every value for which the first does. */
function implies(first: CompareGuard, second: CompareGuard): boolean {
  if (first.field !== second.field) return false
  if (second.source !== null && second.source !== first.source) return false
  const holds = (value: Json): boolean => compare(second.op, value, second.value)
  if (first.op === 'eq') return holds(first.value)
  if (first.op === 'in') return Array.isArray(first.value) && first.value.every(holds)
  if (second.op === 'exists') return ['gt', 'gte', 'lt', 'lte', 'contains'].includes(first.op)
  const isUp = first.op === 'gt' || first.op === 'gte'
  const isDown = first.op === 'lt' || first.op === 'lte'
  if (typeof first.value !== 'number' || typeof second.value !== 'number') return false
  const [one, other] = isUp ? [first.value, second.value] : [second.value, first.value]
  if (isUp ? second.op !== 'gt' && second.op !== 'gte' : !isDown) return false
  if (isDown && second.op !== 'lt' && second.op !== 'lte') return false
  // At the bound itself, the first must be as strict.
  return one > other || (one === other && (first.op === second.op || second.op.endsWith('e')))
}

/**
 * The guards that hold where a signal ends the run because no route is left; null: it never does.
 * WHY evidence: what was not seen completes nothing, so a form ends only if all of it was seen, and
 * then a route that wants nothing else is taken.
 */
export function guardsOfEnd({ otherwise, routes }: Trigger): readonly Guard[] | null {
  if (otherwise !== 'complete') return null
  const isEvidence = ({ kind }: Guard): boolean => kind === 'evidence'
  if (routes.some(({ guards }) => guards.every(isEvidence))) return null
  return routes.flatMap(({ guards }) => guards.filter(isEvidence))
}

/** The same condition has the same text, whatever its name and place. */
function conditionOf(guard: Guard): string {
  if (guard.kind === 'expr') {
    const { expr } = guard
    // A `case` is compared by its place only: telling two of them apart is not worth the walk.
    return expr.language === 'case' ? `case ${expr.origin}` : `${expr.language} ${expr.text}`
  }
  if (guard.kind === 'evidence') return canonicalJson(['evidence', guard.requirement])
  const { field, op, value, source } = guard
  return canonicalJson([field, op, value, source])
}
