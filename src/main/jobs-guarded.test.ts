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

test('a variable that changes what runs is refused beside a command of the list', async () => {
  const { jobs, startRun, asAgentOf } = openJobsBench()
  const me = asAgentOf(await startRun(working))
  const environment = { npm_config_script_shell: './evil' }
  for (const wish of [{ command: 'npm test' }, { command: 'npm', args: ['test'] }]) {
    expect(await faultOf(jobs.run({ ...wish, environment }, me, longMs))).toMatchObject({
      error_type: 'PolicyDenied',
      context: { code: 'COMMAND_NOT_ALLOWED' },
    })
  }
})

test('a policy on `bash` holds for a shell that is named as a program', async () => {
  const deny = [{ capability: 'bash', rate: null, budget: null, origin: '/deny/0' }]
  const policy = { role: 'agent', allow: [], ask: [], deny, otherwise: 'allow' as const }
  const { jobs, startRun, asAgentOf } = openJobsBench({ policies: [policy] })
  const me = asAgentOf(await startRun(working))
  const fault = await faultOf(jobs.run({ command: 'sh', args: ['-c', 'echo'] }, me, longMs))
  expect(fault).toMatchObject({ error_type: 'PolicyDenied', context: { rule: '/deny/0' } })
  expect(resultIn(await jobs.run({ command: 'echo', args: [] }, me, longMs)).exit_code).toBe(0)
})
