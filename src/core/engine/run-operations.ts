/**
 * Runs the operations of a slot. A fault is returned, never swallowed: the caller undoes the whole
 * signal.
 */
import { assertNever } from '../assert.ts'
import { evaluate, isTruthy } from '../expr/evaluate.ts'
import { renderArguments, renderText } from '../expr/template.ts'
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'
import type { Op, OpValue, ScopePath, Source } from '../machine/machine.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { emit } from './decision-builder.ts'
import type { CallLifetime } from './types.ts'

/** Calls that may wait in the queue of a run. */
const queuedCallsMax = 32

/** Runs ops in order; the reason of the first fault, or null. `lasts` is for calls they queue. */
export function runOps(
  draft: DecisionBuilder,
  ops: readonly Op[],
  lasts: CallLifetime,
): string | null {
  for (const op of ops) {
    if (op.if !== null) {
      const condition = evaluate(op.if, draft.state)
      if (!condition.ok) return condition.reason
      if (!isTruthy(condition.value)) continue
    }
    const fault = runOp(draft, op, lasts)
    if (fault !== null) return fault
  }
  return null
}

function runOp(draft: DecisionBuilder, op: Op, lasts: CallLifetime): string | null {
  switch (op.kind) {
    case 'set': {
      const value = opValue(draft, op.value)
      if (!value.ok) return value.reason
      // What is computed may rest on the agent's word; only the author's own value is given.
      const source = op.value.kind === 'literal' ? 'given' : 'claimed'
      return writePath(draft, op.path, { value: value.value, source })
    }
    case 'inc':
      return increase(draft, op.path, op.by)
    case 'get':
      return fill(draft, op)
    case 'save':
      return save(draft, op)
    case 'say':
      emit(draft, { type: 'text.said', text: renderText(op.text, draft.state), role: op.role })
      return null
    case 'call': {
      if (draft.state.queuedCalls.length >= queuedCallsMax) {
        return `more than ${queuedCallsMax} tool calls are queued`
      }
      const args = renderArguments(op.arguments, draft.state)
      emit(draft, { type: 'call.queued', tool: op.tool, arguments: args, saves: op.saves, lasts })
      return null
    }
    default:
      return assertNever(op)
  }
}

type Outcome =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string }

function opValue(draft: DecisionBuilder, value: OpValue): Outcome {
  if (value.kind === 'expr') return evaluate(value.expr, draft.state)
  if (typeof value.value !== 'string') return { ok: true, value: value.value }
  return { ok: true, value: renderText(value.value, draft.state) }
}

function increase(draft: DecisionBuilder, path: ScopePath, by: number): string | null {
  const current = readPath(draft, path) ?? null
  if (current !== null && typeof current !== 'number') {
    return `\`${path.join('.')}\` is not a number and cannot be incremented`
  }
  const value = (current ?? 0) + by
  if (!Number.isFinite(value)) return `\`${path.join('.')}\` is too large to be incremented`
  return writePath(draft, path, { value, source: 'given' })
}

function fill(draft: DecisionBuilder, op: Extract<Op, { kind: 'get' }>): string | null {
  const filled: Record<string, Json> = {}
  for (const name of op.fields) {
    if (!op.overwrites && isGiven(own(draft.state.inputs, name))) continue
    const found = op.value === null ? known(draft, name) : opValue(draft, op.value)
    if (!found.ok) return found.reason
    if (isGiven(found.value)) filled[name] = found.value
  }
  if (Object.keys(filled).length > 0) emit(draft, { type: 'inputs.collected', inputs: filled })
  return null
}

function known(draft: DecisionBuilder, name: string): Outcome {
  return { ok: true, value: own(draft.state.vars, name) ?? null }
}

function save(draft: DecisionBuilder, op: Extract<Op, { kind: 'save' }>): string | null {
  const saved: Record<string, Json> = {}
  for (const name of op.fields) {
    const value = own(draft.state.inputs, name)
    if (value !== undefined && isGiven(value)) saved[op.as ?? name] = value
  }
  if (Object.keys(saved).length > 0) {
    emit(draft, { type: 'vars.written', vars: saved, local: {}, source: 'claimed' })
  }
  return null
}

/** Null and blank texts count as not given; 0, false and empty lists are values. */
export function isGiven(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false
  return typeof value !== 'string' || value.trim() !== ''
}

function readPath(draft: DecisionBuilder, path: ScopePath): Json | undefined {
  const [scope, ...keys] = path
  let value: Json | undefined = draft.state[scope]
  for (const key of keys) {
    const object = asObject(value)
    value = object === null ? undefined : own(object, key)
  }
  return value
}

/** Writes a value at a path, making the objects on the way; the reason when one is in the way. */
export function writePath(
  draft: DecisionBuilder,
  path: ScopePath,
  what: { readonly value: Json; readonly source: Source },
): string | null {
  const [scope, first, ...rest] = path
  if (first === undefined) return `\`${scope}\` itself cannot be written`
  const replaced = replaceIn(own(draft.state[scope], first), rest, what.value)
  if (replaced === undefined)
    return `\`${path.join('.')}\` goes through a value that is not an object`
  const written: JsonObject = { [first]: replaced }
  if (scope === 'inputs') emit(draft, { type: 'inputs.collected', inputs: written })
  else {
    const vars = scope === 'vars' ? written : {}
    const local = scope === 'local' ? written : {}
    emit(draft, { type: 'vars.written', vars, local, source: what.source })
  }
  return null
}

function replaceIn(
  current: Json | undefined,
  keys: readonly string[],
  value: Json,
): Json | undefined {
  const [key, ...rest] = keys
  if (key === undefined) return value
  const object = current === undefined || current === null ? {} : asObject(current)
  if (object === null) return undefined
  const inner = replaceIn(own(object, key), rest, value)
  return inner === undefined ? undefined : { ...object, [key]: inner }
}
