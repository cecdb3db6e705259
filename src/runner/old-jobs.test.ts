/**
 * Which ended jobs are no longer kept.
 */
import { expect, test } from 'vitest'
import type { LiveJob } from './live-job.ts'
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
  const find = (id: string): LiveJob | null => scratch.runner.find(id)
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
