/**
 * CONDITION_NEVER_HOLDS: conditions and computed values of which a part can never work.
 * Knows who writes what, and the types of fields. What an expression makes of it, `expr` knows.
 */
import { doubtExpr } from '../expr/evaluate.ts'
import type { CaseBranch, Expr } from '../expr/expression-types.ts'
import type { KnowPath } from '../expr/jmespath-type-mismatches.ts'
import {
  alwaysNull,
  anyValue,
  canHold,
  type KnownValue,
  oneOfValues,
  type ValueKind,
  valueOfKinds,
} from '../expr/possible-values.ts'
import { type Finding, finding } from '../finding.ts'
import type { CheckContext } from './check-context.ts'
import type { Field, Op, Stage } from './machine.ts'
import { opsAt, opsOf } from './variable-writers.ts'

/** An expression where it is used. */
type ExprUse = { readonly expr: Expr; readonly use: 'condition' | 'value'; readonly know: KnowPath }

/** Remarks on every expression of a machine. */
export function checkConditions({ machine }: CheckContext): readonly Finding[] {
  const locals = writtenIn(opsOf(machine), 'local')
  const uses = [
    ...usesOfOps(machine.start, (path) => known(path, { locals, fields: null })),
    ...Object.values(machine.stages).flatMap((stage) => usesIn(stage, locals)),
  ]
  return uses.flatMap(doubtsOf)
}

/** The names in a scope that ops write. */
function writtenIn(ops: readonly Op[], scope: 'local' | 'inputs'): ReadonlySet<string> {
  const paths = ops.flatMap((op) => {
    if (op.kind === 'set' || op.kind === 'inc') return [op.path]
    return op.kind === 'call' ? op.saves.map(({ to }) => to) : []
  })
  return new Set(paths.flatMap(([first, name]) => (first === scope && name ? [name] : [])))
}

function usesIn(stage: Stage, locals: ReadonlySet<string>): readonly ExprUse[] {
  const written = writtenIn(opsAt(stage), 'inputs')
  return Object.values(stage.signals).flatMap((trigger) => {
    const declared = new Map((trigger.fields ?? []).map((field) => [field.name, field]))
    // Before the check a field may have any type; after it, its own.
    const early = { locals, fields: { declared, written, isChecked: false } }
    const late = { locals, fields: { declared, written, isChecked: true } }
    const know = { early: (p: Path) => known(p, early), late: (p: Path) => known(p, late) }
    const guards = trigger.routes.flatMap(({ guards: all }) => all)
    return [
      ...stage.brief.flatMap((part) => useOf(part.if, 'condition', know.early)),
      ...usesOfOps([...stage.enter, ...trigger.prepare], know.early),
      ...usesOfOps(trigger.commit, know.late),
      ...guards.flatMap((one) =>
        one.kind === 'expr' ? useOf(one.expr, 'condition', know.late) : [],
      ),
    ]
  })
}

function usesOfOps(ops: readonly Op[], know: KnowPath): readonly ExprUse[] {
  return ops.flatMap((op) => {
    const value = op.kind === 'set' || op.kind === 'get' ? op.value : null
    const computed = value?.kind === 'expr' ? value.expr : null
    return [...useOf(op.if, 'condition', know), ...useOf(computed, 'value', know)]
  })
}

function useOf(expr: Expr | null, use: ExprUse['use'], know: KnowPath): readonly ExprUse[] {
  return expr === null ? [] : [{ expr, use, know }]
}

/** How deep cases are looked into. */
const caseDepthMax = 8

function doubtsOf({ expr, use, know }: ExprUse, depth = 0): readonly Finding[] {
  if (expr.language === 'case') {
    if (depth >= caseDepthMax) return []
    const inner = expr.branches.flatMap((branch) => usesInBranch(branch, use, know))
    return inner.flatMap((one) => doubtsOf(one, depth + 1))
  }
  const { doubts, value } = doubtExpr(expr, know)
  const found = doubts.map((words) => finding('CONDITION_NEVER_HOLDS', expr.origin, words))
  if (use === 'value' || found.length > 0 || canHold(value)) return found
  const because = value.because === '' ? 'its value is always null, false or empty' : value.because
  const message = `this condition can never hold: ${because}`
  const hint =
    value.because === ''
      ? 'correct it, or remove what it guards'
      : 'correct the name, or set it before'
  return [finding('CONDITION_NEVER_HOLDS', expr.origin, { message, hint })]
}

function usesInBranch(branch: CaseBranch, use: ExprUse['use'], know: KnowPath): readonly ExprUse[] {
  const value = branch.value.kind === 'expr' ? branch.value.expr : null
  // One branch of a condition may well be the one that never holds.
  const inner = use === 'condition' ? 'value' : use
  return [...useOf(branch.if, 'condition', know), ...useOf(value, inner, know)]
}

// ── what is known about a path ──────────────────────────────────────────────

type Path = readonly string[]
type Knowledge = {
  readonly locals: ReadonlySet<string>
  /** Null: the stage has not begun, and nothing is known about its fields. */
  readonly fields: {
    readonly declared: ReadonlyMap<string, Field>
    readonly written: ReadonlySet<string>
    readonly isChecked: boolean
  } | null
}

function known([scope, name, ...rest]: Path, { locals, fields }: Knowledge): KnownValue {
  if (scope === 'local') {
    if (name === undefined) return valueOfKinds('object')
    return locals.has(name) ? anyValue : alwaysNull(`nothing sets \`local.${name}\``)
  }
  if (scope !== 'inputs' || fields === null) return anyValue
  if (name === undefined) return valueOfKinds('object')
  if (fields.written.has(name)) return anyValue
  const field = fields.declared.get(name)
  if (field === undefined) return alwaysNull(`the step has no input \`${name}\``)
  if (!fields.isChecked) return anyValue
  const value = valueOfField(field)
  if (rest.length === 0) return value
  return value.kinds.has('object') ? anyValue : alwaysNull()
}

function valueOfField({ type, enum: values }: Field): KnownValue {
  if (values !== null && type === 'string') return oneOfValues([...values, null])
  const kind: ValueKind = type === 'integer' ? 'number' : type
  return valueOfKinds(kind, 'null')
}
