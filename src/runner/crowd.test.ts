import { expect, test } from 'vitest'
import { killJob } from './kill-job.ts'
import { readLogs } from './read-log-page.ts'
import { waitForEnd } from './running-job.ts'
import { openScratch, processesWith } from './scratch.contract.ts'

const count = 500
/** Jobs that are started, or killed, at a time. */
const atOnce = 8
/** Nobody else sleeps for as long. */
const seconds = 86_311

test('five hundred jobs run at once, each with its own log, and all of them end', async () => {
  const scratch = openScratch()
  const inTurns = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>) => {
    const left = items.values()
    const lane = async () => {
      for (const item of left) await act(item)
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
  }
  const numbers = Array.from({ length: count }, (_, index) => index)
  await inTurns(numbers, (n) =>
    scratch.start({ command: `echo job ${n}; exec sleep ${seconds}`, background: true }),
  )
  const jobs = scratch.runner.all()
  expect(jobs).toHaveLength(count)
  const said = (): readonly string[] => jobs.map((job) => readLogs(job, {}).stdout)
  await expect.poll(() => said().filter((text) => text.endsWith('\n')).length).toBe(count)
  expect([...said()].sort()).toEqual(numbers.map((n) => `job ${n}\n`).sort())
  const states = (): ReadonlySet<string> =>
    new Set(jobs.map((job) => scratch.runner.result(job).state))
  expect([...states()]).toEqual(['running'])
  await inTurns(jobs, async (job) => {
    await killJob(job, {}, Date.now)
    await waitForEnd(job, 10_000)
  })
  expect([...states()]).toEqual(['killed'])
  expect(processesWith(`sleep ${seconds}`)).toEqual([])
  await scratch.remove()
}, 180_000)
