/** Process capabilities of a session: permissions, audit, whose processes, and its end. */
import { expect, onTestFinished } from 'vitest'
import { capabilityClients, monitorUntilEnd } from './capabilities.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { freshName, type ProcessRun, processClient } from './processes.ts'

const claim = claimsOf('process capabilities')
const doors = useDoors()
const processes = processClient(doors)
const clients = capabilityClients(doors)

/** What an agent asks for its run over REST. */
function jobsOf(run: ProcessRun) {
  const as = 'agent'
  const query = `?run_id=${run.id}`
  return {
    run: (body: object) => doors.rest('POST /v1/jobs', { as, body: { run_id: run.id, ...body } }),
    list: () => doors.rest(`GET /v1/jobs${query}`, { as }),
    monitor: (id: string) => doors.rest(`GET /v1/jobs/${id}${query}`, { as }),
    logs: (id: string) => doors.rest(`GET /v1/jobs/${id}/logs${query}`, { as }),
    kill: (id: string) =>
      doors.rest(`POST /v1/jobs/${id}/kill`, { as, body: { run_id: run.id, signal: 'SIGKILL' } }),
  }
}

const inBackground = { command: 'sleep 30', background: true }

for (const [capability, permission, use] of [
  ['process.run', 'Notify', async (run: ProcessRun) => jobsOf(run).run({ command: 'true' })],
  ['process.kill', 'Notify', async (run: ProcessRun) => jobsOf(run).kill(await startOf(run))],
  ['process.list', 'Autonomous', (run: ProcessRun) => jobsOf(run).list()],
  [
    'process.monitor',
    'Autonomous',
    async (run: ProcessRun) => jobsOf(run).monitor(await startOf(run)),
  ],
  ['process.logs', 'Autonomous', async (run: ProcessRun) => jobsOf(run).logs(await startOf(run))],
] as const) {
  claim(
    {
      section: 'Overview',
      quote: `${capability} | ${permission}`,
      check: 'the call runs without approval and is recorded in the log of its run',
    },
    async () => {
      const run = await processes.start()
      const answer = await use(run)
      expect(answer.status).toBe(200)
      const tool = capability.replace('.', '_')
      const recorded = async (): Promise<boolean> =>
        (await run.events()).some(({ type, data }) => type === 'call.allowed' && data.tool === tool)
      await expect.poll(recorded).toBe(true)
    },
  )
}

async function startOf(run: ProcessRun): Promise<string> {
  const { body } = await jobsOf(run).run(inBackground)
  onTestFinished(async () => {
    await doors.rest(`POST /v1/jobs/${body.process_id}/kill`, { body: { signal: 'SIGKILL' } })
  })
  return body.process_id
}

