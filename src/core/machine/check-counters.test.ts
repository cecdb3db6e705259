import { expect, test } from 'vitest'
import { build, foundIn, placesIn } from './check-builder.contract.ts'
import type { Guard, Op, OpValue, ScopePath } from './machine.ts'

const n: ScopePath = ['local', 'n']
const zero: OpValue = { kind: 'literal', value: 0 }

function expr(text: string) {
  return { language: 'jmespath', text, origin: '' } as const
}
function set(path: ScopePath, value: OpValue = zero): Op {
  return { kind: 'set', path, value, if: null, origin: '/enter/0' }
}
function inc(path: ScopePath): Op {
  return { kind: 'inc', path, by: 1, if: null, origin: '/submit/0' }
}
function reads(text: string): Guard {
  return { kind: 'expr', expr: expr(text), origin: '' }
}
const enough = { to: 'z', guards: [reads('local.n >= `3`')] }

test('a counter that starts again in every round is a warning at the op that resets it', () => {
  const a = { enter: [set(n)], commit: [inc(n)], on: { SUBMIT: [enough, 'a'] } }
  const found = foundIn(build({ a, z: 'final' }, { dialect: 'steps' }), 'COUNTER_RESET_IN_LOOP')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/enter/0' }])
  expect(found[0]?.message).toContain('`local.n`')
})

test('a counter that is reset at another stage of its only loop is found too', () => {
  const a = { enter: [set(n)], on: { SUBMIT: 'b' } }
  const b = { commit: [inc(n)], on: { SUBMIT: [enough, 'a'] } }
  expect(placesIn(build({ a, b, z: 'final' }), 'COUNTER_RESET_IN_LOOP')).toEqual(['/enter/0'])
})

test('a counter of an inner loop may start again in every outer round', () => {
  const a = { enter: [set(n)], on: { SUBMIT: 'b' } }
  const again = { to: 'b', guards: [reads('local.n < `3`')] }
  const b = { commit: [inc(n)], on: { SUBMIT: [again, 'a'] } }
  expect(placesIn(build({ a, b, z: 'final' }), 'COUNTER_RESET_IN_LOOP')).toEqual([])
})

test('no warning without a loop, a count or a condition that reads it', () => {
  const enter = [set(n)]
  const commit = [inc(n)]
  const noLoop = build({ a: { enter, commit, on: { SUBMIT: [enough, 'z'] } }, z: 'final' })
  const noCount = build({ a: { enter, on: { SUBMIT: [enough, 'a'] } }, z: 'final' })
  const other = { to: 'z', guards: [reads('local.nn >= `3` || local.an')] }
  const noReader = build({ a: { enter, commit, on: { SUBMIT: [other, 'a'] } }, z: 'final' })
  const before = build(
    { a: { commit, on: { SUBMIT: [enough, 'a'] } }, z: 'final' },
    { start: enter },
  )
  for (const machine of [noLoop, noCount, noReader, before]) {
    expect(placesIn(machine, 'COUNTER_RESET_IN_LOOP')).toEqual([])
  }
})

test('no warning where the set has a condition, or builds on its own value', () => {
  const on = { SUBMIT: [enough, 'a'] }
  const once: Op = { ...set(n), if: expr('!local.n') }
  const grown = set(n, { kind: 'expr', expr: expr('local.n') })
  for (const op of [once, grown]) {
    const machine = build({ a: { enter: [op], commit: [inc(n)], on }, z: 'final' })
    expect(placesIn(machine, 'COUNTER_RESET_IN_LOOP')).toEqual([])
  }
})

test('a condition inside a case counts as one that reads', () => {
  const branches = [
    { if: expr('local.n >= `3`'), value: { kind: 'literal', value: true } as const },
  ]
  const guard: Guard = {
    kind: 'expr',
    expr: { language: 'case', branches, origin: '' },
    origin: '',
  }
  const a = {
    enter: [set(n)],
    commit: [inc(n)],
    on: { SUBMIT: [{ to: 'z', guards: [guard] }, 'a'] },
  }
  expect(placesIn(build({ a, z: 'final' }), 'COUNTER_RESET_IN_LOOP')).toEqual(['/enter/0'])
})
