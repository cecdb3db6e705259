/**
 * Writes the triggers of a stage as events: the forms of a transition, its guards and its gate.
 */
import { assertNever } from '../../assert.ts'
import { printEvidence } from '../../evidence/schema.ts'
import type { Json, JsonObject } from '../../json.ts'
import { canonicalJson, emptyRecord, own } from '../../json.ts'
import type { Gate, Guard, Move, Route, Stage, Trigger } from '../../machine/machine.ts'
import { listedText } from '../presentation.ts'
import {
  compact,
  distinctWays,
  freeName,
  printApprovals,
  type RouteWay,
  routeWaysOf,
  wayName,
} from '../printer-output.ts'
import { reservedEvents } from './compile.ts'
import type { WorkflowPrintContext } from './print-context.ts'

type NamedGuard = Exclude<Guard, { kind: 'expr' }>

/** The events of a state by name. */
export function printEvents(book: WorkflowPrintContext, stage: Stage): JsonObject {
  const events = emptyRecord<Json>()
  for (const trigger of Object.values(stage.signals)) {
    const name = eventName(book, stage, trigger)
    const ways = routeWaysOf(trigger)
    if (!needsSplit(ways)) {
      const written = writtenWays(trigger, ways).map((way) => printWay(book, trigger, way))
      events[name] = written.length === 1 ? (written[0] as Json) : written.map(asTarget)
      continue
    }
    const names: string[] = []
    for (const way of distinctWays(ways)) {
      const wish = wayName(name, targetName(book, way))
      const own = freeName(wish, (one) => events[one] !== undefined)
      names.push(own)
      events[own] = printWay(book, trigger, withoutExpressions(way))
    }
    const effect = `the agent in \`${stage.name}\` chooses freely between ${listedText(names)}`
    const what = 'a workflow has no way to choose by expressions, so each route becomes an event'
    book.losses.push({ pointer: trigger.origin, what, effect })
  }
  return events
}

/** Ways that nobody can reach are kept where they are written as they were. */
function writtenWays(trigger: Trigger, ways: readonly RouteWay[]): readonly RouteWay[] {
  const isPlain = trigger.routes.every((route) => route.guards.every(hasName))
  const rest = trigger.routes.slice(ways.filter((way) => way.route !== null).length)
  return isPlain ? [...ways, ...rest.map((route) => ({ route }))] : ways
}

function hasName(guard: Guard): guard is NamedGuard {
  return guard.kind !== 'expr'
}

function needsSplit(ways: readonly RouteWay[]): boolean {
  return ways.length > 1 && ways.some((way) => way.route?.guards.some((one) => !hasName(one)))
}

/** Their loss is told once, for all ways of the signal together. */
function withoutExpressions(way: RouteWay): RouteWay {
  const { route } = way
  return route === null ? way : { route: { ...route, guards: route.guards.filter(hasName) } }
}

function targetName(book: WorkflowPrintContext, { route }: RouteWay): string {
  if (route === null) return 'complete'
  const { move } = route
  switch (move.kind) {
    case 'goto':
      return book.nameOf(move.stage)
    case 'invoke':
      return move.machine
    case 'return':
    case 'end':
    case 'fork':
      return move.kind
    default:
      return assertNever(move)
  }
}

function eventName(book: WorkflowPrintContext, stage: Stage, trigger: Trigger): string {
  const { name, origin } = trigger
  const prefix = reservedEvents.find((one) => name.startsWith(one))
  if (prefix === undefined) return name
  const wish = name.replaceAll(':', '_')
  const other = freeName(wish, (one) => stage.signals[one] !== undefined)
  const effect = `the agent has to send \`${other}\` instead`
  book.losses.push({
    pointer: origin,
    what: `a workflow has no event names like \`${name}\``,
    effect,
  })
  return other
}

/** In a list every entry is an object. */
function asTarget(transition: Json): Json {
  return typeof transition === 'string' ? { target: transition } : transition
}

function printWay(book: WorkflowPrintContext, trigger: Trigger, way: RouteWay): Json {
  const { route } = way
  const ending = { guards: route === null ? way.evidence : [], requires: [], gate: null }
  const conditions = printConditions(book, trigger, route ?? ending)
  const move = route === null ? { target: book.endState('completed') } : printMove(book, route.move)
  const isPlain = Object.keys(conditions).length === 0 && Object.keys(move).length === 1
  return isPlain && move.target !== undefined ? move.target : { ...move, ...conditions }
}

