import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { contract } from '../doors/api/contract.ts'
import { asPerson, say } from '../runtime/runtime.contract.ts'
import { faultOf, openJobsBench, resultIn } from './jobs.contract.ts'

const longMs = 30_000

const working = {
  id: 'working',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['process.run', 'process.monitor', 'process.kill', 'process.logs', 'Write'],
      allowed_commands: ['echo', 'sleep', 'sh', 'true', 'false', 'cat', 'printenv'],
      on: { SHIP: { target: 'done', guard: 'passed' }, STOP: 'done' },
    },
    done: { type: 'final' },
  },
  guards: {
    passed: { field: 'job_exit_code', op: 'eq', value: 0, source: 'observed' },
  },
}

const neverAsked = { capability: '', rate: null, budget: null, origin: '/x' }
const policyOf = (more: object) => ({
  ...{ role: 'agent', allow: [], ask: [], deny: [], otherwise: 'allow' as const },
  ...more,
})

test('every answer about a job is as its schema says', async () => {
  const { jobs, asPersonHere: me } = openJobsBench()
  const run = await jobs.run({ command: 'echo hi' }, me, longMs)
  expect(contract['jobs.run'].answer.parse(run)).toEqual(run)
  const id = resultIn(run).process_id
  const read = await jobs.monitor(id, me)
  expect(contract['jobs.read'].answer.parse(read)).toEqual(read)
  const wait = await jobs.wait(id, me, 0)
  expect(contract['jobs.wait'].answer.parse(wait)).toEqual(wait)
  const list = await jobs.list({}, me)
  expect(contract['jobs.list'].answer.parse(list)).toEqual(list)
  const logs = await jobs.logs(id, { waitMs: 0 }, me)
  expect(contract['jobs.logs'].answer.parse(logs)).toEqual(logs)
  const isolation = await jobs.isolation()
  expect(contract['jobs.isolation'].answer.parse(isolation)).toEqual(isolation)
  const slow = await jobs.run({ command: 'sleep 60', background: true }, me, longMs)
  const kill = await jobs.kill(resultIn(slow).process_id, { signal: 'SIGKILL' }, me)
  expect(contract['jobs.kill'].answer.parse(kill)).toEqual(kill)
})

test('the stage judges a job like any call, and a refusal says what is possible', async () => {
  const { jobs, startRun, asAgentOf } = openJobsBench()
  const me = asAgentOf(await startRun(working))
  expect(resultIn(await jobs.run({ command: 'echo hi' }, me, longMs)).stdout_summary).toBe('hi')
  const refused = await faultOf(jobs.run({ command: 'rm -rf x' }, me, longMs))
  expect(refused).toMatchObject({
    error_type: 'PolicyDenied',
    context: { code: 'COMMAND_NOT_ALLOWED' },
  })
  expect(refused?.recovery_actions[0]?.description).not.toBe('')
  const args = await faultOf(jobs.run({ command: 'rm', args: ['-rf', 'x'] }, me, longMs))
  expect(args?.error_type).toBe('PolicyDenied')
  // `process.list` is not among the tools of the stage.
  expect((await faultOf(jobs.list({}, me)))?.error_type).toBe('PolicyDenied')
})

test('a person looks at the jobs of a run without adding anything to its log', async () => {
  const { jobs, runtime, startRun, asAgentOf, asPersonHere } = openJobsBench()
  const [runId, other] = [await startRun(working), await startRun({ ...working, id: 'other' })]
  const { process_id } = resultIn(await jobs.run({ command: 'echo hi' }, asAgentOf(runId), longMs))
  await expect
    .poll(async () => (await runtime.readRun(runId, null)).view.vars)
    .toHaveProperty('job_id')
  const before = (await runtime.readHead(runId))?.seq
  const me = { ...asPersonHere, runId }
  expect(await jobs.list({}, me)).toMatchObject({ processes: [{ process_id }], total: 1 })
  expect(await jobs.list({}, { ...me, runId: other })).toMatchObject({ total: 0 })
  expect(await jobs.monitor(process_id, me)).toMatchObject({ state: 'completed' })
  expect(await jobs.logs(process_id, { waitMs: 0 }, me)).toMatchObject({ stdout: 'hi\n' })
  expect((await runtime.readHead(runId))?.seq).toBe(before)
})

