import { expect, test } from 'vitest'
import { build, foundIn, placesIn, type Way } from './check-builder.contract.ts'
import { detourRegionOf } from './detour-region.ts'
import type { Machine, Op } from './machine.ts'

const passed = [['tests', 'eq', 'pass']] as const

/** Work that ends with a way of its second stage. */
function ending(ship: Way, parts: Partial<Machine> = {}): Machine {
  const z = { final: 'completed' } as const
  const failed = { final: 'failed' } as const
  return build(
    { a: { on: { TESTED: 'b' } }, b: { on: { SHIP: ship, NO: 'failed' } }, z, failed },
    parts,
  )
}

test('a guard that rests on the word of the agent is remarked on, at its definition', () => {
  const found = foundIn(ending({ to: 'z', guards: passed }), 'GUARD_SELF_REPORTED')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/guards/tests-eq' }])
  expect(found[0]?.message).toContain('`tests`')
})

test('a guard that is used twice is remarked on once', () => {
  const way = { to: 'z', guards: passed }
  const machine = build({ a: { on: { ON: 'b' } }, b: { on: { X: way, Y: way } }, z: 'final' })
  expect(placesIn(machine, 'GUARD_SELF_REPORTED')).toHaveLength(1)
})

test('no remark where a person approves, or where a false claim only fails', () => {
  const gated = ending({ to: 'z', guards: passed, hasGate: true })
  const failing = ending({ to: 'failed', guards: passed })
  expect(placesIn(gated, 'GUARD_SELF_REPORTED')).toEqual([])
  expect(placesIn(failing, 'GUARD_SELF_REPORTED')).toEqual([])
})

test('no remark where the value of the author passes by itself', () => {
  const way = { to: 'z', guards: passed }
  expect(placesIn(ending(way, { vars: { tests: 'pass' } }), 'GUARD_SELF_REPORTED')).toEqual([])
  expect(placesIn(ending(way, { vars: { tests: null } }), 'GUARD_SELF_REPORTED')).toHaveLength(1)
  const absent = { to: 'z', guards: [['broken', 'not_exists']] } as const
  expect(placesIn(ending(absent), 'GUARD_SELF_REPORTED')).toEqual([])
})

test('no remark where an op of the author writes the field', () => {
  const set: Op = {
    ...{ kind: 'set', path: ['vars', 'tests'], value: { kind: 'literal', value: 'pass' } },
    ...{ if: null, origin: '' },
  }
  const machine = ending({ to: 'z', guards: passed }, { start: [set] })
  expect(placesIn(machine, 'GUARD_SELF_REPORTED')).toEqual([])
})

test('a guard on the first event cannot see what that event carries', () => {
  const machine = build({ a: { on: { GO: { to: 'z', guards: passed } } }, z: 'final' })
  const found = foundIn(machine, 'GUARD_UNSATISFIABLE')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/states/a/on/GO' }])
  expect(found[0]?.message).toContain('after the move')
  expect(placesIn(machine, 'GUARD_SELF_REPORTED')).toEqual([])
})

test('a guard on the first event is sound where the value is given', () => {
  const stages = { a: { on: { GO: { to: 'z', guards: passed } } }, z: 'final' } as const
  expect(placesIn(build(stages, { vars: { tests: 'pass' } }), 'GUARD_UNSATISFIABLE')).toEqual([])
  expect(placesIn(build(stages, { vars: { tests: null } }), 'GUARD_UNSATISFIABLE')).toHaveLength(1)
})

test('a guard on the first stage is sound where the run can come back to it', () => {
  const ship = { to: 'z', guards: passed }
  const noting = build({ a: { on: { NOTE: 'a', GO: ship } }, z: 'final' })
  const back = build({ a: { on: { GO: ship, ON: 'b' } }, b: { on: { BACK: 'a' } }, z: 'final' })
  const stages = { a: { on: { GO: ship } }, h: { on: { B: '$return' } }, z: 'final' } as const
  const plain = build(stages)
  const handler = detourRegionOf(plain.stages, 'h')
  const detour = { name: 'd', pattern: '*', target: 'h', handler, origin: '' }
  for (const machine of [noting, back, { ...plain, detours: [detour] }]) {
    expect(placesIn(machine, 'GUARD_UNSATISFIABLE')).toEqual([])
    expect(placesIn(machine, 'GUARD_SELF_REPORTED')).toHaveLength(1)
  }
})

test('a guard on a later stage has no such trouble', () => {
  expect(placesIn(ending({ to: 'z', guards: passed }), 'GUARD_UNSATISFIABLE')).toEqual([])
})
