/** A comparison written as an expression holds for the same values, and never faults. */
import { expect, test } from 'vitest'
import { compare } from '../../expr/compare-values.ts'
import { evaluate, isTruthy } from '../../expr/evaluate.ts'
import type { Json } from '../../json.ts'
import { compareOps } from '../../machine/machine.ts'
import { allOf, noneOf, printComparison } from './print-guards.ts'

const values: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -2.5,
  '',
  'a',
  "it's",
  'back`tick \\ "quoted"',
  'line\nend',
  [],
  ['a', 1, null],
  [[1], { a: 1 }],
  {},
  { a: 1 },
  { a: [1] },
]
const fields = ['score', 'is-new', 'a.b', 'with "quotes"', 'ünï', 'vars']

function outcome(text: string, vars: { readonly [key: string]: Json }): boolean | string {
  const expr = { language: 'jmespath', text, origin: '' } as const
  const result = evaluate(expr, { vars, local: {}, inputs: {} })
  return result.ok ? isTruthy(result.value) : result.reason
}

test('every operator holds for the same values, missing ones too', () => {
  for (const op of compareOps) {
    for (const value of values) {
      const text = printComparison({ field: 'score', op, value })
      const words = `${op} ${JSON.stringify(value)}: ${text}`
      expect(outcome(text, {}), words).toBe(compare(op, undefined, value))
      for (const actual of values) {
        const wanted = compare(op, actual, value)
        expect(outcome(text, { score: actual }), `${words} of ${JSON.stringify(actual)}`).toBe(
          wanted,
        )
        expect(outcome(noneOf(text), { score: actual }), `not ${words}`).toBe(!wanted)
      }
    }
  }
})

test('a field of any name is one key, never a path', () => {
  for (const field of fields) {
    const text = printComparison({ field, op: 'neq', value: 1 })
    expect(outcome(text, { [field]: 2 }), field).toBe(true)
    expect(outcome(text, { [field]: 1 }), field).toBe(false)
    expect(outcome(text, { a: { b: 2 } }), field).toBe(false)
  }
})

test('joined conditions hold when all of them do', () => {
  const either = printComparison({ field: 'a', op: 'contains', value: 'x' })
  const exists = printComparison({ field: 'b', op: 'exists', value: null })
  expect(outcome(allOf([exists, either]), { a: 'xy' })).toBe(false)
  expect(outcome(allOf([exists, either]), { a: ['x'], b: 1 })).toBe(true)
  expect(outcome(allOf([either, exists]), { a: 1, b: 1 })).toBe(false)
})