test('K12: a job of another run is not there, whoever asks for it', async () => {
  const { jobs, startRun, asAgentOf, asPersonHere } = openJobsBench()
  const [one, two] = [await startRun(working), await startRun({ ...working, id: 'other' })]
  const { process_id } = resultIn(await jobs.run({ command: 'true' }, asAgentOf(one), longMs))
  for (const caller of [asAgentOf(two), asAgentOf(null)]) {
    expect((await faultOf(jobs.wait(process_id, caller, 0)))?.error_type).toBe('ProcessNotFound')
  }
  expect((await faultOf(jobs.wait('1', asPersonHere, 0)))?.error_type).toBe('ProcessNotFound')
  expect(await jobs.wait(process_id, asPersonHere, 0)).toMatchObject({ state: 'completed' })
})

test('the end of a job is a fact that a guard can rest on; the agents word is none', async () => {
  const { jobs, runtime, startRun, asAgentOf } = openJobsBench()
  const runId = await startRun(working)
  const me = asAgentOf(runId)
  const ship = async () => (await runtime.send(runId, say('SHIP'), me)).reply.kind
  expect(await ship()).toBe('refused')
  await runtime.send(runId, say('SHIP', { job_exit_code: 0 }), me)
  expect(await ship()).toBe('refused')
  await jobs.run({ command: 'false' }, me, longMs)
  const vars = async () => (await runtime.readRun(runId, null)).view.vars
  await expect.poll(vars).toMatchObject({ job_exit_code: 1, job_command: 'false' })
  expect(await ship()).toBe('refused')
  await jobs.run({ command: 'echo', args: ['all good'] }, me, longMs)
  await expect.poll(vars).toMatchObject({
    job_exit_code: 0,
    job_command: "echo 'all good'",
    job_state: 'completed',
    job_stdout_sha256: createHash('sha256').update('all good\n').digest('hex'),
  })
  expect(await ship()).toBe('accepted')
})

test('K22: the end of a run ends its jobs, and they can be read on', async () => {
  const { jobs, runtime, startRun, asAgentOf, asPersonHere } = openJobsBench()
  const runId = await startRun(working)
  const wish = { command: 'echo begun; sleep 300', background: true }
  const { process_id } = resultIn(await jobs.run(wish, asAgentOf(runId), longMs))
  await runtime.send(runId, { kind: 'cancel', reason: 'enough' }, asPerson)
  const ended = await jobs.wait(process_id, asPersonHere, 10_000)
  expect(ended).toMatchObject({ state: 'killed', exit_code: null, stdout_summary: 'begun' })
})

test('K23: a job that ran is on record in its run, with its exit code and size', async () => {
  const { jobs, runtime, startRun, asAgentOf } = openJobsBench()
  const runId = await startRun(working)
  const environment = { API_TOKEN: 'hunter2hunter2' }
  const wish = { command: 'echo $API_TOKEN; sh -c "exit 4"', environment, stdin: 'secret input' }
  const result = resultIn(await jobs.run(wish, asAgentOf(runId), longMs))
  expect(result.stdout_summary).toBe('[redacted]')
  const events = async () => {
    const records = await runtime.readEvents(runId, { after: 0, limit: 99 })
    return records.map(({ type, data }) => `${type} ${data}`).join('\n')
  }
  await expect.poll(events).toMatch(/call\.reported .*"bytes":15.*"exitCode":4/)
  expect(await events()).not.toMatch(/hunter2|secret input/)
})

