import { expect, test } from 'vitest'
import { build, fork, foundIn, placesIn } from './check-builder.contract.ts'
import { detourRegionOf } from './detour-region.ts'
import type { Machine } from './machine.ts'

function withDetour(machine: Machine, target: string): Machine {
  const handler = detourRegionOf(machine.stages, target)
  const detour = { name: 'd', pattern: '*', target, handler, origin: '/interrupts/d' }
  return { ...machine, detours: [detour] }
}

test('a stage that nobody can reach is a warning', () => {
  const machine = build({ a: { on: { GO: 'z' } }, z: 'final', island: { on: { GO: 'z' } } })
  expect(foundIn(machine, 'STAGE_UNREACHABLE')).toMatchObject([
    { severity: 'warning', pointer: '/states/island' },
  ])
})

test('stages are reached by fallbacks, detours, branches and failures', () => {
  const machine = withDetour(
    build({
      a: { fallback: 'b', on: { GO: fork({ one: ['p', 'q'] }, 'z', 'sorry') } },
      b: { on: { GO: 'z' } },
      p: { on: { GO: 'q' } },
      q: 'final',
      h: { on: { BACK: '$return' } },
      sorry: 'final',
      z: 'final',
    }),
    'h',
  )
  expect(placesIn(machine, 'STAGE_UNREACHABLE')).toEqual([])
})

test('a way out of a final stage reaches nothing', () => {
  const machine = build({
    a: { on: { GO: 'z' } },
    z: { final: 'completed', on: { ON: 'b' } },
    b: { on: { GO: 'z' } },
  })
  expect(placesIn(machine, 'STAGE_UNREACHABLE')).toEqual(['/states/b'])
})

test('where the agent may name a stage, all are reached', () => {
  const trigger = { canName: true }
  const machine = build({ a: { trigger, on: { GO: 'z' } }, b: { on: { GO: 'z' } }, z: 'final' })
  expect(placesIn(machine, 'STAGE_UNREACHABLE')).toEqual([])
})

test('a misspelt way still counts as the one that was meant', () => {
  const machine = build({ a: { on: { GO: 'tesing' } }, testing: { on: { OK: 'z' } }, z: 'final' })
  expect(placesIn(machine, 'TARGET_UNKNOWN')).toHaveLength(1)
  expect(placesIn(machine, 'STAGE_UNREACHABLE')).toEqual([])
  expect(placesIn(machine, 'NO_PATH_TO_FINAL')).toEqual([])
})

test('a stage without any way out is a dead end, and is not told twice', () => {
  const machine = build({ a: { on: { GO: 'b', X: 'z' } }, b: {}, z: 'final' })
  expect(placesIn(machine, 'DEAD_END')).toEqual(['/states/b'])
  expect(placesIn(machine, 'NO_PATH_TO_FINAL')).toEqual([])
})

test('a signal without routes is a dead end, unless it completes the run', () => {
  const stuck = build({ a: { on: { GO: [] } } })
  const ends = build({ a: { trigger: { otherwise: 'complete' }, on: { GO: [] } } })
  expect(placesIn(stuck, 'DEAD_END')).toEqual(['/states/a'])
  expect(placesIn(ends, 'DEAD_END')).toEqual([])
  expect(placesIn(ends, 'NO_PATH_TO_FINAL')).toEqual([])
})

test('stages that can only circle are one warning that names them', () => {
  const machine = build({
    a: { on: { GO: 'b', X: 'z' } },
    b: { on: { GO: 'd' } },
    d: { on: { GO: 'b' } },
    z: 'final',
  })
  const found = foundIn(machine, 'NO_PATH_TO_FINAL')
  expect(found).toMatchObject([{ pointer: '/states/b' }])
  expect(found[0]?.message).toContain('`b` and `d`')
})

test('a stage that leads to nothing but a dead end can never end either', () => {
  const machine = build({ a: { on: { GO: 'b' } }, b: {}, z: 'final' })
  expect(placesIn(machine, 'NO_PATH_TO_FINAL')).toEqual(['/states/a'])
})

test('an end by a move is an end', () => {
  const machine = build({ a: { on: { ON: 'b' } }, b: { on: { BACK: 'a', STOP: '$end' } } })
  expect(placesIn(machine, 'NO_PATH_TO_FINAL')).toEqual([])
})

