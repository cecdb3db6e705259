/** The loops of `npm run faults -- runner`, five rounds of each. */
import { expect, onTestFinished, test } from 'vitest'
import {
  growthBytesMax,
  repeat,
  scenarioNamed,
  scenarioNames,
  supervisorsBeside,
  survivorsOf,
} from '../../scripts/faults/runner.ts'
import { killedDaemon, restartedDaemon } from '../../scripts/faults/runner-daemons.ts'
import { killJob } from '../../src/runner/kill-job.ts'
import { openScratch, supervisorsHere } from '../../src/runner/scratch.contract.ts'

const rounds = 5

test.for(['full', 'contained'] as const)(
  'what is left of a job at %s is seen',
  async (strongest) => {
    const scratch = openScratch({ strongest })
    onTestFinished(() => scratch.remove())
    await scratch.runner.isolation()
    const before = supervisorsHere()
    const job = await scratch.start({ command: 'exec tail -f /dev/null', background: true })
    expect(await survivorsOf(job)).toBeGreaterThan(0)
    expect(await survivorsOf({ ...job, note: { ...job.note, cgroups: [] } })).toBeGreaterThan(0)
    expect(await supervisorsBeside(before)).toBeGreaterThan(0)
    await killJob(job, { signal: 'SIGKILL' }, Date.now)
    scratch.runner.close()
    expect([await survivorsOf(job), await supervisorsBeside(before)]).toEqual([0, 0])
  },
)

test.for(scenarioNames)('nothing is left of a job: %s', async (name) => {
  const held = await repeat(scenarioNamed(name), rounds)
  expect(held).toMatchObject({ rounds, survivors: 0, hangs: 0 })
  expect(held.growthBytes).toBeLessThanOrEqual(growthBytesMax)
})

test('nothing is left of the jobs of a killed daemon', async () => {
  expect(await killedDaemon(rounds)).toMatchObject({ survivors: 0, hangs: 0 })
})

test('a daemon that comes back finds its jobs with every byte', async () => {
  expect(await restartedDaemon(10)).toBe(0)
})
