/**
 * The six actions of a step, compiled into ops, each where it belongs.
 */
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { Json, JsonObject } from '../../json.ts'
import type { Op, OpValue, ResultSave, ScopePath } from '../../machine/machine.ts'
import { isInherited } from '../reserved-names.ts'
import { compileCondition, compileExpression } from './expression.ts'
import type { ActionDefinition, ExpressionDefinition } from './schema.ts'

type SlotName = 'start' | 'enter' | 'presubmit' | 'submit'

/** WHY: two tables of the source document disagree; the table by event is the law. */
const allowedIn: Readonly<Record<SlotName, readonly string[]>> = {
  start: ['set', 'inc', 'say', 'call'],
  enter: ['get', 'load', 'set', 'inc', 'say', 'call'],
  presubmit: ['get', 'load', 'set', 'inc', 'save'],
  submit: ['set', 'inc', 'say', 'save', 'call'],
}

type SlotContext = {
  readonly slot: SlotName
  /** Names of the inputs of the step: what `get` and `save` mean when they name none. */
  readonly inputs: readonly string[]
  readonly findings: Finding[]
}

/** The ops of one slot. */
export function compileSlot(
  actions: readonly ActionDefinition[],
  at: string,
  context: SlotContext,
): Op[] {
  const ops: Op[] = []
  for (const [index, action] of actions.entries()) {
    const origin = joinPointer(at, index)
    if (!allowedIn[context.slot].includes(action.action)) {
      context.findings.push(misplaced(action.action, context.slot, origin))
      continue
    }
    const condition = compileCondition(action.if, joinPointer(origin, 'if'), context.findings)
    const op = compileAction(action, origin, context)
    if (op !== null) ops.push({ ...op, if: condition, origin })
  }
  return ops
}

function misplaced(action: string, slot: SlotName, origin: string): Finding {
  return finding('OP_NOT_ALLOWED_HERE', joinPointer(origin, 'action'), {
    message: `\`${action}\` is not allowed in \`on.${slot}\``,
    hint: `allowed there: ${allowedIn[slot].map((one) => `\`${one}\``).join(', ')}`,
  })
}

/** Leaves each member of the union its own fields. */
type Bare<T> = T extends unknown ? Omit<T, 'if' | 'origin'> : never

function compileAction(
  action: ActionDefinition,
  at: string,
  context: SlotContext,
): Bare<Op> | null {
  switch (action.action) {
    case 'say':
      return { kind: 'say', text: action.text, role: action.role ?? 'assistant' }
    case 'set':
      return compileSet(action, at, context)
    case 'inc': {
      const path = scopePath(action.name, joinPointer(at, 'name'), context.findings)
      return path === null ? null : { kind: 'inc', path, by: action.by ?? 1 }
    }
    case 'get':
    case 'load': {
      const { inputs, overwrite } = action
      checkInputs(inputs, joinPointer(at, 'inputs'), context)
      const value = readOpValue(action, at, context)
      return {
        kind: 'get',
        fields: inputs ?? context.inputs,
        overwrites: overwrite ?? false,
        value,
      }
    }
    case 'save':
      return compileSave(action, at, context)
    case 'call': {
      const saves = compileSaves(
        action.result?.save ?? [],
        joinPointer(at, 'result', 'save'),
        context.findings,
      )
      return {
        kind: 'call',
        tool: action.name,
        arguments: (action.arguments ?? {}) as JsonObject,
        saves,
      }
    }
  }
}

function compileSet(
  action: Extract<ActionDefinition, { action: 'set' }>,
  at: string,
  context: SlotContext,
): Bare<Op> | null {
  const value = readOpValue(action, at, context)
  if (value === null) {
    const message = `\`set\` does not say what \`${action.name}\` becomes`
    context.findings.push(
      finding('SCHEMA_INVALID', at, { message, hint: 'add `value` or `valueFrom`' }),
    )
  }
  const path = scopePath(action.name, joinPointer(at, 'name'), context.findings)
  return path === null || value === null ? null : { kind: 'set', path, value }
}

