/** Edits the condition of one route in the author's text, in each dialect. */
import { equalJson, type Json } from '../json.ts'
import type { CompareOp } from '../machine/machine.ts'
import { nodeOn, type Path } from '../source/edit-json.ts'
import { dropValue, putValue } from '../source/edit-source.ts'
import { readSource } from '../source/read-source.ts'
import { plainValue } from '../source/source.ts'
import { type EditableDefinition, pathOf } from './editable-definition.ts'

/** The text with another condition; empty: with none. Null: it has to be edited by hand. */
export function guardRoute(
  written: EditableDefinition,
  route: string,
  guard: string,
): string | null {
  const { text, root, machine } = written
  const at = pathOf(root, route)
  if (machine.dialect === 'process') return null
  if (machine.dialect === 'steps') return guardEntry(text, at, guard.trim())
  const names = guard.split(/[\s,]+/).filter((name) => name !== '')
  return guardTransition(text, at, names)
}

/** What a person sees of a condition, and may change; null: only the text can say it. */
export function guardText({ root, machine }: EditableDefinition, route: string): string | null {
  const at = pathOf(root, route)
  if (machine.dialect === 'process') return null
  const value = (key: string): Json => {
    const node = nodeOn(root, [...at, key])
    return node === null ? null : plainValue(node)
  }
  if (machine.dialect === 'workflow') {
    return [value('guard'), value('guards')].flat().filter(Boolean).join(', ')
  }
  const [plain, typed] = [value('if'), nodeOn(root, [...at, 'if', 'expression'])]
  if (plain === null || typeof plain === 'string') return plain ?? ''
  return typed === null ? null : String(plainValue(typed))
}

function guardTransition(text: string, at: Path, names: readonly string[]): string | null {
  const target = scalarAt(text, at)
  const [first, ...more] = names
  if (target !== null) {
    if (first === undefined) return text
    return putValue(text, at, {
      target,
      ...(more.length > 0 ? { guards: names } : { guard: first }),
    })
  }
  const isList = more.length > 0
  const rest = dropped(text, [...at, isList || first === undefined ? 'guard' : 'guards'])
  if (first === undefined) return dropped(rest, [...at, 'guards'])
  return rest === null
    ? null
    : putValue(rest, [...at, isList ? 'guards' : 'guard'], isList ? names : first)
}

function guardEntry(text: string, at: Path, condition: string): string | null {
  const id = scalarAt(text, at)
  if (id !== null) return condition === '' ? text : putValue(text, at, { id, if: condition })
  const place = [...at, 'if']
  if (condition === '') return dropped(text, place)
  const now = nodeAt(text, place)
  if (now === null || now.kind === 'scalar') return putValue(text, place, condition)
  const inner = [...place, 'expression']
  return nodeAt(text, inner) === null ? null : putValue(text, inner, condition)
}

function dropped(text: string | null, path: Path): string | null {
  return text === null || nodeAt(text, path) === null ? text : dropValue(text, path)
}

function scalarAt(text: string, path: Path): Json {
  const node = nodeAt(text, path)
  return node?.kind === 'scalar' ? node.value : null
}

function nodeAt(text: string, path: Path) {
  const { root } = readSource(text)
  return root === null ? null : nodeOn(root, path)
}

/** What a named guard of a workflow compares. */
export type Comparison = {
  readonly field: string
  readonly op: CompareOp
  /** Null where there is nothing to compare with. */
  readonly value: Json
}

/** The guards of a workflow that compare, by name; none in other dialects. */
export function guardsOf({
  root,
  machine,
}: EditableDefinition): Readonly<Record<string, Comparison>> {
  const node = machine.dialect === 'workflow' ? nodeOn(root, ['guards']) : null
  if (node === null) return {}
  // WHY the cast: there is a machine, so the shape was checked.
  const all = plainValue(node) as unknown as Readonly<Record<string, Comparison>>
  return Object.fromEntries(Object.entries(all).filter(([, { field }]) => field !== undefined))
}

/** The text with a guard that compares so; what else was said of it stays. */
export function putGuard(
  written: EditableDefinition,
  name: string,
  put: Comparison,
): string | null {
  const { root, machine } = written
  if (machine.dialect !== 'workflow' || name === '') return null
  const at = ['guards', name]
  const hasValue = put.op !== 'exists' && put.op !== 'not_exists'
  const { field, op, value } = put
  const members: Readonly<Record<string, Json>> = { field, op, ...(hasValue ? { value } : {}) }
  if (nodeOn(root, at) === null) return putValue(written.text, at, members)
  const without = hasValue ? written.text : dropped(written.text, [...at, 'value'])
  return Object.entries(members).reduce<string | null>((text, [key, one]) => {
    const now = text === null ? null : nodeAt(text, [...at, key])
    const isSame = now !== null && equalJson(plainValue(now), one)
    return text === null || isSame ? text : putValue(text, [...at, key], one)
  }, without)
}

/** The text without a guard; null: a route still needs it. */
export function dropGuard(written: EditableDefinition, name: string): string | null {
  const { text, machine } = written
  const used = Object.values(machine.stages).flatMap((stage) =>
    Object.values(stage.signals).flatMap(({ routes }) => routes.flatMap(({ guards }) => guards)),
  )
  const isUsed = used.some((one) => 'name' in one && one.name === name)
  return isUsed ? null : dropValue(text, ['guards', name])
}