claim(
  {
    section: 'Overview',
    quote: 'process.run | Notify',
    check: 'the exit code and state of the process are recorded in the run as observed facts',
  },
  async () => {
    const run = await processes.start()
    await jobsOf(run).run({ command: 'exit 3' })
    const facts = async (): Promise<LooseJson> => (await run.read()).view.vars
    await expect.poll(facts).toMatchObject({
      ...{ job_exit_code: 3, job_state: 'completed' },
    })
  },
)
claim(
  {
    section: 'Overview',
    quote: 'process.list … all processes owned by this agent',
    check: 'processes of another run are not listed',
  },
  async () => {
    const [mine, other] = [await processes.start(), await processes.start()]
    await startOf(other)
    const own = await startOf(mine)
    const { body } = await jobsOf(mine).list()
    expect(body.processes.map((one: LooseJson) => one.process_id)).toEqual([own])
    expect(body.total).toBe(1)
  },
)
for (const verb of ['monitor', 'logs', 'kill'] as const) {
  claim(
    {
      section: `process.${verb}: Errors`,
      quote: 'ProcessNotFound: No process with the given ID exists',
      check: 'a process of another run also gets this error and is left alone',
    },
    async () => {
      const [mine, other] = [await processes.start(), await processes.start()]
      const foreign = await startOf(other)
      const answer = await jobsOf(mine)[verb](foreign)
      expect(answer).toMatchObject({
        status: 404,
        body: { error: { error_type: 'ProcessNotFound' } },
      })
      expect((await jobsOf(other).monitor(foreign)).body.state).toBe('running')
    },
  )
}
claim(
  {
    section: 'process.run: Side effects',
    quote: 'Background processes persist until … the session ends.',
    check: 'when the run ends they are killed; their output can still be read',
  },
  async () => {
    const run = await processes.start()
    const command = 'echo begun; exec sleep 30'
    const { body } = await jobsOf(run).run({ command, background: true })
    await run.answer('yes')
    const state = async (): Promise<string> =>
      (await doors.rest(`GET /v1/jobs/${body.process_id}`)).body.state
    await expect.poll(state).toBe('killed')
    const logs = await doors.rest(`GET /v1/jobs/${body.process_id}/logs`)
    expect(logs.body.stdout).toBe('begun\n')
  },
)
claim(
  {
    section: 'process.run: Side effects',
    quote: 'Background processes persist until they complete, are killed',
    check: 'answers and other calls in the run do not end them',
  },
  async () => {
    const states = {
      ask: { question: 'One?', answers: { yes: { next: 'two' } } },
      two: { question: 'Two?', answers: { yes: { next: null, action: 'complete' } } },
    }
    const run = await processes.start({ states })
    const id = await startOf(run)
    await run.answer('yes')
    await jobsOf(run).run({ command: 'true' })
    expect((await jobsOf(run).monitor(id)).body.state).toBe('running')
  },
)
claim(
  {
    section: 'Overview',
    quote: 'process.run | Notify',
    check: 'a policy can require approval: the call waits, then the same call runs once',
  },
  async () => {
    const run = await processes.start({ policy: { role: 'agent', ask: [{ capability: 'bash' }] } })
    const wish = { command: 'echo approved', wait_ms: 0 }
    const pending = await jobsOf(run).run(wish)
    expect(pending.body).toMatchObject({ status: 'pending_approval', capability: 'process.run' })
    await run.decide(true)
    const ran = await jobsOf(run).run({ command: 'echo approved' })
    expect(ran.body).toMatchObject({ state: 'completed', stdout_summary: 'approved' })
  },
)
for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'Overview',
      quote: 'Capability | Permission | Purpose',
      check: `MCP over ${wire}: a denied tool is not listed; calling it gives PolicyDenied`,
    },
    async () => {
      const name = freshName()
      const policy = { role: 'agent', deny: [{ capability: 'process.kill' }] }
      const states = {
        ask: { question: 'Q?', answers: { yes: { next: null, action: 'complete' } } },
      }
      await processes.store({ name, initial: 'ask', states, policy })
      const agent = await doors.connect({ wire })
      const loaded = await agent.call('pawl_load_workflow', { name })
      onTestFinished(async () => {
        await doors.rest(`POST /v1/runs/${loaded.values.run.run}/cancel`)
      })
      const names = (await agent.tools()).map((one) => one.name)
      expect(names).toContain('process_run')
      expect(names).not.toContain('process_kill')
      const started = (await agent.call('process_run', inBackground)).values as LooseJson
      const { process_id } = started
      const killed = await agent.call('process_kill', { process_id })
      expect((killed.values.error as LooseJson).error_type).toBe('PolicyDenied')
    },
  )
}

for (const client of clients) {
  claim(
    {
      section: 'process.run: Common patterns',
      quote: 'Multi-hour operation — use background mode: run, monitor, logs, kill',
      check: `${client.door}: a scripted client completes the pattern`,
    },
    async () => {
      const train = 'echo epoch 1; sleep 0.2; echo epoch 2; exec sleep 600'
      const wish = { command: 'sh', args: ['-c', train], background: true }
      const { process_id, state } = await client.call('run', wish)
      expect(state).toBe('running')
      const trained = async (): Promise<string> =>
        (await client.call('logs', { process_id, stream: 'stdout' })).stdout
      await expect.poll(trained).toBe('epoch 1\nepoch 2\n')
      expect((await client.call('monitor', { process_id })).state).toBe('running')
      const running = await client.call('list', { state_filter: 'running' })
      expect(running.processes.map((one: LooseJson) => one.process_id)).toContain(process_id)
      const killed = await client.call('kill', { process_id, signal: 'SIGTERM', force_after: 5 })
      expect(killed).toMatchObject({ killed: true, state: 'killed' })
      expect(await monitorUntilEnd(client, process_id)).toMatchObject({ exit_code: null })
    },
  )
}