test('K24: what a policy blocks is refused by its rule', async () => {
  const deny = [{ ...neverAsked, capability: 'process.kill', origin: '/deny/0' }]
  const { jobs, startRun, asAgentOf } = openJobsBench({ policies: [policyOf({ deny })] })
  const me = asAgentOf(await startRun(working))
  const slow = await jobs.run({ command: 'sleep 60', background: true }, me, longMs)
  const fault = await faultOf(jobs.kill(resultIn(slow).process_id, {}, me))
  expect(fault).toMatchObject({ error_type: 'PolicyDenied', context: { rule: '/deny/0' } })
})

test('K25 to K27: a person is asked once, for this very call, and it runs once', async () => {
  const ask = [{ ...neverAsked, capability: 'bash', origin: '/ask/0' }]
  const { jobs, runtime, startRun, asAgentOf, again } = openJobsBench({
    policies: [policyOf({ ask })],
  })
  const me = asAgentOf(await startRun(working))
  const wish = { command: 'echo hi >> runs.txt; cat runs.txt' }
  const pending = await jobs.run(wish, me, 0)
  expect(pending).toMatchObject({ status: 'pending_approval', capability: 'process.run' })
  const id = 'approval_id' in pending ? pending.approval_id : ''
  await runtime.resolve(id, { granted: true, note: '', hash: null, edits: null }, asPerson)
  expect(await jobs.run({ command: 'echo other' }, me, 0)).toMatchObject({
    status: 'pending_approval',
  })
  const later = again()
  const other = await runtime.listApprovals({ ...anyApproval, status: 'pending' })
  await runtime.resolve(other.items[0]?.id ?? '', refusal, asPerson)
  expect(resultIn(await later.run(wish, me, longMs)).stdout_summary).toBe('hi')
  expect(await later.run(wish, me, 0)).toMatchObject({ status: 'pending_approval' })
})

const anyApproval = { status: null, runId: null, after: null, limit: 9 } as const
const refusal = { granted: false, note: 'not today', hash: null, edits: null }

test('K25: whoever waits is told of a refusal with its reason', async () => {
  const ask = [{ ...neverAsked, capability: 'bash', origin: '/ask/0' }]
  const { jobs, runtime, startRun, asAgentOf } = openJobsBench({ policies: [policyOf({ ask })] })
  const me = asAgentOf(await startRun(working))
  const waiting = faultOf(jobs.run({ command: 'echo hi' }, me, 10_000))
  const pending = async () => (await runtime.listApprovals(anyApproval)).items
  await expect.poll(async () => (await pending()).length).toBe(1)
  await runtime.resolve((await pending())[0]?.id ?? '', refusal, asPerson)
  expect(await waiting).toMatchObject({
    error_type: 'ApprovalRejected',
    context: { reason: 'not today' },
  })
})

test('a policy asks for a level of isolation, and a job below it is refused', async () => {
  const mild = openJobsBench({ policies: [policyOf({ minIsolation: 'contained' })] })
  const done = await mild.jobs.run({ command: 'true' }, mild.asPersonHere, longMs)
  expect(resultIn(done).state).toBe('completed')
  const policies = [policyOf({ minIsolation: 'isolated' })]
  const strict = openJobsBench({ policies, strongest: 'restricted' })
  const { level } = await strict.jobs.isolation()
  expect(
    await faultOf(strict.jobs.run({ command: 'true' }, strict.asPersonHere, longMs)),
  ).toMatchObject({
    error_type: 'SpawnFailed',
    context: { required_by: '`min_isolation` of a policy', min_isolation: 'isolated', level },
  })
})

