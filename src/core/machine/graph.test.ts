import { expect, test } from 'vitest'
import { build, fork, invoke } from './check-builder.contract.ts'
import { componentsOf, cyclesOf, edgesOf, reachableFrom, reverse } from './graph.ts'

test('every way a run can go is an edge, with its kind, its signal and its gate', () => {
  const machine = build(
    {
      a: {
        fallback: 'z',
        on: {
          GO: { to: 'b', hasGate: true, guards: [['x', 'exists']] },
          SPLIT: fork({ one: ['p', 'q'] }, 'b', 'z'),
          CALL: invoke('k', 'b', 'z'),
          BACK: '$return',
          STOP: '$end',
        },
      },
      z: 'final',
    },
    { detours: [{ name: 'd', pattern: '*', target: 'h', handler: [], origin: '/interrupts/d' }] },
  )
  const edges = edgesOf(machine)
  expect(edges.map(({ kind, from, to, signal }) => [kind, from, to, signal])).toEqual([
    ['route', 'a', 'b', 'GO'],
    ['fork', 'a', 'p', 'SPLIT'],
    ['join', 'a', 'b', 'SPLIT'],
    ['fail', 'a', 'z', 'SPLIT'],
    ['invoke', 'a', 'b', 'CALL'],
    ['fail', 'a', 'z', 'CALL'],
    ['return', 'a', null, 'BACK'],
    ['end', 'a', null, 'STOP'],
    ['fallback', 'a', 'z', null],
    ['detour', null, 'h', null],
  ])
  expect(edges[0]).toMatchObject({ hasGate: true, origin: '/states/a/on/GO' })
  expect(edges[0]?.targetOrigin).toBe('/states/a/on/GO/target')
  expect(edges[0]?.guards).toHaveLength(1)
  expect(edges[1]?.targetOrigin).toBe('/branches/one')
  expect(edges[8]).toMatchObject({ hasGate: false, targetOrigin: '/states/a/safe_next' })
})

test('a signal that completes when no way holds is an end, unless one way always holds', () => {
  const trigger = { otherwise: 'complete' } as const
  const guarded = build({ a: { trigger, on: { GO: [{ to: 'a', guards: [['x', 'exists']] }] } } })
  const always = build({ a: { trigger, on: { GO: 'a' } } })
  expect(edgesOf(guarded).map((edge) => edge.kind)).toEqual(['route', 'end'])
  expect(edgesOf(always).map((edge) => edge.kind)).toEqual(['route'])
})

test('a signal that may name its stage is one edge, however many stages there are', () => {
  const machine = build({ a: { trigger: { canName: true }, on: { GO: [] } }, b: {}, c: {} })
  expect(edgesOf(machine).map((edge) => [edge.kind, edge.from])).toEqual([['named', 'a']])
})

test('reaching follows links forwards, and backwards when they are reversed', () => {
  const next = [[1], [2], [], [2]]
  expect(reachableFrom(next, [0])).toEqual([true, true, true, false])
  expect(reachableFrom(reverse(next), [2])).toEqual([true, true, true, true])
  expect(reachableFrom(reverse(next), [0])).toEqual([true, false, false, false])
  expect(reachableFrom(next, [])).toEqual([false, false, false, false])
  expect(reachableFrom(next, [99])).toEqual([false, false, false, false])
})

test('components hold what leads to each other, and nothing else', () => {
  // 0 → 1 ⇄ 2 → 3 ⇄ 4, 5 alone
  const component = componentsOf([[1], [2], [1, 3], [4], [3], []])
  expect(component[1]).toBe(component[2])
  expect(component[3]).toBe(component[4])
  expect(new Set(component).size).toBe(4)
})

test('a crossing back to a finished component joins nothing', () => {
  // 0 → 1, 0 → 2 → 1: a diamond without a way back
  expect(new Set(componentsOf([[1, 2], [], [1]])).size).toBe(3)
  expect(cyclesOf([[1, 2], [], [1]])).toEqual([])
})

test('a cycle is a component of several, or one that leads to itself', () => {
  const cycles = cyclesOf([[1], [0], [2], []]).map((one) => [...one].sort())
  expect(cycles).toEqual([[0, 1], [2]])
})

test('a chain and a ring of 200 000 do not overflow the stack', () => {
  const count = 200_000
  const chain = Array.from({ length: count }, (_, i) => (i + 1 < count ? [i + 1] : []))
  const ring = Array.from({ length: count }, (_, i) => [(i + 1) % count])
  expect(reachableFrom(chain, [0]).every(Boolean)).toBe(true)
  expect(new Set(componentsOf(chain)).size).toBe(count)
  expect(new Set(componentsOf(ring)).size).toBe(1)
})
