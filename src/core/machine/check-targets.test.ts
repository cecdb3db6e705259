import { expect, test } from 'vitest'
import { build, fork, foundIn, invoke, placesIn } from './check-builder.contract.ts'
import { detourRegionOf } from './detour-region.ts'
import type { Machine } from './machine.ts'

const detour = { name: 'd', pattern: '*.sql', handler: [], origin: '/interrupts/d' }

function withDetour(machine: Machine, target: string): Machine {
  return {
    ...machine,
    detours: [{ ...detour, target, handler: detourRegionOf(machine.stages, target) }],
  }
}

test('a beginning that does not exist is an error that names the nearest stage', () => {
  const machine = build({ planning: { on: { GO: 'z' } }, z: 'final' }, { initial: 'Plannning' })
  const [found] = foundIn(machine, 'INITIAL_UNKNOWN')
  expect(found).toMatchObject({ severity: 'error', pointer: '/initial' })
  expect(found?.message).toContain('`Plannning`')
  expect(found?.hint).toBe('did you mean `planning`?')
})

test('a beginning whose shape was refused already is not remarked on again', () => {
  const machine = build({ a: { on: { GO: 'z' } }, z: 'final' }, { initial: '' })
  expect(placesIn(machine, 'INITIAL_UNKNOWN')).toEqual([])
  expect(placesIn(machine, 'STAGE_UNREACHABLE')).toEqual([])
})

test('an inherited name is no stage', () => {
  const machine = build({ a: { on: { GO: 'constructor' } }, z: 'final' }, { initial: 'toString' })
  expect(placesIn(machine, 'INITIAL_UNKNOWN')).toEqual(['/initial'])
  expect(placesIn(machine, 'TARGET_UNKNOWN')).toEqual(['/states/a/on/GO/target'])
})

test('an unknown target is found in every branch of a list, and in a fallback', () => {
  const machine = build({
    a: { fallback: 'gone', on: { GO: [{ to: 'z', guards: [['x', 'exists']] }, 'ghost'] } },
    z: 'final',
  })
  expect(placesIn(machine, 'TARGET_UNKNOWN')).toEqual([
    '/states/a/on/GO/1/target',
    '/states/a/safe_next',
  ])
})

test('an unknown target is found in forks, invocations and detours', () => {
  const machine = withDetour(
    build({
      a: {
        on: {
          SPLIT: fork({ one: ['g1', 'g2'] }, 'g3', 'g4'),
          CALL: invoke('k', 'g5', 'g6'),
        },
      },
      z: 'final',
    }),
    'g7',
  )
  const found = foundIn(machine, 'TARGET_UNKNOWN')
  const names = found.map((one) => /`(g\d)`/.exec(one.message)?.[1])
  expect([...names].sort()).toEqual(['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7'])
  const places = new Set(found.map((one) => one.pointer))
  expect(places).toContain('/branches/one')
  expect(places).toContain('/interrupts/d')
  expect(places).toContain('/states/a/on/CALL/target')
})

test('targets that exist are not remarked on', () => {
  const machine = build({
    a: { fallback: 'z', on: { SPLIT: fork({ one: ['p', 'q'] }, 'z', 'z'), END: '$end' } },
    p: { on: { OK: 'q' } },
    q: 'final',
    z: 'final',
  })
  expect(placesIn(machine, 'TARGET_UNKNOWN')).toEqual([])
  expect(placesIn(machine, 'FORK_INVALID')).toEqual([])
  expect(placesIn(machine, 'FORK_INVALID')).toEqual([])
})

test('an unknown name that is near none lists what there is', () => {
  const machine = build({ a: { on: { GO: 'elsewhere' } }, z: 'final' })
  expect(foundIn(machine, 'TARGET_UNKNOWN')[0]?.hint).toContain('`a` and `z`')
})

test('a fork without branches is an error', () => {
  const machine = build({ a: { on: { GO: fork({}, 'z') } }, z: 'final' })
  expect(placesIn(machine, 'FORK_INVALID')).toEqual(['/states/a/on/GO/target'])
})

