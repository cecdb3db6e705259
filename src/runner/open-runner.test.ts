/**
 * A runner that is asked twice, asked for too much, or swept at the wrong moment.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scratchLimits } from './scratch.contract.ts'
import { openScratches } from './scratches.contract.ts'

const open = openScratches()

test.for([0, 3])('a request sent again after %i ms gets the job that is starting', async (ms) => {
  const scratch = open()
  await scratch.run({ command: 'true' })
  await sleep(200)
  const go = () => scratch.start({ command: 'sleep 20', background: true }, { id: 'job_same' })
  const first = go()
  await sleep(ms)
  const [one, two] = await Promise.all([first, go()])
  expect(two).toBe(one)
  expect(existsSync(one.folder)).toBe(true)
  expect(scratch.runner.find('job_same')).toBe(one)
})

test('a job that is starting keeps its id from another one', async () => {
  const scratch = open()
  const start = (asked: string) =>
    scratch.start({ command: 'sleep 20', background: true }, { id: 'job_same', asked })
  const first = start('one')
  await expect(start('two')).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  expect(existsSync((await first).folder)).toBe(true)
})

test('a start that fails fails for all who asked, and its id can be used again', async () => {
  const scratch = open()
  const go = (command: string) => scratch.start({ command, args: [] }, { id: 'job_same' })
  const both = await Promise.allSettled([go('no-such-program'), go('no-such-program')])
  for (const one of both) {
    expect(one).toMatchObject({ reason: { error: { error_type: 'CommandNotFound' } } })
  }
  expect((await go('true')).note.id).toBe('job_same')
})

test('a folder that was there before is not removed by the job that finds it', async () => {
  const scratch = open()
  await scratch.runner.isolation()
  const folder = join(scratch.settings.folder, 'job_taken')
  mkdirSync(folder)
  const work = scratch.start({ command: 'true' }, { id: 'job_taken' })
  await expect(work).rejects.toMatchObject({ error: { error_type: 'SpawnFailed' } })
  expect(existsSync(folder)).toBe(true)
})

test('jobs that are starting count among those that run', async () => {
  const scratch = open({ limits: { ...scratchLimits, jobsRunningMax: 2 } })
  const go = () => scratch.start({ command: 'sleep 20', background: true })
  const all = await Promise.allSettled([go(), go(), go()])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})
