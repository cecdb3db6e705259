import { expect, test } from 'vitest'
import { openBench } from '../runtime.contract.ts'
import { openRefusedAttempts } from './refused-attempts.ts'

const attempt = { what: 'runs.cancel', by: "an agent's credential", code: 'NOT_PERMITTED' }

function openClocked() {
  const { store } = openBench()
  const time = { now: 1_000_000 }
  const clock = { now: () => time.now }
  return { store, clock, time, attempts: openRefusedAttempts({ store, clock }) }
}

test('attempts are counted by kind, and known to the next daemon', async () => {
  const { store, clock, attempts } = openClocked()
  attempts.note(attempt)
  attempts.note(attempt)
  attempts.note({ ...attempt, what: 'hooks of claude' })
  expect(attempts.list().map((line) => line.slice(0, 32))).toEqual([
    'attempts that no credential was ',
    'refused 2 times: `runs.cancel` w',
    'refused once: `hooks of claude` ',
  ])
  await attempts.flush()
  const next = openRefusedAttempts({ store, clock })
  await next.load()
  expect(next.list().toSorted()).toEqual(attempts.list().toSorted())
})

test('a flood writes once a minute, and is counted all the same', async () => {
  const { store, time, attempts } = openClocked()
  const read = async () => (await store.listDocuments(query)).items[0]
  const query = { collection: 'refused-attempts', prefix: '', after: null, limit: 10 }
  for (let count = 0; count < 100; count += 1) {
    attempts.note(attempt)
    await attempts.flush()
  }
  expect((await read())?.version).toBe(1)
  time.now += 60_000
  await attempts.flush()
  expect(await read()).toMatchObject({ version: 2, data: expect.stringContaining('"count":100') })
})

test('more kinds than there may be count as one, and old ones are no longer told', () => {
  const { time, attempts } = openClocked()
  for (let count = 0; count < 1_100; count += 1) attempts.note({ ...attempt, what: `op ${count}` })
  expect(attempts.list()[0]).toContain('1100 refused; the latest 10 kinds')
  time.now += 8 * 86_400_000
  expect(attempts.list()).toEqual([])
})
