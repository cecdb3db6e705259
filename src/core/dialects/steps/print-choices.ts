/**
 * Writes a stage with several signals as a step: the signal becomes an input with a list of
 * values, and each way on becomes a route with a condition on it.
 */
import { assertNever } from '../../assert.ts'
import type { Json, JsonObject } from '../../json.ts'
import { own } from '../../json.ts'
import type { FieldType, Guard, Machine, Move, Stage, Trigger } from '../../machine/machine.ts'
import { printConditionList, printEvidenceGuards } from '../evidence-conditions.ts'
import { compact, freeName, type Loss, listOrNone, routeWaysOf } from '../printer-output.ts'
import { isInherited } from '../reserved-names.ts'
import { allOf, literal, noneOf, printComparison } from './print-guards.ts'

type Compare = Extract<Guard, { kind: 'compare' }>

type Choices = {
  readonly machine: Machine
  readonly losses: Loss[]
  /** The input that says which signal is meant. */
  readonly input: string
  /** Values that guards look at; an agent may send them with any signal. */
  readonly fields: readonly JsonObject[]
}

/** Looks through the machine for what every step will need. */
export function openChoices(machine: Machine, losses: Loss[]): Choices {
  const guards = guardsOf(machine)
  const names = new Set(guards.map((guard) => guard.field))
  const input = freeName('choice', (name) => names.has(name))
  for (const guard of new Map(guards.map((one) => [one.name, one])).values()) {
    losses.push(...guardLosses(guard))
  }
  const fields = [...names]
    .filter((name) => !isInherited(name) && name.trim() !== '')
    .map((name) => printGuardField(name, guards))
  return { machine, losses, input, fields }
}

function guardsOf(machine: Machine): readonly Compare[] {
  const triggers = Object.values(machine.stages).flatMap((stage) => Object.values(stage.signals))
  const guards = triggers.flatMap((one) => one.routes.flatMap((route) => route.guards))
  return guards.filter((guard) => guard.kind === 'compare')
}

function guardLosses(guard: Compare): readonly Loss[] {
  const pointer = guard.origin
  const late = {
    pointer,
    what: 'a form has no conditions on the values from before a submission',
    effect: `the agent can send \`${guard.field}\` together with the choice that depends on it`,
  }
  if (guard.source === null) return [late]
  const effect = `\`${guard.name}\` accepts a value from any source, not only a ${guard.source} one`
  return [late, { pointer, what: 'a form has no conditions on the source of a value', effect }]
}

/** An input has one type: the one that the guards compare with. */
function printGuardField(name: string, guards: readonly Compare[]): JsonObject {
  const values = guards.filter((one) => one.field === name).flatMap(comparedValues)
  const types = new Set(values.map(typeOf))
  const [type] = types
  return compact({
    name,
    type: types.size !== 1 || type === 'string' ? undefined : type,
    required: false,
  })
}

function comparedValues({ op, value }: Compare): readonly Json[] {
  if (op === 'exists' || op === 'not_exists') return []
  if (op === 'contains') return [[]]
  return op === 'in' && Array.isArray(value) ? value : [value]
}

function typeOf(value: Json): FieldType {
  if (value === null) return 'string'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'number' || type === 'boolean' || type === 'object' ? type : 'string'
}

type PrintedStep = {
  readonly head: { readonly [key: string]: Json | undefined }
  readonly tools: JsonObject | undefined
}

/** The stage as a step in which one of its signals is chosen. */
export function printChoiceStep(
  choices: Choices,
  stage: Stage,
  { head, tools }: PrintedStep,
): JsonObject {
  if (stage.final !== null) {
    choices.losses.push({
      pointer: stage.origin,
      what: 'a form has no step that ends it on entry',
      effect: `the run completes when \`${stage.name}\` is submitted`,
    })
    return compact({ ...head, tools })
  }
  const triggers = Object.values(stage.signals).filter((trigger) => !isAlwaysRefused(trigger))
  const choice = { name: choices.input, enum: triggers.map((trigger) => trigger.name) }
  const names = choices.fields.map((field) => field.name as string)
  const saves = names.length === 0 ? undefined : [{ action: 'save', inputs: names }]
  return compact({
    ...head,
    inputs: [choice, ...choices.fields],
    on: saves === undefined ? undefined : { submit: saves },
    next: printNext(choices, stage, triggers),
    tools,
  })
}

