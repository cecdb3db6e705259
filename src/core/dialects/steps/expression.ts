/**
 * Every accepted spelling of an expression, read into one form and checked once.
 */

import { parseExpr } from '../../expr/evaluate.ts'
import type { CaseBranch, Expr } from '../../expr/expression-types.ts'
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { Json } from '../../json.ts'
import type { ExpressionDefinition } from './schema.ts'

/** The expression written at `at`; what is wrong with it goes to `findings`. */
export function compileExpression(
  written: ExpressionDefinition,
  at: string,
  findings: Finding[],
): Expr {
  const expr = readExpression(written, at, findings)
  if (expr.language !== 'case') findings.push(...checkExpression(expr))
  return expr
}

/** The same, where an expression may be left out. */
export function compileCondition(
  written: ExpressionDefinition | undefined,
  at: string,
  findings: Finding[],
): Expr | null {
  return written === undefined ? null : compileExpression(written, at, findings)
}

function readExpression(written: ExpressionDefinition, at: string, findings: Finding[]): Expr {
  if (typeof written === 'string') return { language: 'jmespath', text: written, origin: at }
  if ('case' in written) {
    const branches = written.case.map((branch, index) =>
      readBranch(branch, joinPointer(at, 'case', index), findings),
    )
    return { language: 'case', branches, origin: at }
  }
  const language = written.type === 'cel' ? 'cel' : 'jmespath'
  return { language, text: written.expression, origin: joinPointer(at, 'expression') }
}

type BranchDefinition = Extract<ExpressionDefinition, { case: unknown }>['case'][number]

function readBranch(branch: BranchDefinition, at: string, findings: Finding[]): CaseBranch {
  const condition = compileCondition(branch.if, joinPointer(at, 'if'), findings)
  const from = branch.valueFrom ?? branch.value_from
  if (from === undefined) {
    return { if: condition, value: { kind: 'literal', value: (branch.value ?? null) as Json } }
  }
  const key = branch.valueFrom === undefined ? 'value_from' : 'valueFrom'
  const expr = compileExpression(from, joinPointer(at, key), findings)
  return { if: condition, value: { kind: 'expr', expr } }
}

function checkExpression(expr: Expr): Finding[] {
  const parsed = parseExpr(expr)
  if (!parsed.ok) {
    return [
      finding('EXPRESSION_INVALID', expr.origin, {
        message: `this expression cannot be parsed: ${parsed.reason}`,
        hint:
          expr.language === 'cel'
            ? 'this is parsed as CEL because of its `type`'
            : 'in JMESPath, numbers and booleans go in backticks and strings in single quotes',
      }),
    ]
  }
  return parsed.bareLiterals.map((literal) =>
    finding('BARE_LITERAL', expr.origin, {
      message: `\`${literal}\` without backticks is the name of a field, not a value`,
      hint: `put backticks around it to mean the value: \`${literal}\``,
    }),
  )
}
