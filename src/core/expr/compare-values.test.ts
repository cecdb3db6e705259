import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { type CompareOp, compareOps } from '../machine/machine.ts'
import { compare } from './compare-values.ts'

test('every operator but not_exists fails on a missing field', () => {
  const values: Json[] = [null, 1, 'a', [null], {}]
  for (const op of compareOps) {
    for (const value of values) expect(compare(op, undefined, value)).toBe(op === 'not_exists')
  }
})

test('null does not exist, everything else does', () => {
  expect(compare('exists', null, null)).toBe(false)
  expect(compare('not_exists', null, null)).toBe(true)
  for (const value of [0, false, '', [], {}]) {
    expect(compare('exists', value, null)).toBe(true)
    expect(compare('not_exists', value, null)).toBe(false)
  }
})

test.each<[CompareOp, Json, Json, boolean]>([
  ['eq', 'pass', 'pass', true],
  ['eq', 'Pass', 'pass', false],
  ['eq', '1', 1, false],
  ['eq', true, 1, false],
  ['eq', null, null, true],
  ['eq', [1, 'a'], [1, 'a'], true],
  ['eq', ['a', 1], [1, 'a'], false],
  ['eq', { b: [2], a: 1 }, { a: 1, b: [2] }, true],
  ['eq', { a: 1, b: [2], c: 3 }, { a: 1, b: [2] }, false],
  ['neq', 'pass', 'fail', true],
  ['neq', null, 'fail', true],
  ['neq', 'fail', 'fail', false],
  ['gt', 10, 10, false],
  ['gt', 10.01, 10, true],
  ['gte', 10, 10, true],
  ['gte', '92', 10, false],
  ['lt', -3, 10, true],
  ['lt', null, 10, false],
  ['lt', false, 10, false],
  ['lte', 10, 10, true],
  ['lte', 11, 10, false],
  ['gt', 'b', 'a', false],
  ['in', 'us', ['eu', 'us'], true],
  ['in', '3', [3], false],
  ['in', null, [null], true],
  ['in', 'a', 'abc', false],
  ['contains', 'all ok here', 'ok', true],
  ['contains', 'OK', 'ok', false],
  ['contains', '4', 4, false],
  ['contains', ['no', 'ok'], 'ok', true],
  ['contains', ['okay'], 'ok', false],
  ['contains', [3, 4], 4, true],
  ['contains', { ok: 1 }, 'ok', false],
])('%s of %j and %j is %j', (...[op, actual, value, expected]) => {
  expect(compare(op, actual, value)).toBe(expected)
})

test('the cases of the specification agree', () => {
  const cases = operatorCases()
  for (const { id, op, actual, value, holds } of cases) {
    expect(`${id}: ${compare(op, actual, value)}`).toBe(`${id}: ${holds}`)
  }
  expect(cases.length).toBeGreaterThan(40)
})

type OperatorCase = {
  readonly id: string
  readonly op: CompareOp
  readonly actual: Json | undefined
  readonly value: Json
  readonly holds: boolean
}

/** The operator cases, each as one comparison: they all have one guarded route per operator. */
function operatorCases(): readonly OperatorCase[] {
  const url = new URL('../../../cases/workflow-operators.json', import.meta.url)
  const raw: RawCase[] = JSON.parse(readFileSync(url, 'utf8'))
  return raw.flatMap((one) => {
    const [step] = one.steps
    const guardName = one.definition.states.at?.on[step?.signal ?? '']?.guard
    const guard = guardName === undefined ? undefined : one.definition.guards[guardName]
    if (one.steps.length !== 1 || guard === undefined || guard.field !== 'v') return []
    const actual = one.start?.vars?.v
    const holds = step?.expect.stage === 'yes'
    return [{ id: one.id, op: guard.op, actual, value: guard.value ?? null, holds }]
  })
}

type RawCase = {
  readonly id: string
  readonly definition: {
    readonly guards: { readonly [name: string]: { field: string; op: CompareOp; value?: Json } }
    readonly states: {
      readonly at?: { readonly on: { readonly [signal: string]: { readonly guard?: string } } }
    }
  }
  readonly start?: { readonly vars?: { readonly v?: Json } }
  readonly steps: readonly { readonly signal?: string; readonly expect: { stage?: string } }[]
}