test('of a definition and a policy the strictest isolation counts', async () => {
  const policies = [policyOf({ minIsolation: 'contained' })]
  const { jobs, startRun, asAgentOf } = openJobsBench({ policies, strongest: 'contained' })
  const { level } = await jobs.isolation()
  const run = async (definition: object) =>
    faultOf(jobs.run({ command: 'true' }, asAgentOf(await startRun(definition)), longMs))
  expect(await run(working)).toBeNull()
  expect(await run({ ...working, id: 'mild', min_isolation: 'contained' })).toBeNull()
  expect(await run({ ...working, id: 'strict', min_isolation: 'isolated' })).toMatchObject({
    error_type: 'SpawnFailed',
    description:
      '`min_isolation` of the definition `strict` requires the isolation `isolated`, ' +
      `but this machine has \`${level}\``,
    recovery_actions: [
      { action: 'check_isolation' },
      { action: 'check_permissions' },
      { action: 'retry' },
    ],
  })
})

test('what a definition asks of isolation holds in those that it invokes', async () => {
  const { jobs, runtime, startRun, asAgentOf } = openJobsBench({ strongest: 'contained' })
  await startRun(working)
  const me = asAgentOf(
    await startRun({
      ...{ id: 'above', initial: 'a', min_isolation: 'full' },
      states: {
        a: { on: { GO: { invoke: 'working', on_complete: 'z', on_fail: 'z' } } },
        z: { type: 'final' },
      },
    }),
  )
  await runtime.send(me.runId ?? '', say('GO'), me)
  expect((await runtime.readRun(me.runId ?? '', null)).view).toMatchObject({ stage: 'work' })
  expect(await faultOf(jobs.run({ command: 'true' }, me, longMs))).toMatchObject({
    context: { required_by: '`min_isolation` of the definition `above`' },
  })
})

test('the network is off for an agent, whatever it asks for; a person may open it', async () => {
  const { jobs, asPersonHere, asAgentOf } = openJobsBench()
  const wish = { command: 'true', network: 'all' } as const
  expect((await faultOf(jobs.run(wish, asAgentOf(null), longMs)))?.error_type).toBe('PolicyDenied')
  const open = resultIn(await jobs.run(wish, asPersonHere, longMs))
  expect(open.isolation.network).toBe('all')
})

test('a command that is sent twice under one id is one job', async () => {
  const { jobs, asPersonHere } = openJobsBench()
  const me = { ...asPersonHere, commandId: 'person:once' }
  const command = 'echo x >> count.txt; cat count.txt'
  const [one, two] = [
    await jobs.run({ command }, me, longMs),
    await jobs.run({ command }, me, longMs),
  ]
  expect(resultIn(two).process_id).toBe(resultIn(one).process_id)
  expect(resultIn(two).stdout_summary).toBe('x')
})

test('a command that is sent twice at once is one job, for a run as for a person', async () => {
  const { jobs, runtime, startRun, asAgentOf, asPersonHere } = openJobsBench()
  await jobs.run({ command: 'true' }, asPersonHere, longMs)
  const runId = await startRun(working)
  for (const caller of [asPersonHere, asAgentOf(runId)]) {
    const me = { ...caller, commandId: `${caller.actor.kind}:at-once` }
    const go = () => jobs.run({ command: 'sleep 20', background: true }, me, longMs)
    const [one, two] = (await Promise.all([go(), go()])).map(resultIn)
    expect(two?.process_id).toBe(one?.process_id)
    const id = one?.process_id ?? ''
    expect(await jobs.monitor(id, asPersonHere)).toMatchObject({ state: 'running' })
    await jobs.kill(id, { signal: 'SIGKILL' }, asPersonHere)
  }
  const vars = async () => (await runtime.readRun(runId, null)).view.vars
  await expect.poll(vars).toMatchObject({ job_state: 'killed' })
})

test('a job that ends while no daemon is there is told to its run by the next one', async () => {
  const bench = openJobsBench()
  const runId = await bench.startRun(working)
  const me = bench.asAgentOf(runId)
  await bench.jobs.run({ command: 'sleep 0.4', background: true }, me, longMs)
  await bench.jobs.close()
  await new Promise((resolve) => setTimeout(resolve, 900))
  bench.again()
  const vars = async () => (await bench.runtime.readRun(runId, null)).view.vars
  await expect.poll(vars).toMatchObject({ job_exit_code: 0 })
})
