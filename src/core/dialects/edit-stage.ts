/**
 * The edits of a definition that its picture offers: stages, their names and texts, their routes
 * with signal, target and guard. The result is text; the compiler says whether it is valid.
 */
import { assertNever } from '../assert.ts'
import type { Json } from '../json.ts'
import type { EndOutcome, Machine, Move, Route, Stage, Trigger } from '../machine/machine.ts'
import { nodeOn, type Path } from '../source/edit-json.ts'
import { dropValue, pushValue, putValue, respell } from '../source/edit-source.ts'
import { readSource } from '../source/read-source.ts'
import { memberOf, type Node, nodeAt, plainValue } from '../source/source.ts'
import { forkFields, invokeFields, replaceMove, stageAfter } from './edit-branching.ts'
import { guardRoute } from './edit-route-guard.ts'
import { type EditableDefinition, pathOf } from './editable-definition.ts'
import { stageNameAt, stageReferences } from './stage-references.ts'

/** Where a route leads that a picture can change. */
export type RouteTarget =
  | { readonly kind: 'stage'; readonly stage: string }
  | { readonly kind: 'return' }
  | { readonly kind: 'end'; readonly outcome: EndOutcome }
  /** Another definition runs as a child; absent: whichever it is. */
  | { readonly kind: 'invoke'; readonly machine?: string }
  | { readonly kind: 'fork' }

/** A route is named by its stage and its origin. */
type OfRoute = { readonly stage: string; readonly route: string }

export type StageEdit =
  | { readonly kind: 'add-stage'; readonly stage: string }
  | { readonly kind: 'rename-stage'; readonly stage: string; readonly to: string }
  /** What led there leads to `instead`; null: nothing does. */
  | { readonly kind: 'remove-stage'; readonly stage: string; readonly instead: string | null }
  | { readonly kind: 'tell'; readonly stage: string; readonly brief: string }
  | {
      readonly kind: 'add-route'
      readonly stage: string
      /** Not read where a stage has one signal only. */
      readonly signal: string
      readonly target: RouteTarget
    }
  | ({ readonly kind: 'remove-route' } & OfRoute)
  | ({ readonly kind: 'lead-route'; readonly target: RouteTarget } & OfRoute)
  /** Names of guards, or the condition itself; empty: none. */
  | ({ readonly kind: 'guard-route'; readonly guard: string } & OfRoute)
  | {
      readonly kind: 'rename-signal'
      readonly stage: string
      readonly signal: string
      readonly to: string
    }

/** The text after the change; null: this text does not take it, and has to be edited by hand. */
export function editStage(written: EditableDefinition, edit: StageEdit): string | null {
  const next = edited(written, edit)
  return next !== null && readSource(next).root !== null ? next : null
}

function edited(written: EditableDefinition, edit: StageEdit): string | null {
  const { text, root, machine } = written
  if (edit.kind === 'add-stage') return addStage(written, edit.stage)
  const stage = machine.stages[edit.stage]
  if (stage === undefined) return null
  switch (edit.kind) {
    case 'rename-stage':
      return renameStage(written, stage, edit.to)
    case 'remove-stage':
      return removeStage(written, stage, edit.instead)
    case 'tell':
      return putValue(text, [...pathOf(root, stage.origin), briefKey[machine.dialect]], edit.brief)
    case 'add-route':
      return addRoute(written, stage, edit)
    case 'rename-signal':
      return renameSignal(written, stage, edit)
    case 'remove-route': {
      const found = routeOf(stage, edit.route)
      if (found === null) return null
      // WHY: an event with an empty list of targets is none.
      const isAlone = found.trigger.routes.length === 1 && machine.dialect !== 'steps'
      return dropValue(text, pathOf(root, isAlone ? found.trigger.origin : edit.route))
    }
    case 'lead-route': {
      const found = routeOf(stage, edit.route)
      return found === null ? null : leadRoute(written, { stage, ...found }, edit.target)
    }
    case 'guard-route': {
      const found = routeOf(stage, edit.route)
      return found === null ? null : guardRoute(written, edit.route, edit.guard)
    }
    default:
      return assertNever(edit)
  }
}

const briefKey = { process: 'question', workflow: 'instructions', steps: 'goal' } as const
const signalsKey = { process: 'answers', workflow: 'on' } as const

function addStage({ text, root, machine }: EditableDefinition, name: string): string | null {
  if (machine.stages[name] !== undefined) return null
  const first = machine.stages[machine.initial]?.origin ?? ''
  const around = pathOf(root, first).slice(0, -1)
  const words = { [briefKey[machine.dialect]]: 'What should be done here?' }
  if (machine.dialect === 'steps') return pushValue(text, around, { id: name, ...words })
  return putValue(text, [...around, name], words)
}

function renameStage(written: EditableDefinition, stage: Stage, to: string): string | null {
  const { text, root, machine } = written
  const own = stageNameAt(root, machine, stage.name)
  if (own === null || to === '' || machine.stages[to] !== undefined) return null
  const renamed = respell(text, [own, ...stageReferences(root, machine, stage.name)], to)
  // WHY: in a workflow the name `failed` itself says how a run ends there.
  const isTelling = machine.dialect === 'workflow' && [stage.name, to].includes('failed')
  const isSaid = nodeAt(root, `${stage.origin}/outcome`) !== null
  if (!isTelling || isSaid || stage.final === null) return renamed
  return putValue(renamed, ['states', to, 'outcome'], stage.final)
}

