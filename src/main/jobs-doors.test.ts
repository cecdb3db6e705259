/** Jobs through the real program: the command line, MCP and a hook, and daemons that are killed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processesWith } from '../runner/scratch.contract.ts'
import { type House, isOurNode, openHouse } from './daemon.contract.ts'
import { openAgent } from './mcp.contract.ts'

/** A command line of `pawl job`, and its answer. */
async function job(...args: readonly string[]) {
  return JSON.parse((await house.cli('job', '--json', ...args)).out)
}

const building = {
  id: 'building',
  initial: 'build',
  states: {
    build: {
      allowed_tools: ['process.run', 'process.logs'],
      allowed_commands: ['echo', 'sleep'],
      on: { DONE: { target: 'done', guard: 'built' } },
    },
    done: { type: 'final' },
  },
  guards: { built: { field: 'job_exit_code', op: 'eq', value: 0, source: 'observed' } },
}

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  writeFileSync(join(house.workspace, 'building.json'), JSON.stringify(building))
  await house.json('definitions', 'add', 'building.json')
})
afterAll(() => house?.close(), 60_000)

describe.runIf(isOurNode)('jobs at the doors', () => {
  test('the command line runs a job, shows what it says and reads it again', async () => {
    const run = await house.cli('job', 'run', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3')
    expect([run.code, run.out]).toEqual([1, 'out\n'])
    expect(run.err).toMatch(/^err\njob_\w+ completed with 3/)
    const { processes } = await job('list')
    const id = processes[0].process_id
    expect((await house.cli('job', 'logs', id, '-f')).out).toBe('out\n')
    expect((await job('show', id)).isolation.level).toMatch(/\w/)
    const typo = await house.cli('job', 'run', '--', 'no-such-program-here')
    expect(typo.err).toMatch(/CommandNotFound.*\n.*absolute path/)
  })

  test('a run is named by the beginning of its id, and one that is not there is told', async () => {
    const { runId } = await house.json('start', 'building')
    const run = (name: string) => house.cli('job', 'run', '--run', name, '--', 'echo', 'made')
    expect(await run(runId.slice(0, 12))).toMatchObject({ code: 0, out: 'made\n' })
    expect((await run('r000000')).err).toContain('there is no run `r000000`')
    expect((await house.cli('signal', 'DONE', '--run', runId)).code).toBe(0)
  })

  test('a job in the background is followed and killed', async () => {
    const wish = ['--background', '--shell', 'echo begun; sleep 300'] as const
    const { process_id: id, state } = await job('run', ...wish)
    expect(state).toBe('running')
    expect((await job('logs', id, '--offset', '3')).state).toBe('running')
    expect(await job('kill', id, '--force-after', '1')).toMatchObject({
      killed: true,
      state: 'killed',
    })
  })

  test('an agent has the tools that its stage allows, and a fact moves its run', async () => {
    const agent = await openAgent(house)
    await agent.call('pawl_load_workflow', { name: 'building' })
    const names = (await agent.tools()).map(({ name }) => name)
    expect(names.filter((name) => /^process_(?!step)/.test(name))).toEqual([
      'process_run',
      'process_logs',
    ])
    const refused = await agent.call('process_run', { command: 'rm', args: ['-rf', 'x'] })
    expect(refused).toMatchObject({
      isError: true,
      values: { error: { error_type: 'PolicyDenied', context: { code: 'COMMAND_NOT_ALLOWED' } } },
    })
    expect((await agent.call('pawl_transition', { event: 'DONE' })).isError).toBe(true)
    const ran = await agent.call('process_run', { command: 'echo', args: ['made'] })
    expect(ran.values).toMatchObject({ state: 'completed', exit_code: 0, stdout_summary: 'made' })
    expect(ran.text).toContain('stdout:\nmade')
    const done = async () => (await agent.call('pawl_transition', { event: 'DONE' })).isError
    await expect.poll(done).toBe(false)
  })

  test('a host that reads the list of tools once has all of them from the start', async () => {
    const agent = await openAgent(house, { args: ['--host', 'codex'] })
    await agent.call('pawl_load_workflow', { name: 'building' })
    const names = (await agent.tools()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['process_run', 'process_logs', 'process_kill']))
    const refused = await agent.call('process_kill', { process_id: 'job_1' })
    expect(refused.isError).toBe(true)
  })

  test('jobs of a daemon that was killed go on under the next one', async () => {
    const command = 'echo one; until [ -e go ]; do sleep 0.1; done; echo two'
    const { process_id: id } = await job('run', '--background', '--shell', command)
    const { pid } = await house.json('status')
    process.kill(pid, 'SIGKILL')
    const found = await job('show', id)
    expect(found.state).toBe('running')
    writeFileSync(join(house.workspace, 'go'), '')
    const followed = await house.cli('job', 'logs', id, '--follow')
    expect(followed.out).toBe('one\ntwo\n')
    expect(await job('show', id)).toMatchObject({ state: 'completed', exit_code: 0 })
  })

  test('jobs of a daemon that does not come back end with their lease', async () => {
    writeFileSync(join(house.folder, 'config.json'), '{"jobs": {"leaseSeconds": 1}}')
    await house.cli('stop')
    const seconds = `${5_000 + Math.floor(Math.random() * 4_000)}.${process.pid}`
    await job('run', '--background', '--shell', `sleep ${seconds}`)
    process.kill((await house.json('status')).pid, 'SIGKILL')
    await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([])
  })
})
