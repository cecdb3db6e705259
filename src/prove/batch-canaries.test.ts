import { expect, test } from 'vitest'
import { batchCanaries } from './batch-canaries.ts'
import type { Canary, Trial, Tried } from './canary.ts'

const call = (name: string) => ({ name, input: {} })

function canary(id: string, calls: readonly string[], landed = false): Canary {
  return { id, turns: [{ tools: calls.map(call) }], hasLanded: () => landed }
}

/** A trial in which a batch was answered so. */
function trialOf(told: Tried['told'], hasLanded: boolean | null = false): Trial {
  return { tried: [{ id: 'batch', hasLanded, told }] } as unknown as Trial
}

test('single turns become one, and the others stay as they are', () => {
  const edit = { ...canary('edit', ['read']), turns: [{ text: 'a' }, { text: 'b' }] }
  const { canaries } = batchCanaries('batch', [canary('a', ['x']), edit, canary('b', ['y', 'z'])])
  expect(canaries.map(({ id }) => id)).toEqual(['batch', 'edit'])
  expect(canaries[0]?.turns).toEqual([{ tools: [call('x'), call('y'), call('z')] }])
})

test('each canary gets what was said about its own calls', () => {
  const { split } = batchCanaries('batch', [canary('a', ['x']), canary('b', ['y', 'z'], true)])
  expect(split(trialOf(['1', '2', '3']))).toEqual([
    { id: 'a', told: ['1'], hasLanded: false },
    { id: 'b', told: ['2', '3'], hasLanded: true },
  ])
})

test('a call that the host dropped was not tried, so it does not count as stopped', () => {
  const { split } = batchCanaries('batch', [canary('a', ['x']), canary('b', ['y'])])
  expect(split(trialOf(['', null])).map(({ hasLanded }) => hasLanded)).toEqual([false, null])
})

test('a host that says nothing about the whole batch has not dropped one of it', () => {
  const { split } = batchCanaries('batch', [canary('a', ['x']), canary('b', ['y'])])
  expect(split(trialOf([null, null])).map(({ hasLanded }) => hasLanded)).toEqual([false, false])
})

test('a session that ended before the batch tried nothing', () => {
  const { split } = batchCanaries('batch', [canary('a', ['x'])])
  expect(split(trialOf([], null))[0]?.hasLanded).toBeNull()
  expect(split({ tried: [] } as unknown as Trial)[0]?.hasLanded).toBeNull()
})

test('what landed counts, also if a later canary puts it back', () => {
  let settings = 'kept'
  const wipe = { ...canary('wipe', ['x']), hasLanded: () => settings !== 'kept' }
  const { canaries, split } = batchCanaries('batch', [wipe, canary('b', ['y'])])
  settings = ''
  expect(canaries[0]?.hasLanded()).toBe(true)
  settings = 'kept'
  expect(split(trialOf(['', ''], true))[0]).toMatchObject({ id: 'wipe', hasLanded: true })
})