/** A return leads nowhere without a detour, and a form has none. */
function isAlwaysRefused(trigger: Trigger): boolean {
  return trigger.routes.every((route) => route.move.kind === 'return')
}

type Entry = {
  readonly id: string
  readonly condition: string
  readonly evidence: readonly Json[]
  readonly isOpen: boolean
}

function printNext(
  choices: Choices,
  stage: Stage,
  triggers: readonly Trigger[],
): readonly Json[] | undefined {
  const printed = triggers.map((trigger) => printTrigger(choices, stage, trigger))
  const entries = printed.flatMap((one) => one.entries)
  const last = entries.at(-1)
  // Every choice leads somewhere, so the last way needs no condition.
  const isCovered = printed.every((one) => !one.completes) && last?.isOpen === true
  return listOrNone(
    entries.map((entry) =>
      isCovered && entry === last
        ? entry.id
        : { id: entry.id, if: printConditionList([entry.condition, ...entry.evidence]) ?? null },
    ),
  )
}

type PrintedTrigger = { readonly entries: readonly Entry[]; readonly completes: boolean }

/** INVARIANT: a choice that no entry takes completes the form, so each refusal is an entry. */
function printTrigger(choices: Choices, stage: Stage, trigger: Trigger): PrintedTrigger {
  const chosen = `inputs.${choices.input} == ${literal(trigger.name)}`
  const ends: string[] = []
  const entries: Entry[] = []
  const add = (id: string, guards: readonly string[], evidence: readonly Json[]): void => {
    const conditions = [chosen, ...ends.map(noneOf), ...guards]
    const isOpen = conditions.length === 1 && evidence.length === 0
    entries.push({ id, condition: allOf(conditions), evidence, isOpen })
  }
  let isOpen = true
  for (const { route } of routeWaysOf(trigger)) {
    const guards = (route?.guards ?? []).filter((guard) => guard.kind === 'compare')
    const conditions = guards.map(printComparison)
    const evidence = printEvidenceGuards(route?.guards ?? [])
    const id = route === null ? null : targetOf(choices, route.move, stage)
    if (id !== null) add(id, conditions, evidence)
    else {
      if (conditions.length > 0) ends.push(allOf(conditions))
      if (evidence.length > 0) choices.losses.push(evidenceLoss(trigger))
    }
    if (conditions.length > 0 || (id !== null && evidence.length > 0)) continue
    isOpen = false
    if (id === null) return { entries, completes: true }
  }
  if (isOpen) {
    add(stage.name, [], [])
    choices.losses.push({
      pointer: trigger.origin,
      what: 'a form has no way to reject a submit when no condition holds',
      effect: `\`${trigger.name}\` starts \`${stage.name}\` again instead of being rejected`,
    })
  }
  return { entries, completes: ends.length > 0 }
}

function evidenceLoss({ name, origin }: Trigger): Loss {
  return {
    pointer: origin,
    what: 'a form has no evidence for its end, only for the way to a step',
    effect: `\`${name}\` completes the form whether or not Pawl saw the command`,
  }
}

/** The step that a move leads to; null: it ends the run. */
function targetOf(choices: Choices, move: Move, stage: Stage): string | null {
  switch (move.kind) {
    case 'goto':
      return stepOf(choices, move.stage)
    case 'invoke':
    case 'fork':
      return stepOf(choices, move.onComplete)
    case 'return':
      return stage.name
    case 'end':
      if (move.outcome !== 'completed') choices.losses.push(badEnd(move.origin, move.outcome))
      return null
    default:
      return assertNever(move)
  }
}

function stepOf(choices: Choices, name: string): string | null {
  const stage = own(choices.machine.stages, name)
  if (stage === undefined || stage.final === null) return name
  noteFinal(choices, stage)
  return name === choices.machine.initial ? name : null
}

/** Told for each way that leads there; the same words are told once. */
function noteFinal({ losses }: Choices, { name, origin, final, brief }: Stage): void {
  if (final === 'failed' || final === 'blocked') losses.push(badEnd(origin, final))
  if (brief.every((part) => part.text.trim() === '')) return
  const effect = `the instructions of \`${name}\` are not shown`
  losses.push({ pointer: origin, what: 'a form has no instructions after its end', effect })
}

function badEnd(pointer: string, outcome: 'failed' | 'blocked'): Loss {
  const what =
    outcome === 'failed' ? 'a form has no failed outcome' : 'a form has no blocked outcome'
  return { pointer, what, effect: 'the run completes instead, and the agent can continue' }
}