function removeStage(
  written: EditableDefinition,
  stage: Stage,
  instead: string | null,
): string | null {
  const { text, root, machine } = written
  if (Object.keys(machine.stages).length === 1) return null
  const without = dropValue(text, pathOf(root, stage.origin))
  const left = without === null ? null : readSource(without).root
  if (without === null || left === null) return null
  const dangling = stageReferences(left, machine, stage.name)
  if (dangling.length === 0) return without
  if (instead === null || instead === stage.name || machine.stages[instead] === undefined) {
    return null
  }
  return respell(without, dangling, instead)
}

type NewRoute = Extract<StageEdit, { kind: 'add-route' }>

function addRoute(
  { text, root, machine }: EditableDefinition,
  stage: Stage,
  edit: NewRoute,
): string | null {
  const at = pathOf(root, stage.origin)
  const { signal, target } = edit
  if (machine.dialect === 'steps') {
    return target.kind === 'stage' ? pushValue(text, [...at, 'next'], { id: target.stage }) : null
  }
  const path = [...at, signalsKey[machine.dialect], signal]
  const now = nodeOn(root, path)
  if (signal === '') return null
  if (machine.dialect === 'process') {
    return now === null ? putValue(text, path, answerTo(target)) : null
  }
  if (target.kind === 'invoke' || target.kind === 'fork') {
    const fields = branchingFields(machine, stage, { target, next: machine.initial })
    return now === null && fields !== null ? putValue(text, path, fields) : null
  }
  const name = targetName(target)
  if (name === null) return null
  return now === null ? putValue(text, path, name) : addChoice(text, now, { path, name })
}

type Choice = { readonly path: Path; readonly name: string }

/** One more way of an event that has one: the first whose guards hold is taken. */
function addChoice(text: string, now: Node, { path, name }: Choice): string | null {
  const last = { target: name }
  if (now.kind === 'list') return pushValue(text, path, last)
  if (now.kind === 'scalar') return putValue(text, path, [{ target: now.value }, last])
  return memberOf(now, 'target') === undefined
    ? null
    : putValue(text, path, [plainValue(now), last])
}

function targetName(target: RouteTarget): string | null {
  if (target.kind === 'stage') return target.stage
  return target.kind === 'return' ? '$return' : null
}

function answerTo(target: RouteTarget): Json {
  if (target.kind === 'stage') return { next: target.stage }
  return { next: null, action: endAction(target) }
}

function endAction(target: RouteTarget): 'complete' | 'block' {
  return target.kind === 'end' && target.outcome === 'completed' ? 'complete' : 'block'
}

type NewSignal = Extract<StageEdit, { kind: 'rename-signal' }>

function renameSignal(
  { text, root }: EditableDefinition,
  stage: Stage,
  edit: NewSignal,
): string | null {
  const origin = stage.signals[edit.signal]?.origin
  const path = origin === undefined ? [] : pathOf(root, origin)
  const around = nodeOn(root, path.slice(0, -1))
  const own = around === null ? undefined : memberOf(around, edit.signal)
  if (own === undefined || around === null || edit.to === '') return null
  if (memberOf(around, edit.to) !== undefined) return null
  return respell(text, [{ start: own.keyStart, end: own.keyEnd }], edit.to)
}

/** A move that names its target is changed where the name stands. */
function leadRoute(
  written: EditableDefinition,
  { stage, route: { move, origin } }: StageRoute,
  target: RouteTarget,
): string | null {
  const { text, root, machine } = written
  if (machine.dialect === 'process') return leadAnswer(written, pathOf(root, origin), target)
  if (target.kind === 'invoke' || target.kind === 'fork') {
    const next = stageAfter(move) ?? machine.initial
    const fields = branchingFields(machine, stage, { target, next })
    return fields === null ? null : replaceMove(written, origin, fields)
  }
  const name = targetName(target)
  if (name === null || (name === '$return' && machine.dialect === 'steps')) return null
  const isNamed = move.kind === 'goto' || move.kind === 'return'
  if (!isNamed) return replaceMove(written, origin, { target: name })
  return putValue(text, pathOf(root, move.origin), name)
}

type BranchingWish = {
  readonly target: Extract<RouteTarget, { kind: 'invoke' | 'fork' }>
  /** Where the run goes on afterwards. */
  readonly next: string
}

function branchingFields(machine: Machine, stage: Stage, { target, next }: BranchingWish) {
  if (machine.dialect !== 'workflow') return null
  if (target.kind === 'fork') return forkFields(machine, stage.name, next)
  return target.machine === undefined ? null : invokeFields(target.machine, next)
}

function leadAnswer(
  { text, root }: EditableDefinition,
  at: Path,
  target: RouteTarget,
): string | null {
  const next = target.kind === 'stage' ? target.stage : null
  const led = putValue(text, [...at, 'next'], next)
  if (led === null || target.kind === 'return') return null
  if (target.kind === 'end') return putValue(led, [...at, 'action'], endAction(target))
  const action = nodeOn(root, [...at, 'action'])
  const ends = action !== null && ['block', 'complete'].includes(plainValue(action) as string)
  return ends ? dropValue(led, [...at, 'action']) : led
}

/** Where a move leads, as a form offers it. */
export function routeTargetOf(move: Move): RouteTarget {
  switch (move.kind) {
    case 'goto':
      return { kind: 'stage', stage: move.stage }
    case 'end':
      return { kind: 'end', outcome: move.outcome }
    case 'return':
    case 'invoke':
    case 'fork':
      return { kind: move.kind }
    default:
      return assertNever(move)
  }
}

type StageRoute = { readonly stage: Stage; readonly route: Route }

type TriggerRoute = { readonly trigger: Trigger; readonly route: Route }

function routeOf(stage: Stage, origin: string): TriggerRoute | null {
  for (const trigger of Object.values(stage.signals)) {
    const route = trigger.routes.find((one) => one.origin === origin)
    if (route !== undefined) return { trigger, route }
  }
  return null
}
