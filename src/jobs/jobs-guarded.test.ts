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

const stubborn = {
  id: 'stubborn',
  initial: 'work',
  states: {
    work: { allowed_tools: ['process.run'], on: { STOP: 'done' } },
    done: { type: 'final' },
  },
}

test('an agent cannot leave its run out while one is open above or below its folder', async () => {
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

const denying = (...names: readonly string[]) => ({
  ...{ role: 'agent', allow: [], ask: [], otherwise: 'allow' as const },
  deny: names.map((capability) => ({ capability, rate: null, budget: null, origin: '/deny/0' })),
})

test('waiting for a job is judged as looking at it', async () => {
  const policies = [denying('process.monitor')]
  const { jobs, startRun, asAgentOf } = openJobsBench({ policies })
  const me = asAgentOf(await startRun(working))
  const { process_id } = resultIn(await jobs.run({ command: 'true' }, me, longMs))
  expect(await faultOf(jobs.wait(process_id, me, 0))).toMatchObject({ error_type: 'PolicyDenied' })
})

test('jobs without a run are judged by the policies of where they work', async () => {
  const names = ['process.monitor', 'process.logs', 'process.list', 'process.kill']
  const { jobs, asAgentOf, asPersonHere } = openJobsBench({ policies: [denying(...names)] })
  const free = asAgentOf(null)
  const { process_id: id } = resultIn(await jobs.run({ command: 'true' }, free, longMs))
  const nowhere = { ...free, workspace: null }
  const asked = [
    () => jobs.monitor(id, nowhere),
    () => jobs.wait(id, nowhere, 0),
    () => jobs.logs(id, { waitMs: 0 }, nowhere),
    () => jobs.kill(id, {}, nowhere),
    () => jobs.list({}, nowhere),
  ]
  for (const ask of asked) {
    expect(await faultOf(ask())).toMatchObject({
      error_type: 'PolicyDenied',
      context: { rule: '/deny/0' },
    })
  }
  expect(await jobs.list({}, { ...asPersonHere, workspace: null })).toMatchObject({ total: 1 })
})

test('one id for two different jobs is refused, also by the next daemon', async () => {
  const { jobs, again, startRun, asAgentOf, asPersonHere } = openJobsBench()
  const me = { ...asPersonHere, commandId: 'person:twice' }
  const wish = { command: 'echo one', environment: { A: '1', B: '2' } }
  const first = resultIn(await jobs.run(wish, me, longMs))
  const other = { ...wish, environment: { A: '1', B: '3' } }
  const runId = await startRun(working)
  for (const one of [jobs, again()]) {
    const same = { ...wish, environment: { B: '2', A: '1' } }
    expect(await one.run(same, me, longMs)).toMatchObject({ process_id: first.process_id })
    for (const work of [
      () => one.run({ command: 'echo two' }, me, longMs),
      () => one.run(other, me, longMs),
      () => one.run(wish, { ...asAgentOf(runId), commandId: 'person:twice' }, longMs),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
    }
  }
})

test('where a job worked and what it was given are facts of its run', async () => {
  const { jobs, runtime, workspace, startRun, asAgentOf } = openJobsBench()
  mkdirSync(join(workspace, 'part'))
  const runId = await startRun(working)
  const vars = async () => (await runtime.readRun(runId, null)).view.vars
  const wish = { command: 'echo', args: ['x'], environment: { TEN: '10', ONE: '1' } }
  await jobs.run({ ...wish, working_directory: 'part' }, asAgentOf(runId), longMs)
  await expect.poll(vars).toMatchObject({ job_folder: 'part', job_environment: ['ONE', 'TEN'] })
  await jobs.run({ command: 'echo' }, asAgentOf(runId), longMs)
  await expect.poll(vars).toMatchObject({ job_folder: '.', job_environment: [] })
})

test('a run that has ended starts no job', async () => {
  const { jobs, runtime, startRun, asAgentOf } = openJobsBench()
  const runId = await startRun(working)
  await runtime.send(runId, { kind: 'cancel', reason: 'enough' }, asPerson)
  const fault = await faultOf(jobs.run({ command: 'true' }, asAgentOf(runId), longMs))
  expect(fault?.error_type).toBe('PolicyDenied')
})

test('a job does not outlive its run, however long a kill before gives it', async () => {
  const { jobs, runtime, startRun, asAgentOf, asPersonHere } = openJobsBench()
  const me = asAgentOf(await startRun(stubborn))
  const command = 'trap "" TERM; echo ready; while true; do sleep 0.1; done'
  const { process_id } = resultIn(await jobs.run({ command, background: true }, me, longMs))
  const logs = () => jobs.logs(process_id, { waitMs: 0 }, asPersonHere)
  await expect.poll(logs).toMatchObject({ stdout: 'ready\n' })
  const kill = jobs.kill(process_id, { force_after: 600 }, asPersonHere)
  await runtime.send(me.runId ?? '', { kind: 'cancel', reason: 'enough' }, asPerson)
  const ended = await jobs.wait(process_id, asPersonHere, 8_000)
  expect(ended).toMatchObject({ state: 'killed' })
  await kill
})
