/** The loops of `npm run faults -- runner`, five rounds of each. */
import { expect, test } from 'vitest'
import {
  growthBytesMax,
  repeat,
  scenarioNamed,
  scenarioNames,
} from '../../scripts/faults/runner.ts'
import { killedDaemon, restartedDaemon } from '../../scripts/faults/runner-daemons.ts'

const rounds = 5

test.for(scenarioNames)('nothing is left of a job: %s', { timeout: 120_000 }, async (name) => {
  const held = await repeat(scenarioNamed(name), rounds)
  expect(held).toMatchObject({ rounds, survivors: 0, hangs: 0 })
  expect(held.growthBytes).toBeLessThanOrEqual(growthBytesMax)
})

test('nothing is left of the jobs of a killed daemon', { timeout: 120_000 }, async () => {
  expect(await killedDaemon(rounds)).toMatchObject({ survivors: 0, hangs: 0 })
})

test('a daemon that comes back finds its jobs with every byte', { timeout: 120_000 }, async () => {
  expect(await restartedDaemon(10)).toBe(0)
})