type Valued = {
  readonly value?: unknown
  readonly valueFrom?: ExpressionDefinition | undefined
  readonly value_from?: ExpressionDefinition | undefined
}

/** `value` or `valueFrom`, never both. */
export function readOpValue(
  valued: Valued,
  at: string,
  { findings }: Pick<SlotContext, 'findings'>,
): OpValue | null {
  const from = valued.valueFrom ?? valued.value_from
  if ((valued.value ?? undefined) !== undefined && from !== undefined) {
    const message = 'both `value` and `valueFrom` are given'
    findings.push(finding('VALUE_CONFLICT', at, { message, hint: 'keep the one you mean' }))
  }
  if (from !== undefined) {
    const key = valued.valueFrom === undefined ? 'value_from' : 'valueFrom'
    return { kind: 'expr', expr: compileExpression(from, joinPointer(at, key), findings) }
  }
  return valued.value === undefined ? null : { kind: 'literal', value: valued.value as Json }
}

function compileSave(
  action: Extract<ActionDefinition, { action: 'save' }>,
  at: string,
  context: SlotContext,
): Bare<Op> | null {
  const fields = action.inputs ?? context.inputs
  checkInputs(action.inputs, joinPointer(at, 'inputs'), context)
  if (action.name === undefined) return { kind: 'save', fields, as: null }
  if (fields.length !== 1) {
    const message = `\`save\` has one name for ${fields.length} inputs`
    const hint = 'name the one input to save in `inputs`, or use several `save` actions'
    context.findings.push(finding('VALUE_CONFLICT', joinPointer(at, 'name'), { message, hint }))
  }
  const path = scopePath(action.name, joinPointer(at, 'name'), context.findings)
  if (path === null) return null
  const [scope, ...keys] = path
  const source = context.inputs.length > 0 ? fields[0] : undefined
  if ((scope === 'vars' && keys.length === 1) || source === undefined) {
    return { kind: 'save', fields, as: keys.join('.') }
  }
  // A path inside another scope is a `set` of that path to the input.
  const expr = { language: 'jmespath', text: `inputs."${source}"`, origin: at } as const
  return { kind: 'set', path, value: { kind: 'expr', expr } }
}

function checkInputs(names: readonly string[] | undefined, at: string, context: SlotContext): void {
  for (const [index, name] of (names ?? []).entries()) {
    if (context.inputs.includes(name)) continue
    const message = `\`${name}\` is not an input of this step`
    const hint = `the step has ${context.inputs.map((one) => `\`${one}\``).join(', ') || 'none'}`
    context.findings.push(finding('FIELD_UNKNOWN', joinPointer(at, index), { message, hint }))
  }
}

type SaveDefinition = { readonly from: ExpressionDefinition; readonly to: string }

function compileSaves(
  saves: readonly SaveDefinition[],
  at: string,
  findings: Finding[],
): ResultSave[] {
  const compiled: ResultSave[] = []
  for (const [index, save] of saves.entries()) {
    const from = compileExpression(save.from, joinPointer(at, index, 'from'), findings)
    const to = scopePath(save.to, joinPointer(at, index, 'to'), findings)
    if (to !== null) compiled.push({ from, to })
  }
  return compiled
}

/** `local.address.city` as a path; a name without a scope is a global. */
export function scopePath(name: string, at: string, findings: Finding[]): ScopePath | null {
  const keys = name.split('.')
  const bad = keys.find((key) => key.trim() === '' || isInherited(key))
  if (bad !== undefined) {
    const code = bad.trim() === '' ? 'NAME_INVALID' : 'RESERVED_NAME'
    const message = `\`${name}\` is not a valid variable name`
    findings.push(
      finding(code, at, { message, hint: 'a name looks like `local.tries` or `user_name`' }),
    )
    return null
  }
  const [scope, ...rest] = keys
  if (scope === 'vars' || scope === 'local' || scope === 'inputs') {
    if (rest.length > 0) return [scope, ...rest]
    const message = `\`${name}\` is a whole scope, not a variable in it`
    findings.push(finding('NAME_INVALID', at, { message, hint: `write \`${name}.something\`` }))
    return null
  }
  return ['vars', ...keys]
}