test('a branch must end at a final stage', () => {
  const machine = build({
    a: { on: { GO: fork({ one: ['p', 'q'] }, 'z') } },
    p: { on: { N: 'q' } },
    q: { on: { N: 'z' } },
    z: 'final',
  })
  expect(placesIn(machine, 'FORK_INVALID')).toEqual(['/branches/one'])
})

test('a branch that begins in a final stage other than its end is an error', () => {
  const stages = { p: { on: { N: 'q' } }, q: 'final', other: 'final', z: 'final' } as const
  const over = build({ a: { on: { GO: fork({ one: ['other', 'q'] }, 'z') } }, ...stages })
  const done = build({ a: { on: { GO: fork({ one: ['q', 'q'] }, 'z') } }, ...stages })
  expect(placesIn(over, 'FORK_INVALID')).toEqual(['/branches/one'])
  expect(placesIn(done, 'FORK_INVALID')).toEqual([])
})

test('branches that share their end are sound, branches that share their name are not', () => {
  const shared = fork({ one: ['p', 'q'], two: ['p', 'q'] }, 'z')
  const stages = { p: { on: { N: 'q' } }, q: 'final', z: 'final' } as const
  expect(placesIn(build({ a: { on: { GO: shared } }, ...stages }), 'FORK_INVALID')).toEqual([])
  const branch = { name: 'one', initial: 'p', terminal: 'q', origin: '/branches/one' }
  const branches = [branch, { ...branch, origin: '/branches/1' }]
  const move = { kind: 'fork', branches, join: 'all', onComplete: 'z', onFail: null } as const
  const twins = build({ a: { on: { GO: { move } } }, ...stages })
  expect(placesIn(twins, 'FORK_INVALID')).toEqual(['/branches/1'])
})

test('a branch that cannot come to its end is an error', () => {
  const stages = { p: { on: { N: 'z' } }, q: 'final', z: 'final' } as const
  const machine = build({ a: { on: { GO: fork({ one: ['p', 'q'] }, 'z') } }, ...stages })
  expect(foundIn(machine, 'FORK_INVALID')).toMatchObject([
    { severity: 'error', pointer: '/branches/one' },
  ])
})

test('a branch may come to its end by a detour', () => {
  const machine = build({
    a: { on: { GO: fork({ one: ['p', 'q'] }, 'z') } },
    p: { on: { N: 'p' } },
    h: { on: { OVER: 'q' } },
    q: 'final',
    z: 'final',
  })
  expect(placesIn(machine, 'FORK_INVALID')).toEqual(['/branches/one'])
  expect(placesIn(withDetour(machine, 'h'), 'FORK_INVALID')).toEqual([])
})

test('a return where no detour leads is an error', () => {
  const machine = build({ a: { on: { GO: '$return', X: 'z' } }, z: 'final' })
  expect(foundIn(machine, 'RETURN_OUTSIDE_DETOUR')).toMatchObject([
    { severity: 'error', pointer: '/states/a/on/GO/target' },
  ])
})

test('a return in a handler, or behind it, is sound', () => {
  const stages = { a: { on: { X: 'z' } }, h: { on: { N: 'h2' } }, z: 'final' } as const
  const machine = build({ ...stages, h2: { on: { BACK: '$return' } } })
  expect(placesIn(withDetour(machine, 'h'), 'RETURN_OUTSIDE_DETOUR')).toEqual([])
  expect(placesIn(withDetour(machine, 'a'), 'RETURN_OUTSIDE_DETOUR')).toEqual([
    '/states/h2/on/BACK/target',
  ])
})

test('a return is not blamed where the target of a detour is unknown', () => {
  const machine = build({ a: { on: { X: 'z' } }, h: { on: { B: '$return' } }, z: 'final' })
  expect(placesIn(withDetour(machine, 'elsewhere'), 'RETURN_OUTSIDE_DETOUR')).toEqual([])
})
