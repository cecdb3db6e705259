import { expect, test } from 'vitest'
import { build, fork, invoke } from './check-builder.contract.ts'
import { stageProgress } from './stage-progress.ts'

const chain = { a: { on: { GO: 'b', SKIP: 'c' } }, b: { on: { GO: 'c', BACK: 'a' } } }

test.each([
  ['a chain with a short cut', { ...chain, c: 'final' }, { a: [0, 1], b: [1, 1], c: [1, 0] }],
  [
    'a fork counts as one step, and its branches are runs of their own',
    { a: { on: { SPLIT: fork({ one: ['p', 'q'] }, 'b') } }, b: 'final', p: {}, q: 'final' },
    { a: [0, 1], b: [1, 0] },
  ],
  [
    'an invoked definition counts as one step',
    { a: { on: { CALL: invoke('k', 'b', 'a') } }, b: 'final' },
    { a: [0, 1], b: [1, 0] },
  ],
  ['a stage that ends where it stands', { a: { on: { STOP: '$end' } } }, { a: [0, 0] }],
  [
    'a dead end has none',
    { a: { on: { GO: 'b', FALL: 'c' } }, b: 'final', c: {} },
    { a: [0, 1], b: [1, 0] },
  ],
] as const)('the shortest way before and after each stage: %s', (_, stages, wanted) => {
  const found = stageProgress(build(stages as never))
  const shown = Object.fromEntries(
    [...found].map(([name, { passed, left }]) => [name, [passed, left]]),
  )
  expect(shown).toEqual(wanted)
})
