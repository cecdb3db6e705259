import { expect, test } from 'vitest'
import { linkMachine } from './check.ts'
import { build, invoke } from './check-builder.contract.ts'
import type { Machine } from './machine.ts'

/** A machine that invokes others, one event each. */
function invoking(name: string, ...others: readonly string[]): Machine {
  const on = Object.fromEntries(others.map((one) => [one, invoke(one, 'z')]))
  return build({ a: { on: { ...on, GO: 'z' } }, z: 'final' }, { name })
}

function link(machine: Machine, ...library: readonly Machine[]) {
  const known = (name: string) => library.find((one) => one.name === name)
  const names = library.map((one) => one.name)
  return linkMachine(machine, known, names)
}

test('an invoked machine that nobody knows is an error that names the nearest', () => {
  const found = link(invoking('w', 'test-suit'), invoking('test-suite'))
  expect(found).toMatchObject([
    { code: 'INVOKE_UNKNOWN', severity: 'error', pointer: '/states/a/on/test-suit/target' },
  ])
  expect(found[0]?.hint).toBe('did you mean `test-suite`?')
})

test('known machines are not remarked on, also when two share a third', () => {
  const library = [invoking('x', 'k'), invoking('y', 'k'), invoking('k')]
  expect(link(invoking('w', 'x', 'y', 'k'), ...library)).toEqual([])
  expect(link(invoking('w'))).toEqual([])
})

test('a machine that invokes itself is a circle', () => {
  expect(link(invoking('w', 'w'))).toMatchObject([{ code: 'INVOKE_CYCLE' }])
})

test('a circle of two is found and told as a way', () => {
  const found = link(invoking('x1', 'x2'), invoking('x2', 'x1'))
  expect(found).toMatchObject([{ code: 'INVOKE_CYCLE', pointer: '/states/a/on/x2/target' }])
  expect(found[0]?.message).toContain('`x2` → `x1` → `x2`')
})

test('a circle further down is found where this machine leads to it', () => {
  const library = [invoking('x', 'y'), invoking('y', 'k'), invoking('k', 'y'), invoking('ok')]
  expect(link(invoking('w', 'x', 'ok'), ...library)).toMatchObject([
    { code: 'INVOKE_CYCLE', pointer: '/states/a/on/x/target' },
  ])
})

test('a circle of thousands of machines is found without overflow', () => {
  const library = Array.from({ length: 5000 }, (_, i) => invoking(`m${i}`, `m${i + 1}`))
  const byName = new Map(library.map((one) => [one.name, one]))
  const open = linkMachine(invoking('w', 'm0'), (name) => byName.get(name))
  expect(open).toMatchObject([{ code: 'INVOKE_UNKNOWN' }])
  expect(open[0]?.message).toContain('`m5000`')
  byName.set('m5000', invoking('m5000', 'w'))
  expect(linkMachine(invoking('w', 'm0'), (name) => byName.get(name))).toMatchObject([
    { code: 'INVOKE_CYCLE' },
  ])
})

test('what an invoked machine needs must be there as well', () => {
  const found = link(invoking('w', 'x'), invoking('x', 'ghost'))
  expect(found).toMatchObject([{ code: 'INVOKE_UNKNOWN', pointer: '/states/a/on/x/target' }])
  expect(found[0]?.message).toContain('`ghost`')
})

test('an inherited name is no definition', () => {
  expect(link(invoking('w', 'constructor'))).toMatchObject([{ code: 'INVOKE_UNKNOWN' }])
})