function printConditions(
  book: WorkflowPrintContext,
  trigger: Trigger,
  route: Pick<Route, 'guards' | 'requires' | 'gate'>,
): JsonObject {
  const names: string[] = []
  for (const guard of route.guards) {
    if (hasName(guard)) {
      const name = guardName(book, guard)
      names.push(name)
      book.guards[name] = printGuard(guard)
    } else {
      book.losses.push({
        pointer: guard.origin,
        what: 'a workflow has no conditions written as expressions',
        effect: `\`${trigger.name}\` takes this transition whether or not the condition holds`,
      })
    }
  }
  const isFree = trigger.fields === null
  return compact({
    guard: names.length === 1 ? names[0] : undefined,
    guards: names.length > 1 ? names : undefined,
    requires: isFree && route.requires.length > 0 ? [...route.requires] : undefined,
    ...printGate(book, trigger, route.gate),
  })
}

function printGate(
  book: WorkflowPrintContext,
  trigger: Trigger,
  gate: Gate | null,
): { readonly [key: string]: Json | undefined } {
  if (gate === null) return {}
  if (gate.refusal === 'block') {
    book.losses.push({
      pointer: gate.origin,
      what: 'a workflow has no refusals that end the run',
      effect: `when a person refuses \`${trigger.name}\`, the agent continues in the same state`,
    })
  }
  return {
    requires_approval: true,
    approval_message: gate.message === '' ? undefined : gate.message,
    approvals: printApprovals(gate),
    approval_editable: gate.editable === undefined ? undefined : [...gate.editable],
  }
}

function printMove(book: WorkflowPrintContext, move: Move): JsonObject {
  switch (move.kind) {
    case 'goto':
      return { target: book.nameOf(move.stage) }
    case 'return':
      return { target: '$return' }
    case 'end':
      return { target: printEnd(book, move) }
    case 'invoke':
      return compact({
        invoke: move.machine,
        input: Object.keys(move.input).length === 0 ? undefined : move.input,
        on_complete: book.nameOf(move.onComplete),
        on_fail: move.onFail === null ? undefined : book.nameOf(move.onFail),
      })
    case 'fork':
      return { fork: printFork(book, move) }
    default:
      return assertNever(move)
  }
}

function printEnd(book: WorkflowPrintContext, move: Extract<Move, { kind: 'end' }>): string {
  if (move.outcome === 'blocked') {
    book.losses.push({
      pointer: move.origin,
      what: 'a workflow has no blocked outcome',
      effect: 'the run fails instead, and the agent can use its tools',
    })
  }
  return book.endState(move.outcome)
}

function printFork(book: WorkflowPrintContext, move: Extract<Move, { kind: 'fork' }>): JsonObject {
  const branches = move.branches.map(({ name, initial, terminal }): [string, JsonObject] => [
    name,
    { initial: book.nameOf(initial), terminal: book.nameOf(terminal) },
  ])
  return compact({
    branches: Object.fromEntries(branches),
    join: move.join,
    on_complete: book.nameOf(move.onComplete),
    on_fail: move.onFail === null ? undefined : book.nameOf(move.onFail),
  })
}

/** The name of a guard; another one where the same name means something else already. */
function guardName({ guards }: WorkflowPrintContext, guard: NamedGuard): string {
  const written = canonicalJson(printGuard(guard))
  const isOther = (name: string): boolean => {
    const known = own(guards, name)
    return known !== undefined && canonicalJson(known) !== written
  }
  return guard.kind === 'compare' ? guard.name : freeName(guard.name, isOther)
}

/** A guard as it is written under its name. */
function printGuard(guard: NamedGuard): JsonObject {
  if (guard.kind === 'evidence') return compact(printEvidence(guard.requirement))
  const needsValue = guard.value !== null || !/exists$/.test(guard.op)
  return compact({
    field: guard.field,
    op: guard.op,
    value: needsValue ? guard.value : undefined,
    source: guard.source ?? undefined,
  })
}
