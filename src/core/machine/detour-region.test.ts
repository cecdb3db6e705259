import { expect, test } from 'vitest'
import { build, fork } from './check-builder.contract.ts'
import { detourRegionFinder, detourRegionOf } from './detour-region.ts'

test('a handler is the target as long as a return can still be reached', () => {
  const { stages } = build({
    coding: { on: { DONE: 'done' } },
    check: { on: { VALID: '$return', REWRITE: 'coding', BROKEN: 'done' } },
    done: 'final',
  })
  expect(detourRegionOf(stages, 'check')).toEqual(['check'])
})

test('a handler may have several stages', () => {
  const { stages } = build({
    work: { on: { DONE: 'done' } },
    h1: { on: { NEXT: 'h2', LATER: 'h3' } },
    h2: { on: { BACK: '$return' } },
    h3: { fallback: 'h2' },
    done: 'final',
  })
  expect(detourRegionOf(stages, 'h1')).toEqual(['h1', 'h2', 'h3'])
})

test('stages before the target are no part of it, though a return lies ahead of them', () => {
  const { stages } = build({ work: { on: { GO: 'h' } }, h: { on: { BACK: '$return' } } })
  expect(detourRegionOf(stages, 'h')).toEqual(['h'])
})

test('a target that never returns has no handler', () => {
  const { stages } = build({ h: { on: { GO: 'z' } }, z: 'final' })
  expect(detourRegionOf(stages, 'h')).toEqual([])
})

test('a target that does not exist has no handler, whatever its name', () => {
  const { stages } = build({ h: { on: { BACK: '$return' } } })
  expect(detourRegionOf(stages, 'ghost')).toEqual([])
  expect(detourRegionOf(stages, 'constructor')).toEqual([])
  expect(detourRegionOf(stages, '__proto__')).toEqual([])
})

test('a return in a branch is none of the parent, but the way behind the join is', () => {
  const { stages } = build({
    h: { on: { SPLIT: fork({ one: ['p', 'q'] }, 'after') } },
    p: { on: { BACK: '$return', OK: 'q' } },
    q: 'final',
    after: { on: { BACK: '$return' } },
  })
  expect(detourRegionOf(stages, 'h')).toEqual(['h', 'after'])
})

test('a final stage leads nowhere, whatever ways are written on it', () => {
  const { stages } = build({
    h: { on: { GO: 'z' } },
    z: { final: 'completed', on: { BACK: '$return' } },
  })
  expect(detourRegionOf(stages, 'h')).toEqual([])
})

test('handlers of many detours come from one walk, and are the same', () => {
  const { stages } = build({
    h1: { on: { NEXT: 'h2' } },
    h2: { on: { BACK: '$return' } },
    other: { on: { GO: 'h1' } },
  })
  const find = detourRegionFinder(stages)
  for (const target of ['h1', 'h2', 'other', 'ghost', 'h1']) {
    expect(find(target)).toEqual(detourRegionOf(stages, target))
  }
})
