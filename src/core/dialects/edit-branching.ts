/**
 * Edits of transitions that lead to more than a state: another definition that runs as a child, or
 * branches. Every edit is made in the author's text, and gives the new text, or null where the
 * text has to be edited by hand.
 */
import type { Json } from '../json.ts'
import { edgesFrom } from '../machine/graph.ts'
import type { ForkBranch, Machine, Move, Stage } from '../machine/machine.ts'
import { nodeOn, type Path } from '../source/edit-json.ts'
import { dropValue, putValue, respell } from '../source/edit-source.ts'
import { memberOf } from '../source/source.ts'
import { droppingFrom } from './edit-rules.ts'
import { type EditableDefinition, pathOf } from './editable-definition.ts'

export type InvokeMove = Extract<Move, { kind: 'invoke' }>
export type ForkMove = Extract<Move, { kind: 'fork' }>

/** The fields that say where a transition leads; the rest are its conditions. */
const moveKeys = ['target', 'invoke', 'input', 'on_complete', 'on_fail', 'fork'] as const

type MoveFields = Partial<Record<(typeof moveKeys)[number], Json>>

/** Has a transition lead elsewhere; its conditions and its gate stay. */
export function replaceMove(
  { text, root }: EditableDefinition,
  route: string,
  fields: MoveFields,
): string | null {
  const at = pathOf(root, route)
  // WHY: an item of a list of transitions can only name a state.
  if (typeof at.at(-1) === 'number' && fields.target === undefined) return null
  if (nodeOn(root, at)?.kind === 'scalar') {
    const name = Object.keys(fields).length === 1 ? fields.target : undefined
    return putValue(text, at, name ?? fields)
  }
  const put = Object.entries(fields).reduce<string | null>(
    (sum, [key, value]) => (sum === null ? null : putValue(sum, [...at, key], value)),
    text,
  )
  return moveKeys.filter((key) => fields[key] === undefined).reduce(droppingFrom(at), put)
}

/** A child that runs this definition, for a transition that leads to `next` afterwards. */
export function invokeFields(machine: string, next: string): MoveFields {
  return { invoke: machine, on_complete: next }
}

/** One branch to begin with, for a transition of `stage` that leads to `next` afterwards. */
export function forkFields(machine: Machine, stage: string, next: string): MoveFields | null {
  const others = Object.keys(machine.stages).filter((name) => name !== stage && name !== next)
  const branch = [...others, next, stage].map((one) => branchFrom(machine, one)).find(isThere)
  if (branch === undefined) return null
  return { fork: { branches: { 'branch-1': branch }, on_complete: next } }
}

/** Where a run goes after a move, if all is well; null: no single state. */
export function stageAfter(move: Move): string | null {
  if (move.kind === 'goto') return move.stage
  return move.kind === 'fork' || move.kind === 'invoke' ? move.onComplete : null
}

/** Puts one field of an invoke or a fork; null takes it away. */
export function putMoveField(
  { text, root }: EditableDefinition,
  route: string,
  { path, value }: { readonly path: Path; readonly value: string | null },
): string | null {
  const at = [...pathOf(root, route), ...path]
  if (value !== null) return value === '' ? null : putValue(text, at, value)
  return nodeOn(root, at) === null ? text : dropValue(text, at)
}

type BranchWish = Pick<ForkBranch, 'name' | 'initial' | 'terminal'>

/** Puts a branch of a fork, or changes it; one that could not end where it says ends elsewhere. */
export function putBranch(
  { text, root, machine }: EditableDefinition,
  route: string,
  { name, initial, terminal }: BranchWish,
): string | null {
  const ends = finalStagesFrom(machine, initial)
  const end = ends.includes(terminal) ? terminal : ends[0]
  if (name === '' || end === undefined) return null
  const at = branchPath(root, route, name)
  const fields = Object.entries({ initial, terminal: end })
  if (nodeOn(root, at) === null) return putValue(text, at, Object.fromEntries(fields))
  return fields.reduce<string | null>(
    (sum, [key, value]) => (sum === null ? null : putValue(sum, [...at, key], value)),
    text,
  )
}

/** A branch with another name, which no other branch has. */
export function renameBranch(
  { text, root }: EditableDefinition,
  route: string,
  { from, to }: { readonly from: string; readonly to: string },
): string | null {
  const around = nodeOn(root, branchPath(root, route, from).slice(0, -1))
  const own = around === null ? undefined : memberOf(around, from)
  if (around === null || own === undefined || to === '') return null
  if (memberOf(around, to) !== undefined) return null
  return respell(text, [{ start: own.keyStart, end: own.keyEnd }], to)
}

/** A fork without one of its branches. */
export function dropBranch(
  { text, root }: EditableDefinition,
  route: string,
  name: string,
): string | null {
  return dropValue(text, branchPath(root, route, name))
}

function branchPath(root: EditableDefinition['root'], route: string, name: string): Path {
  return [...pathOf(root, route), 'fork', 'branches', name]
}

/** The final stages that a branch can end in when it begins here. */
export function finalStagesFrom({ stages }: Machine, initial: string): readonly string[] {
  const seen = new Set([initial])
  // WHY: a set is walked through to what is added on the way.
  for (const name of seen) {
    const stage = stages[name]
    if (stage === undefined) continue
    for (const { to, kind } of edgesFrom(stage)) {
      if (to !== null && kind !== 'fork') seen.add(to)
    }
  }
  const isEnd = (stage: Stage | undefined): boolean => stage !== undefined && stage.final !== null
  // A branch that begins in a final stage is over at once.
  if (isEnd(stages[initial])) return [initial]
  return Object.keys(stages).filter((name) => seen.has(name) && isEnd(stages[name]))
}

function branchFrom(machine: Machine, initial: string) {
  const terminal = finalStagesFrom(machine, initial)[0]
  return terminal === undefined ? null : { initial, terminal }
}

function isThere<T>(one: T | null): one is T {
  return one !== null
}
