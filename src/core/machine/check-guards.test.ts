import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { build, foundIn, guard, placesIn } from './check-builder.contract.ts'
import type { CompareOp, Guard, Machine } from './machine.ts'

type Text = readonly [string, CompareOp, Json?]

/** Two stages; the way out of the second one has these guards. */
function guarded(...guards: readonly (Text | Guard)[]): Machine {
  return build({ a: { on: { ON: 'b' } }, b: { on: { GO: [{ to: 'z', guards }] } }, z: 'final' })
}

test('ordering against what is no number can never hold', () => {
  for (const value of ['80', null, true, [1]]) {
    expect(placesIn(guarded(['x', 'gt', value]), 'GUARD_UNSATISFIABLE')).toEqual(['/guards/x-gt'])
  }
  expect(placesIn(guarded(['x', 'gt', 80]), 'GUARD_UNSATISFIABLE')).toEqual([])
})

test('an empty list lets nothing pass', () => {
  expect(placesIn(guarded(['x', 'in', []]), 'GUARD_UNSATISFIABLE')).toEqual(['/guards/x-in'])
  expect(placesIn(guarded(['x', 'in', ['p']]), 'GUARD_UNSATISFIABLE')).toEqual([])
})

test('a guard that is used often is reported once, at its definition', () => {
  const guards = [['x', 'lt', 'low']] as const
  const machine = build({
    a: { on: { A: { to: 'z', guards }, B: { to: 'z', guards } } },
    z: 'final',
  })
  expect(placesIn(machine, 'GUARD_UNSATISFIABLE')).toEqual(['/guards/x-lt'])
})

const clashes: readonly (readonly Text[])[] = [
  [
    ['x', 'eq', 'a'],
    ['x', 'eq', 'b'],
  ],
  [
    ['x', 'exists'],
    ['x', 'not_exists'],
  ],
  [
    ['x', 'gt', 5],
    ['x', 'lt', 3],
  ],
  [
    ['x', 'gt', 5],
    ['x', 'lte', 5],
  ],
  [
    ['x', 'eq', 4],
    ['x', 'gte', 5],
  ],
  [
    ['x', 'eq', 'a'],
    ['x', 'neq', 'a'],
  ],
  [
    ['x', 'in', ['a', 'b']],
    ['x', 'in', ['c']],
  ],
  [
    ['x', 'in', ['a', 'b']],
    ['x', 'eq', 'c'],
  ],
  [
    ['x', 'not_exists'],
    ['x', 'gt', 1],
  ],
  [
    ['x', 'contains', 'a'],
    ['x', 'gt', 1],
  ],
  [
    ['x', 'eq', 'abc'],
    ['x', 'contains', 'z'],
  ],
]
test.each(clashes)('%j and %j on one route can never hold together', (...guards) => {
  expect(placesIn(guarded(...guards), 'GUARD_UNSATISFIABLE')).toEqual(['/states/b/on/GO/0'])
})

const matches: readonly (readonly Text[])[] = [
  [
    ['x', 'eq', 'a'],
    ['y', 'eq', 'b'],
  ],
  [
    ['x', 'gte', 5],
    ['x', 'lte', 5],
  ],
  [
    ['x', 'gt', 5],
    ['x', 'lt', 6],
  ],
  [
    ['x', 'neq', 'a'],
    ['x', 'neq', 'b'],
  ],
  [
    ['x', 'in', ['a', 'b']],
    ['x', 'in', ['b', 'c']],
  ],
  [
    ['x', 'exists'],
    ['x', 'eq', 'a'],
  ],
  [
    ['x', 'not_exists'],
    ['x', 'eq', null],
  ],
  [
    ['x', 'eq', ['a', 'b']],
    ['x', 'contains', 'b'],
  ],
]
test.each(matches)('%j and %j on one route may hold together', (...guards) => {
  expect(placesIn(guarded(...guards), 'GUARD_UNSATISFIABLE')).toEqual([])
})

test('a value has one source, so that two of them are never met', () => {
  const base = guard(['x', 'eq', 1]) as Extract<Guard, { kind: 'compare' }>
  const machine = guarded({ ...base, source: 'given' }, { ...base, source: 'claimed' })
  expect(placesIn(machine, 'GUARD_UNSATISFIABLE')).toEqual(['/states/b/on/GO/0'])
})

test('what Pawl sees of a job can be required anywhere', () => {
  const base = guard(['job_exit_code', 'eq', 0]) as Extract<Guard, { kind: 'compare' }>
  expect(foundIn(guarded({ ...base, source: 'observed' }), 'GUARD_UNSATISFIABLE')).toEqual([])
})

test('evidence that nothing observes never comes', () => {
  const base = guard(['tests', 'eq', 'pass']) as Extract<Guard, { kind: 'compare' }>
  const machine = guarded({ ...base, source: 'observed' })
  const [found] = foundIn(machine, 'GUARD_UNSATISFIABLE')
  expect(found?.pointer).toBe('/guards/tests-eq')
  expect(found?.message).toContain('`tests`')
  const from = { language: 'jmespath', text: 'exit', origin: '' } as const
  const saves = [{ from, to: ['vars', 'tests'] as const }]
  const call = { kind: 'call', tool: 'Bash', arguments: {}, saves, if: null, origin: '' } as const
  const seen = { ...machine, start: [call] }
  expect(placesIn(seen, 'GUARD_UNSATISFIABLE')).toEqual([])
})

test('a way behind one without a condition is never taken', () => {
  const guards = [['x', 'exists']] as const
  const machine = build({
    a: { on: { GO: [{ to: 'z', guards }, 'z', 'y', { to: 'y', guards: [['w', 'exists']] }] } },
    y: 'final',
    z: 'final',
  })
  expect(placesIn(machine, 'ROUTE_SHADOWED')).toEqual(['/states/a/on/GO/2', '/states/a/on/GO/3'])
})

test('a way that asks for more than an earlier one is never taken', () => {
  const one = ['x', 'exists'] as const
  const two = ['w', 'eq', 1] as const
  const shadowed = build({
    a: {
      on: {
        GO: [
          { to: 'z', guards: [one] },
          { to: 'y', guards: [one, two] },
        ],
      },
    },
    ...{ y: 'final', z: 'final' },
  })
  const ordered = build({
    a: {
      on: {
        GO: [
          { to: 'y', guards: [one, two] },
          { to: 'z', guards: [one] },
        ],
      },
    },
    ...{ y: 'final', z: 'final' },
  })
  expect(placesIn(shadowed, 'ROUTE_SHADOWED')).toEqual(['/states/a/on/GO/1'])
  expect(placesIn(ordered, 'ROUTE_SHADOWED')).toEqual([])
})

test('expressions are the same condition when their text is', () => {
  const cel = (text: string): Guard => {
    return { kind: 'expr', expr: { language: 'cel', text, origin: '' }, origin: '' }
  }
  const ways = (first: string, second: string) => {
    const list = [
      { to: 'z', guards: [cel(first)] },
      { to: 'y', guards: [cel(second)] },
    ]
    return build({ a: { on: { GO: list } }, y: 'final', z: 'final' })
  }
  expect(placesIn(ways('n > 3', 'n > 3'), 'ROUTE_SHADOWED')).toEqual(['/states/a/on/GO/1'])
  expect(placesIn(ways('n > 3', 'n > 2'), 'ROUTE_SHADOWED')).toEqual([])
})
