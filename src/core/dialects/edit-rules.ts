/**
 * The rules of a workflow that its forms offer: tools, commands, files and limits of a state, the
 * gate of a transition, and evidence. Every edit is made in the author's text, and gives the new
 * text, or null where the text has to be edited by hand.
 */
import { equalJson, type Json, type JsonObject } from '../json.ts'
import { nodeOn, type Path } from '../source/edit-json.ts'
import { dropValue, pushValue, putValue } from '../source/edit-source.ts'
import { readSource } from '../source/read-source.ts'
import { plainValue } from '../source/source.ts'
import { type EditableDefinition, pathOf } from './editable-definition.ts'

/** A list, where absence means that anything goes; or a limit, where it means that none holds. */
export type StageRuleField = {
  readonly key: string
  readonly kind: 'list' | 'limit'
  readonly label: string
  /** What holds where the field is absent. */
  readonly absent: string
}

/** The fields of a state that a form can change. */
export const stageRuleFields: readonly StageRuleField[] = [
  { key: 'allowed_tools', kind: 'list', label: 'Tools', absent: 'any tool' },
  { key: 'disallowed_tools', kind: 'list', label: 'Denied tools', absent: 'none' },
  { key: 'allowed_commands', kind: 'list', label: 'Commands', absent: 'any command' },
  { key: 'writable_files', kind: 'list', label: 'Files to change', absent: 'any file' },
  { key: 'max_iterations', kind: 'limit', label: 'Calls per visit', absent: 'no limit' },
  { key: 'max_edit_lines', kind: 'limit', label: 'Lines per edit', absent: 'no limit' },
  { key: 'max_files_per_state', kind: 'limit', label: 'Files per visit', absent: 'no limit' },
  { key: 'context_budget_bytes', kind: 'limit', label: 'Bytes of results', absent: 'no limit' },
]

/** What a state says of a rule; null: nothing. */
export function stageRuleOf(written: EditableDefinition, stage: string, key: string): Json {
  return valueOn(written.text, stagePath(written, stage, key))
}

/** Puts a rule of a state; null takes it away. */
export function putStageRule(
  written: EditableDefinition,
  stage: string,
  { key, value }: { readonly key: string; readonly value: readonly string[] | number | null },
): string | null {
  if (written.machine.dialect !== 'workflow') return null
  return putField(written.text, stagePath(written, stage, key), value)
}

function stagePath({ root, machine }: EditableDefinition, stage: string, key: string): Path {
  return [...pathOf(root, machine.stages[stage]?.origin ?? ''), key]
}

/** The gate of a transition: what a person is asked, and how many have to agree. */
export type RouteGate = { readonly message: string; readonly needed: number }

/** The gate of a route; null: there is none. */
export function routeGateOf({ text, root }: EditableDefinition, route: string): RouteGate | null {
  const at = pathOf(root, route)
  const [required, approvals] = ['requires_approval', 'approvals'].map((key) =>
    valueOn(text, [...at, key]),
  )
  if (required !== true && (approvals ?? null) === null) return null
  const message = valueOn(text, [...at, 'approval_message'])
  const needed = valueOn(text, [...at, 'approvals', 'needed'])
  return {
    message: typeof message === 'string' ? message : '',
    needed: typeof needed === 'number' ? needed : 1,
  }
}

const gateKeys = ['requires_approval', 'approval_message', 'approvals', 'approval_editable']

/** Puts the gate of a route; null opens it. */
export function putRouteGate(
  written: EditableDefinition,
  route: string,
  gate: RouteGate | null,
): string | null {
  const { text, root, machine } = written
  if (machine.dialect !== 'workflow') return null
  const at = pathOf(root, route)
  if (gate === null) return gateKeys.reduce(droppingFrom(at), text)
  const target = valueOn(text, at)
  const spread = typeof target === 'string' ? putValue(text, at, { target }) : text
  const { message, needed } = gate
  const hasPeople = valueOn(text, [...at, 'approvals']) !== null
  const puts: readonly (readonly [Path, string | number | boolean | null])[] = [
    [[...at, 'requires_approval'], true],
    [[...at, 'approval_message'], message === '' ? null : message],
    ...(needed === 1 && !hasPeople ? [] : [[[...at, 'approvals', 'needed'], needed] as const]),
  ]
  return puts.reduce<string | null>(
    (sum, [path, value]) => (sum === null ? null : putField(sum, path, value)),
    spread,
  )
}

/** The evidence that a guard wants, as far as a form can say it. */
export type EvidenceGuard = {
  readonly evidence: string
  readonly exit: number | string | null
  readonly tests_min: number | null
  readonly fresh: boolean | null
}

/** The guards that want evidence, by name. */
export function evidenceGuardsOf(
  written: EditableDefinition,
): Readonly<Record<string, EvidenceGuard>> {
  const node = written.machine.dialect === 'workflow' ? nodeOn(written.root, ['guards']) : null
  if (node === null) return {}
  // WHY the cast: there is a machine, so the shape was checked.
  const guards = plainValue(node) as unknown as Readonly<Record<string, JsonObject>>
  const wanted = Object.entries(guards).filter(([, guard]) => typeof guard.evidence === 'string')
  return Object.fromEntries(
    wanted.map(([name, { evidence, exit = null, tests_min = null, fresh = null }]) => [
      name,
      { evidence, exit, tests_min, fresh } as unknown as EvidenceGuard,
    ]),
  )
}

/** Puts a guard that wants evidence; what a form does not say of it stays. */
export function putEvidenceGuard(
  { text, machine }: EditableDefinition,
  name: string,
  guard: EvidenceGuard,
): string | null {
  if (machine.dialect !== 'workflow' || name === '' || guard.evidence === '') return null
  const at: Path = ['guards', name]
  const said = Object.entries(guard).filter(([, value]) => value !== null)
  if (valueOn(text, at) === null) return putValue(text, at, Object.fromEntries(said))
  return Object.entries(guard).reduce<string | null>(
    (sum, [key, value]) => (sum === null ? null : putField(sum, [...at, key], value)),
    text,
  )
}

type FieldValue = string | number | boolean | readonly string[] | null

/** A list keeps its items with their comments where it can. */
function putField(text: string, path: Path, value: FieldValue): string | null {
  const now = valueOn(text, path)
  if (value === null) return now === null ? text : dropValue(text, path)
  if (equalJson(now, value as Json)) return text
  if (!Array.isArray(value) || !Array.isArray(now)) return putValue(text, path, value as Json)
  const kept = now.filter((one) => value.includes(String(one)))
  const added = value.filter((one) => !now.includes(one))
  // WHY anew: an item of an empty list has no neighbour whose style it could follow.
  if (kept.length === 0) return putValue(text, path, value as Json)
  const gone = now.flatMap((one, index) => (value.includes(String(one)) ? [] : [index]))
  const without = gone
    .toReversed()
    .reduce<string | null>(
      (sum, index) => (sum === null ? null : dropValue(sum, [...path, index])),
      text,
    )
  return added.reduce<string | null>(
    (sum, one) => (sum === null ? null : pushValue(sum, path, one)),
    without,
  )
}

/** Drops the fields of an object one after the other, where they are. */
export function droppingFrom(at: Path): (text: string | null, key: string) => string | null {
  return (text, key) => {
    const path = [...at, key]
    return text === null || valueOn(text, path) === null ? text : dropValue(text, path)
  }
}

function valueOn(text: string, path: Path): Json {
  const { root } = readSource(text)
  const node = root === null ? null : nodeOn(root, path)
  return node === null ? null : plainValue(node)
}
