import { expect, test } from 'vitest'
import { type HookScope, openHookPairs } from './hook-pairs.ts'
import { type HookAnswer, passAnswer } from './hook-protocol.ts'

const refuse: HookAnswer = { kind: 'refuse', reason: 'no' }

/** Pairs with a clock of their own; each judgement is counted. */
function openBench() {
  let [now, count] = [0, 0]
  const pairs = openHookPairs(() => now)
  const ask = (id: string, scope: HookScope, word: HookAnswer = passAnswer) =>
    pairs({ id, scope }, async () => {
      count += 1
      return word
    })
  const wait = (ms: number): void => {
    now += ms
  }
  return { ask, pairs, count: () => count, wait }
}

test.each([
  ['project', 'user'],
  ['user', 'project'],
] as const)('the %s hook is judged, and the %s hook gets the same verdict', async (one, other) => {
  const { ask, count } = openBench()
  expect(await ask('a', one, refuse)).toEqual({ word: refuse, isSecond: false })
  expect(await ask('a', other)).toEqual({ word: refuse, isSecond: true })
  expect(count()).toBe(1)
})

test('both at once are judged once, whatever the verdict waits for', async () => {
  const { pairs } = openBench()
  let decide: (word: HookAnswer) => void = () => undefined
  const first = pairs({ id: 'a', scope: 'project' }, () => new Promise((done) => (decide = done)))
  const second = pairs({ id: 'a', scope: 'user' }, () => Promise.reject(new Error('judged twice')))
  decide(refuse)
  expect(await Promise.all([first, second])).toEqual([
    { word: refuse, isSecond: false },
    { word: refuse, isSecond: true },
  ])
})

test('the same call twice is two calls, for one kind of hook and for both', async () => {
  const { ask, count } = openBench()
  await ask('a', 'user')
  await ask('a', 'user')
  expect(count()).toBe(2)
  for (const scope of ['project', 'user', 'project', 'user'] as const) await ask('b', scope)
  expect(count()).toBe(4)
})

test('three hooks about one call get one verdict, and the next call another', async () => {
  const { ask, count } = openBench()
  const scopes = ['borrowed', 'project', 'user'] as const
  for (const scope of scopes) {
    const isSecond = scope !== 'borrowed'
    expect(await ask('a', scope, refuse)).toEqual({ word: refuse, isSecond })
  }
  for (const scope of scopes) await ask('a', scope)
  expect(count()).toBe(2)
})

test('an event that is over does not keep a newer one from being paired', async () => {
  const { ask, count, wait } = openBench()
  await ask('a', 'project')
  wait(6_000)
  await ask('a', 'project', refuse)
  expect(await ask('a', 'user')).toEqual({ word: refuse, isSecond: true })
  expect(count()).toBe(2)
})

test('a hook that comes much later is about another call', async () => {
  const { ask, count, wait } = openBench()
  await ask('a', 'project')
  wait(6_000)
  expect(await ask('a', 'user', refuse)).toEqual({ word: refuse, isSecond: false })
  expect(count()).toBe(2)
})

test('what fails for one hook fails for the other', async () => {
  const { pairs } = openBench()
  const down = (): Promise<HookAnswer> => Promise.reject(new Error('disk full'))
  await expect(pairs({ id: 'a', scope: 'project' }, down)).rejects.toThrow('disk full')
  await expect(pairs({ id: 'a', scope: 'user' }, down)).rejects.toThrow('disk full')
})

test('questions that nobody pairs with are forgotten', async () => {
  const { ask, count } = openBench()
  for (let index = 0; index < 10_050; index += 1) await ask(`${index}`, 'project')
  expect(await ask('0', 'user')).toMatchObject({ isSecond: false })
  expect(await ask('10049', 'user')).toMatchObject({ isSecond: true })
  expect(count()).toBe(10_051)
})