test('a handler that returns ends where the interrupted stage does', () => {
  const handler = { h: { on: { BACK: '$return' } }, z: 'final' } as const
  const sound = withDetour(build({ a: { on: { GO: 'z' } }, ...handler }), 'h')
  const stuck = withDetour(build({ a: { on: { GO: 'a' } }, ...handler }), 'h')
  expect(placesIn(sound, 'NO_PATH_TO_FINAL')).toEqual([])
  expect(placesIn(stuck, 'NO_PATH_TO_FINAL')).toEqual(['/states/a', '/states/h'])
})

test('the end of a branch is not the end of its parent', () => {
  const machine = build({
    a: { on: { GO: fork({ one: ['p', 'q'] }, 'a') } },
    p: { on: { OK: 'q' } },
    q: 'final',
  })
  expect(placesIn(machine, 'NO_PATH_TO_FINAL')).toEqual(['/states/a'])
})

test('a circle without a limit is one warning', () => {
  const circle = { a: { on: { GO: 'b' } }, b: { on: { BACK: 'a', GO: 'z' } }, z: 'final' } as const
  const found = foundIn(build(circle), 'CYCLE_WITHOUT_LIMIT')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/states/a' }])
  expect(found[0]?.message).toContain('`a` and `b`')
})

test('a limit of the run, or a gate, makes a circle sound', () => {
  const b = { on: { BACK: 'a', GO: 'z' } }
  const gated = build({ a: { on: { GO: { to: 'b', hasGate: true } } }, b, z: 'final' })
  const calls = { limits: { callsMax: 50, microUsdMax: null } }
  const money = { limits: { callsMax: null, microUsdMax: 50 } }
  const counted = build({ a: { on: { GO: 'b' } }, b, z: 'final' }, calls)
  const paid = build({ a: { on: { GO: 'b' } }, b, z: 'final' }, money)
  for (const machine of [gated, counted, paid]) {
    expect(placesIn(machine, 'CYCLE_WITHOUT_LIMIT')).toEqual([])
  }
})

test('limits of stages do not make a circle sound: every round fills them up again', () => {
  const machine = build({
    a: { callsMax: 5, on: { GO: 'b' } },
    b: { callsMax: 5, on: { BACK: 'a', GO: 'z' } },
    z: 'final',
  })
  const [found] = foundIn(machine, 'CYCLE_WITHOUT_LIMIT')
  expect(found?.message).toContain('`a` and `b`')
  expect(found?.hint).toContain('`meta.calls_max`')
})

test('a second circle beside one with a gate is found', () => {
  const machine = build({
    a: { on: { GO: 'b' } },
    b: { on: { BACK: { to: 'a', hasGate: true }, ON: 'c' } },
    c: { on: { BACK: 'b', GO: 'z' } },
    z: 'final',
  })
  const [found] = foundIn(machine, 'CYCLE_WITHOUT_LIMIT')
  expect(found?.message).toContain('`b` and `c`')
})

test('a stage that leads to itself starts its counts anew, unless a person agrees', () => {
  const self = build({ a: { callsMax: 5, on: { NOTE: 'a', GO: 'z' } }, z: 'final' })
  const found = foundIn(self, 'CYCLE_WITHOUT_LIMIT')
  expect(found).toMatchObject([{ severity: 'warning', pointer: '/states/a' }])
  expect(found[0]?.message).toContain('`a` leads to itself')
  const gated = build({ a: { on: { NOTE: { to: 'a', hasGate: true }, GO: 'z' } }, z: 'final' })
  expect(placesIn(gated, 'CYCLE_WITHOUT_LIMIT')).toEqual([])
})

test('a process and a form may go round', () => {
  const circle = { a: { on: { GO: 'b' } }, b: { on: { BACK: 'a', GO: 'z' } }, z: 'final' } as const
  expect(placesIn(build(circle, { dialect: 'process' }), 'CYCLE_WITHOUT_LIMIT')).toEqual([])
  expect(placesIn(build(circle, { dialect: 'steps' }), 'CYCLE_WITHOUT_LIMIT')).toEqual([])
})
