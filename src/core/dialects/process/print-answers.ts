/**
 * Writes the triggers of a stage as answers: where each leads, and its one action.
 */
import { assertNever } from '../../assert.ts'
import type { Json, JsonObject } from '../../json.ts'
import { emptyRecord, own } from '../../json.ts'
import type { Gate, Guard, Machine, Move, Route, Stage, Trigger } from '../../machine/machine.ts'
import { printConditionList, printEvidenceGuards } from '../evidence-conditions.ts'
import { listedText } from '../presentation.ts'
import {
  compact,
  distinctWays,
  freeName,
  type Loss,
  printApprovals,
  type RouteWay,
  routeWaysOf,
  wayName,
} from '../printer-output.ts'

type PrintState = {
  readonly machine: Machine
  readonly losses: Loss[]
  readonly reached: Set<string>
}

type Answered = { readonly stage: Stage; readonly trigger: Trigger; readonly key: string }

/** The answers of a state; what is always refused is no answer. */
export function printAnswers(book: PrintState, stage: Stage): JsonObject {
  const answers = emptyRecord<Json>()
  for (const trigger of Object.values(stage.signals)) {
    const ways = routeWaysOf(trigger).filter((way) => way.route?.move.kind !== 'return')
    if (ways.length > 1) {
      splitWays({ book, stage, answers }, trigger, ways)
      continue
    }
    for (const way of ways) {
      for (const guard of way.route?.guards ?? []) {
        if (guard.kind !== 'evidence') book.losses.push(guardLoss(trigger, guard))
      }
      answers[trigger.name] = printAnswer(book, { stage, trigger, key: trigger.name }, way)
    }
  }
  return answers
}

type Splitting = {
  readonly book: PrintState
  readonly stage: Stage
  readonly answers: Record<string, Json>
}

function splitWays(where: Splitting, trigger: Trigger, ways: readonly RouteWay[]): void {
  const { book, stage, answers } = where
  const isTaken = (name: string): boolean =>
    answers[name] !== undefined || stage.signals[name] !== undefined
  const names: string[] = []
  for (const way of distinctWays(ways)) {
    const key = freeName(wayName(trigger.name, targetName(way)), isTaken)
    names.push(key)
    answers[key] = printAnswer(book, { stage, trigger, key }, way)
  }
  const effect = `the agent in \`${stage.name}\` chooses freely between ${listedText(names)}`
  const what = 'a process has no way to choose by conditions, so each route becomes an answer'
  book.losses.push({ pointer: trigger.origin, what, effect })
}

function targetName({ route }: RouteWay): string {
  if (route === null) return 'complete'
  const { move } = route
  if (move.kind === 'goto') return move.stage
  return move.kind === 'invoke' ? move.machine : move.kind
}

function guardLoss(trigger: Trigger, guard: Guard): Loss {
  const name = guard.kind === 'compare' ? `\`${guard.name}\`` : 'its condition'
  return {
    pointer: guard.origin,
    what: 'a process has no conditions on values',
    effect: `the agent can answer \`${trigger.name}\` whether or not ${name} holds`,
  }
}

function printAnswer(book: PrintState, answered: Answered, way: RouteWay): JsonObject {
  const { route } = way
  const evidence = printEvidenceGuards(route === null ? way.evidence : route.guards)
  const lead =
    route === null ? { next: null, action: 'complete' } : printLead(book, answered, route)
  return compact({ ...lead, if: printConditionList(evidence) })
}

function printLead(book: PrintState, answered: Answered, route: Route): JsonObject {
  const { trigger } = answered
  const next = nextOf(route.move)
  const isFailure = endsBadly(book, route.move)
  if (route.gate !== null || trigger.warning !== null) {
    if (route.gate !== null) noteGate(book, answered, route.gate)
    if (isFailure) book.losses.push(secondAction(route.origin))
    const answer = leadTo(book, next, route.gate === null ? 'warn' : 'notify_human')
    return compact({ ...answer, approvals: printApprovals(route.gate ?? {}) })
  }
  if (route.move.kind === 'end') return { next: null, action: endAction(book, route.move) }
  return isFailure ? { next: null, action: 'block' } : leadTo(book, next, null)
}

function endsBadly({ machine }: PrintState, move: Move): boolean {
  const next = nextOf(move)
  const stage = next === null ? undefined : own(machine.stages, next)
  const outcome = move.kind === 'end' ? move.outcome : (stage?.final ?? null)
  return outcome === 'failed' || outcome === 'blocked'
}

function secondAction(pointer: string): Loss {
  const what = 'a process has no answers with two actions'
  return { pointer, what, effect: 'the run completes here instead of failing or being blocked' }
}

function leadTo(book: PrintState, next: string | null, action: string | null): JsonObject {
  if (next !== null) book.reached.add(next)
  return action === null ? { next } : { next, action }
}

/** The stage that follows; what a child would have done is told as a loss already. */
function nextOf(move: Move): string | null {
  switch (move.kind) {
    case 'goto':
      return move.stage
    case 'invoke':
    case 'fork':
      return move.onComplete
    case 'return':
    case 'end':
      return null
    default:
      return assertNever(move)
  }
}

function endAction(book: PrintState, move: Extract<Move, { kind: 'end' }>): 'block' | 'complete' {
  if (move.outcome === 'completed') return 'complete'
  if (move.outcome === 'failed') {
    const what = 'a process has no failed outcome'
    const effect = 'the run is blocked instead, which denies every tool'
    book.losses.push({ pointer: move.origin, what, effect })
  }
  return 'block'
}

function noteGate(book: PrintState, { stage, trigger, key }: Answered, gate: Gate): void {
  if (gate.refusal === 'stay') {
    book.losses.push({
      pointer: gate.origin,
      what: 'a process has no way to continue after a refusal',
      effect: `when a person refuses \`${trigger.name}\`, the run is blocked`,
    })
  }
  const message = `\`${key}\` was answered in \`${stage.name}\`: may the run continue?`
  if (gate.message === '' || gate.message === message) return
  book.losses.push({
    pointer: gate.origin,
    what: 'a process has no message of its own for the approver',
    effect: `the approver sees: ${message}`,
  })
}
