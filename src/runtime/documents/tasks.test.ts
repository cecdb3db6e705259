import { expect, test } from 'vitest'
import { asAgent, openBench } from '../runtime.contract.ts'
import { tasksMax } from './tasks.ts'

const scope = { workspace: '/work', definition: 'backup' }
const checklist = JSON.stringify({
  name: 'backup',
  initial: 'made',
  states: { made: { question: 'Made?', answers: { yes: { next: null, action: 'complete' } } } },
})

let count = 0
function by(run: string, commandId: string | null = null) {
  count += 1
  return { run, source: 'process', commandId: commandId ?? `c${count}` }
}

async function openTwo() {
  const bench = openBench()
  const { runtime } = bench
  await runtime.definitions.create({ source: checklist, format: 'json' })
  const request = { definition: 'backup', task: null, stage: null, vars: {}, workspace: '/work' }
  const [one, two] = [await runtime.start(request, asAgent), await runtime.start(request, asAgent)]
  return { ...bench, one: one.runId, two: two.runId }
}

test('what many claim at once is had by one each, and the rest get none', async () => {
  const { runtime, one, two } = await openTwo()
  for (const title of ['a', 'b', 'c']) {
    await runtime.tasks.create(scope, { title, note: '' }, by(one))
  }
  const wishes = Array.from({ length: 8 }, (_, i) =>
    runtime.tasks.claim(scope, null, by(i % 2 === 0 ? one : two)),
  )
  const had = (await Promise.all(wishes)).filter((task) => task !== null)
  expect(had.map((task) => task.title).toSorted()).toEqual(['a', 'b', 'c'])
  expect(new Set(had.map((task) => task.id)).size).toBe(3)
})

test('the oldest is claimed first, and the same command again gets the same task', async () => {
  const { runtime, pass, one } = await openTwo()
  const wish = (title: string) => ({ title, note: '' })
  await runtime.tasks.create(scope, wish('old'), by(one))
  pass(1_000)
  const made = await runtime.tasks.create(scope, wish('new'), by(one, 'make'))
  expect(await runtime.tasks.create(scope, wish('new'), by(one, 'make'))).toEqual(made)
  const first = await runtime.tasks.claim(scope, null, by(one, 'take'))
  expect(first).toMatchObject({ title: 'old', status: 'claimed', run: one })
  expect(await runtime.tasks.claim(scope, null, by(one, 'take'))).toEqual(first)
  expect(await runtime.tasks.list(scope, 'open')).toHaveLength(1)
})

test('only the run that has a task changes it, until that run has ended', async () => {
  const { runtime, one, two } = await openTwo()
  const { id } = await runtime.tasks.create(scope, { title: 'a', note: '' }, by(one))
  const early = runtime.tasks.update(scope, { id, note: 'x' }, by(one))
  await expect(early).rejects.toMatchObject({ code: 'TASK_TAKEN' })
  await runtime.tasks.claim(scope, id, by(one))
  await expect(runtime.tasks.claim(scope, id, by(two))).rejects.toMatchObject({
    code: 'TASK_TAKEN',
  })
  const others = runtime.tasks.update(scope, { id, status: 'done' }, by(two))
  await expect(others).rejects.toMatchObject({ code: 'TASK_TAKEN' })
  await runtime.send(one, { kind: 'cancel', reason: '' }, asAgent)
  expect(await runtime.tasks.claim(scope, id, by(two))).toMatchObject({ run: two })
  const done = await runtime.tasks.update(scope, { id, status: 'done', result: 'ok' }, by(two))
  expect(done).toMatchObject({ status: 'done', result: 'ok' })
  expect(await runtime.tasks.claim(scope, null, by(two))).toBeNull()
  await expect(runtime.tasks.claim(scope, 't_no', by(two))).rejects.toMatchObject({
    code: 'TASK_UNKNOWN',
  })
})

test('what is given back is free, and another scope knows nothing of it', async () => {
  const { runtime, one, two } = await openTwo()
  const { id } = await runtime.tasks.create(scope, { title: 'a', note: '' }, by(one))
  await runtime.tasks.claim(scope, id, by(one))
  await runtime.tasks.update(scope, { id, status: 'open' }, by(one))
  expect(await runtime.tasks.claim(scope, null, by(two))).toMatchObject({ id, run: two })
  expect(await runtime.tasks.list({ ...scope, definition: null }, null)).toEqual([])
})

test('there is room for so many, and what is done makes room', async () => {
  const { runtime, store, one } = await openTwo()
  const data = (status: string) =>
    JSON.stringify({ title: 'x', note: '', status, run: null, createdAt: 1, claimId: null })
  const keyOf = (i: number) => `${JSON.stringify(['/work', 'backup'])}t_${i}`
  const change = (i: number, status: string) => ({
    ...{ collection: 'tasks', key: keyOf(i), expected: null, data: data(status), at: 1 },
  })
  await store.writeDocuments(Array.from({ length: tasksMax }, (_, i) => change(i, 'open')))
  const wish = { title: 'one more', note: '' }
  await expect(runtime.tasks.create(scope, wish, by(one))).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
  })
  await store.writeDocuments([change(5, 'done')])
  await runtime.tasks.create(scope, wish, by(one))
  const all = await runtime.tasks.list(scope, null)
  expect([all.length, all.some((task) => task.id === 't_5')]).toEqual([tasksMax, false])
})
