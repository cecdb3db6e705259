/**
 * Which ended jobs are no longer kept.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRunner } from './open-runner.ts'
import { extentOf } from './read-log.ts'
import { type RunningJob, waitForEnd } from './running-job.ts'
import { openScratch, scratchLimits } from './scratch.contract.ts'

test('by size the oldest go first, however young, and running ones never', async () => {
  let at = Date.now()
  const keepBytes = 250_000
  const limits = { ...scratchLimits, keepBytes }
  const scratch = openScratch({ limits, now: () => at })
  try {
    const large = { command: 'head -c 100000 /dev/zero' }
    const running = await scratch.start({ command: 'cat /dev/zero | head -c 300000; sleep 60' })
    const ended: string[] = []
    for (let index = 0; index < 4; index += 1) {
      const { process_id } = await scratch.run(large)
      ended.push(process_id)
    }
    await scratch.runner.sweep()
    const kept = (): readonly string[] => scratch.runner.all().map(({ note }) => note.id)
    const expected = [...ended.slice(2), running.note.id]
    expect([...kept()].sort()).toEqual(expected.sort())
    at += 2 * scratchLimits.keepMs
    await scratch.runner.sweep()
    expect(kept()).toEqual([running.note.id])
  } finally {
    await scratch.remove()
  }
})

test('the last job to end can be read for a minute, however large it is', async () => {
  let at = Date.now()
  const limits = { ...scratchLimits, keepBytes: 1_000 }
  const scratch = openScratch({ limits, now: () => at })
  const find = (id: string): RunningJob | null => scratch.runner.find(id)
  try {
    const first = await scratch.run({ command: 'head -c 5000 /dev/zero' })
    const last = await scratch.run({ command: 'head -c 5000 /dev/zero' })
    await scratch.runner.sweep()
    expect([find(first.process_id), find(last.process_id)?.end?.code]).toEqual([null, 0])
    at += 61_000
    await scratch.runner.sweep()
    expect(find(last.process_id)).toBeNull()
  } finally {
    await scratch.remove()
  }
})

test('a sweep that finds jobs ended removes none before its end is told', async () => {
  const scratch = openScratch()
  const wish = { command: 'echo x; sleep 0.2', background: true }
  const heard: number[] = []
  try {
    for (let index = 0; index < 3; index += 1) await scratch.start(wish)
    scratch.runner.close()
    // Jobs that are not its own children: it hears of their end by looking.
    const later = openRunner({
      ...{ ...scratch.settings, limits: { ...scratchLimits, keepCount: 0 } },
      onEnd: ({ folder }) => void heard.push(extentOf(folder, 'stdout').size),
    })
    await sleep(700)
    await later.sweep()
    await expect.poll(() => heard).toEqual([2, 2, 2])
    await later.sweep()
    expect(later.all()).toHaveLength(1)
    later.close()
  } finally {
    await scratch.remove()
  }
})

test('a job is kept as long as its end is being told, however old it is', async () => {
  let at = Date.now()
  let finish = (): void => undefined
  const told = new Promise<void>((resolve) => {
    finish = resolve
  })
  const scratch = openScratch({ now: () => at, onEnd: () => told })
  try {
    const job = await scratch.start({ command: 'true' })
    await waitForEnd(job, 5_000)
    at += 2 * scratchLimits.keepMs
    await scratch.runner.sweep()
    expect(scratch.runner.find(job.note.id)).toBe(job)
    finish()
    await told
    await scratch.runner.sweep()
    expect(scratch.runner.find(job.note.id)).toBeNull()
  } finally {
    await scratch.remove()
  }
})
