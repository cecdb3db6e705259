/**
 * Writes expressions and ops the way a form spells them.
 */
import { assertNever } from '../../assert.ts'
import type { Expr } from '../../expr/expression-types.ts'
import type { Json, JsonObject } from '../../json.ts'
import type { Op, OpValue, ScopePath } from '../../machine/machine.ts'
import { compact, listOrNone, objectOrNone } from '../printer-output.ts'

/** An expression in its shortest spelling. */
function printExpr(expr: Expr): Json {
  if (expr.language !== 'case') {
    return expr.language === 'cel' ? { type: 'cel', expression: expr.text } : expr.text
  }
  const branches = expr.branches.map((branch) =>
    compact({ if: printCondition(branch.if), ...printValue(branch.value) }),
  )
  return { case: branches }
}

/** A condition, or undefined where there is none. */
export function printCondition(expr: Expr | null): Json | undefined {
  return expr === null ? undefined : printExpr(expr)
}

function printValue(value: OpValue): JsonObject {
  return value.kind === 'literal' ? { value: value.value } : { valueFrom: printExpr(value.expr) }
}

/** The ops of a slot, or undefined when there are none. */
export function printSlot(ops: readonly Op[]): readonly Json[] | undefined {
  return listOrNone(ops.map((op) => compact({ ...printOp(op), if: printCondition(op.if) })))
}

function printOp(op: Op): { readonly [key: string]: Json | undefined } {
  switch (op.kind) {
    case 'set':
      return { action: 'set', name: printPath(op.path), ...printValue(op.value) }
    case 'inc':
      return { action: 'inc', name: printPath(op.path), by: op.by === 1 ? undefined : op.by }
    case 'get':
      return {
        action: 'get',
        inputs: op.fields,
        overwrite: op.overwrites ? true : undefined,
        ...(op.value === null ? {} : printValue(op.value)),
      }
    case 'save': {
      const name = op.as === null ? undefined : printPath(['vars', ...op.as.split('.')])
      return { action: 'save', inputs: op.fields, name }
    }
    case 'say': {
      const role = op.role === 'assistant' ? undefined : op.role
      return { action: 'say', text: op.text, role }
    }
    case 'call': {
      const saves = op.saves.map(({ from, to }) => ({ from: printExpr(from), to: printPath(to) }))
      return {
        action: 'call',
        name: op.tool,
        arguments: objectOrNone(op.arguments),
        result: saves.length === 0 ? undefined : { save: saves },
      }
    }
    default:
      return assertNever(op)
  }
}

/** A path as it is written; a global needs no scope unless its name is one. */
export function printPath([scope, ...keys]: ScopePath): string {
  const isScope = ['vars', 'local', 'inputs'].includes(keys[0] ?? '')
  return scope === 'vars' && !isScope ? keys.join('.') : [scope, ...keys].join('.')
}
