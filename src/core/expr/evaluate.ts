/**
 * Evaluates an expression in any of its languages; the entry point of this folder. Knows scopes and
 * languages. Must not know machines, dialects or what a fault leads to.
 */
import { assertNever } from '../assert.ts'
import { asObject, emptyRecord, type Json, type JsonObject } from '../json.ts'
import { doubtCel, evaluateCel, parseCel } from './cel.ts'
import type { CaseBranch, Evaluated, Expr, Scope } from './expression-types.ts'
import { isTruthy } from './is-truthy.ts'
import { doubtJmespath, evaluateJmespath, parseJmespath } from './jmespath.ts'
import type { KnowPath, TypeMismatch } from './jmespath-type-mismatches.ts'
import { nestingMax } from './meter.ts'
import { anyValue, type KnownValue } from './possible-values.ts'

export { isTruthy } from './is-truthy.ts'

type ParsedExpr =
  | {
      readonly ok: true
      /** The paths that are read, as lists of keys: `['local', 'n']`, `['count']`. */
      readonly reads: readonly string[][]
      /** `true`, `false` or `null` where JMESPath takes them for names. */
      readonly bareLiterals: readonly string[]
    }
  | { readonly ok: false; readonly reason: string; readonly offset: number }

/** How many branches a `case` may have, and how deep cases may nest. */
const caseBranchesMax = 200

/** The value of an expression in a scope, or why it has none. Never throws. */
export function evaluate(expr: Expr, scope: Scope): Evaluated {
  const root = emptyRecord<Json>()
  for (const [key, value] of Object.entries(scope.vars)) root[key] = value
  // The scopes come last: a variable that is called `local` cannot hide them.
  root.vars = scope.vars
  root.local = scope.local
  root.inputs = scope.inputs
  return evaluateOn(expr, root)
}

/** The value of an expression on any document, such as the result of a call. Never throws. */
export function evaluateOn(expr: Expr, root: Json): Evaluated {
  return evaluateAt(expr, root, 0)
}

/** What can be told about an expression without data. Never throws. */
export function parseExpr(expr: Expr): ParsedExpr {
  return parseAt(expr, 0)
}

/** What in an expression can never work, whatever the data, and what is known of its value. */
export function doubtExpr(
  expr: Exclude<Expr, { language: 'case' }>,
  know: KnowPath,
): { readonly doubts: readonly TypeMismatch[]; readonly value: KnownValue } {
  if (expr.language === 'jmespath') return doubtJmespath(expr.text, know)
  return { doubts: doubtCel(expr.text, know), value: anyValue }
}

function evaluateAt(expr: Expr, root: Json, depth: number): Evaluated {
  switch (expr.language) {
    case 'jmespath':
      return evaluateJmespath(expr.text, root)
    case 'cel':
      return evaluateCel(expr.text, variablesOf(root))
    case 'case':
      return evaluateCase(expr.branches, root, depth)
    default:
      return assertNever(expr)
  }
}

function evaluateCase(branches: readonly CaseBranch[], root: Json, depth: number): Evaluated {
  if (depth > nestingMax)
    return { ok: false, reason: `cases are nested more than ${nestingMax} levels deep` }
  if (branches.length > caseBranchesMax) {
    return { ok: false, reason: `a case has more than ${caseBranchesMax} branches` }
  }
  for (const branch of branches) {
    if (branch.if !== null) {
      const condition = evaluateAt(branch.if, root, depth + 1)
      if (!condition.ok) return condition
      if (!isTruthy(condition.value)) continue
    }
    if (branch.value.kind === 'literal') return { ok: true, value: branch.value.value }
    return evaluateAt(branch.value.expr, root, depth + 1)
  }
  return { ok: true, value: null }
}

function variablesOf(root: Json): JsonObject {
  return asObject(root) ?? emptyRecord<Json>()
}

function parseAt(expr: Expr, depth: number): ParsedExpr {
  switch (expr.language) {
    case 'jmespath':
      return parseJmespath(expr.text)
    case 'cel':
      return parseCel(expr.text)
    case 'case':
      return parseCase(expr.branches, depth)
    default:
      return assertNever(expr)
  }
}

function parseCase(branches: readonly CaseBranch[], depth: number): ParsedExpr {
  if (depth > nestingMax) {
    return { ok: false, reason: `cases are nested more than ${nestingMax} levels deep`, offset: 0 }
  }
  if (branches.length > caseBranchesMax) {
    return { ok: false, reason: `a case has more than ${caseBranchesMax} branches`, offset: 0 }
  }
  const reads: string[][] = []
  const bareLiterals: string[] = []
  for (const part of branches.flatMap(partsOf)) {
    const parsed = parseAt(part, depth + 1)
    if (!parsed.ok) return parsed
    reads.push(...parsed.reads)
    bareLiterals.push(...parsed.bareLiterals)
  }
  return { ok: true, reads, bareLiterals: [...new Set(bareLiterals)] }
}

function partsOf(branch: CaseBranch): readonly Expr[] {
  const condition = branch.if === null ? [] : [branch.if]
  return branch.value.kind === 'expr' ? [...condition, branch.value.expr] : condition
}
