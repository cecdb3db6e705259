/** What an agent must not get around with a job: its run, the list of commands, the policies. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asPerson } from '../runtime/runtime.contract.ts'
import { faultOf, openJobsBench, resultIn } from './jobs.contract.ts'

const longMs = 30_000

const working = {
  id: 'working',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['process.run', 'process.monitor', 'process.kill', 'process.logs'],
      allowed_commands: ['echo', 'sleep', 'true', 'npm test', 'git status', 'make', 'sh'],
      on: { STOP: 'done' },
    },
    done: { type: 'final' },
  },
}

test('an agent cannot leave its run out while one is open in, above or below its folder', async () => {
  const { jobs, runtime, workspace, startRun, asAgentOf, asPersonHere } = openJobsBench()
  const below = join(workspace, 'below')
  mkdirSync(below)
  const link = join(workspace, '..', 'link')
  symlinkSync(workspace, link)
  const free = asAgentOf(null)
  expect(resultIn(await jobs.run({ command: 'true' }, free, longMs)).state).toBe('completed')
  const runId = await startRun(working)
  for (const here of [workspace, below, link]) {
    const fault = await faultOf(jobs.run({ command: 'true' }, { ...free, workspace: here }, longMs))
    expect(fault).toMatchObject({
      error_type: 'PolicyDenied',
      context: { code: 'RUN_REQUIRED' },
    })
  }
  expect(resultIn(await jobs.run({ command: 'true' }, asPersonHere, longMs)).state).toBe(
    'completed',
  )
  await runtime.send(runId, { kind: 'cancel', reason: 'enough' }, asPerson)
  expect(resultIn(await jobs.run({ command: 'true' }, free, longMs)).state).toBe('completed')
})
