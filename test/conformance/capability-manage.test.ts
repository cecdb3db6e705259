/** `process.monitor`, `process.kill`, `process.list` and `process.logs`, over every door. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type CapabilityClient, capabilityClients, monitorUntilEnd } from './capabilities.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'

const claim = claimsOf('process capabilities')
const doors = useDoors()
const clients = capabilityClients(doors)
const [stdio, http, rest] = clients as [CapabilityClient, CapabilityClient, CapabilityClient]

async function startBackground(client: CapabilityClient, command: string): Promise<string> {
  return (await client.call('run', { command, background: true })).process_id
}

/** A job that has said `ready`, so that it has set up what it sets up. */
async function startReady(client: CapabilityClient, command: string): Promise<string> {
  const process_id = await startBackground(client, command)
  const said = async (): Promise<string> => (await client.call('logs', { process_id })).stdout
  await expect.poll(said, { interval: 50 }).toContain('ready')
  return process_id
}

const ignoresTerm = 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
const endsOnTerm = 'echo ready; exec sleep 30'

const monitor = 'process.monitor: Outputs'
const states: readonly (readonly [state: string, client: CapabilityClient, wish: JsonObject])[] = [
  ['completed', stdio, { command: 'exit 4' }],
  ['timed_out', http, { command: 'sleep 20', timeout: 1 }],
]
for (const [state, client, wish] of states) {
  claim(
    {
      section: monitor,
      quote: 'state: Current state: ‘running’, ‘completed’, ‘killed’, or ‘timed_out’.',
      check: `\`${JSON.stringify(wish)}\` ends as ${state}`,
    },
    async () => {
      const { process_id } = await client.call('run', wish)
      expect(await client.call('monitor', { process_id })).toMatchObject({ process_id, state })
    },
  )
}
claim(
  {
    section: monitor,
    quote: 'state: ‘running’ … exit_code: Null if still running or was killed.',
    check: 'the state is first running, then killed, both without an exit code',
  },
  async () => {
    for (const client of clients) {
      const process_id = await startBackground(client, 'sleep 30')
      const first = await client.call('monitor', { process_id })
      expect(first).toMatchObject({ state: 'running', exit_code: null })
      await client.call('kill', { process_id, signal: 'SIGKILL' })
      const then = await client.call('monitor', { process_id })
      expect(then).toMatchObject({ state: 'killed', exit_code: null })
    }
  },
)
claim(
  {
    section: monitor,
    quote: 'exit_code: Exit code if the process has completed.',
    check: 'a background process that exits with 7 has the exit code 7',
  },
  async () => {
    for (const client of clients) {
      const process_id = await startBackground(client, 'exit 7')
      const seen = await monitorUntilEnd(client, process_id)
      expect(seen).toMatchObject({ state: 'completed', exit_code: 7 })
    }
  },
)
claim(
  {
    section: monitor,
    quote: 'command: The command that was executed.',
    check: 'the command is a string that includes its arguments',
  },
  async () => {
    for (const client of clients) {
      const ran = await client.call('run', { command: 'echo', args: ['a', 'b c'] })
      const seen = await client.call('monitor', { process_id: ran.process_id })
      expect(seen.command).toBe("echo a 'b c'")
    }
  },
)
claim(
  {
    section: monitor,
    quote: 'duration_ms: Elapsed time in milliseconds since the process started.',
    check: 'the duration is an integer and grows while the process runs',
  },
  async () => {
    const process_id = await startBackground(http, 'sleep 30')
    const first = await http.call('monitor', { process_id })
    await new Promise((resolve) => setTimeout(resolve, 60))
    const then = await http.call('monitor', { process_id })
    expect(Number.isInteger(first.duration_ms)).toBe(true)
    expect(then.duration_ms).toBeGreaterThan(first.duration_ms)
    await http.call('kill', { process_id, signal: 'SIGKILL' })
  },
)
claim(
  {
    section: monitor,
    quote: 'resource_usage: Current resource consumption',
    check: 'all four figures are integers while the process runs, and CPU time grows',
  },
  async () => {
    const process_id = await startReady(rest, 'echo ready; while :; do :; done')
    for (const client of clients) {
      const used = async (): Promise<number> => {
        const { resource_usage } = await client.call('monitor', { process_id })
        for (const name of ['cpu_ms', 'memory_peak_bytes', 'io_read_bytes', 'io_write_bytes']) {
          expect(Number.isInteger(resource_usage[name]), `${client.door}: ${name}`).toBe(true)
        }
        return resource_usage.cpu_ms
      }
      await expect.poll(used, { interval: 100 }).toBeGreaterThan(0)
    }
    await rest.call('kill', { process_id, signal: 'SIGKILL' })
  },
)
claim(
  {
    section: monitor,
    quote: 'resource_usage: {cpu_ms, memory_peak_bytes, io_read_bytes, io_write_bytes}',
    check: 'bytes that a running process has written to disk are counted',
  },
  async () => {
    const command =
      'dd if=/dev/zero of=big bs=1048576 count=4 conv=fsync 2>/dev/null; echo ready; sleep 30'
    const process_id = await startReady(rest, command)
    const { resource_usage, state } = await rest.call('monitor', { process_id })
    expect(state).toBe('running')
    expect(resource_usage.io_write_bytes).toBeGreaterThanOrEqual(4 * 1024 * 1024)
    await rest.call('kill', { process_id, signal: 'SIGKILL' })
  },
)
claim(
  {
    section: monitor,
    quote: 'started_at: ISO 8601 timestamp when the process was started.',
    check: 'the timestamp is in UTC and falls within the call',
  },
  async () => {
    for (const client of clients) {
      const before = Date.now()
      const { process_id } = await client.call('run', { command: 'true' })
      const { started_at } = await client.call('monitor', { process_id })
      expect(started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(Date.parse(started_at)).toBeGreaterThanOrEqual(before - 1)
      expect(Date.parse(started_at)).toBeLessThanOrEqual(Date.now())
    }
  },
)
claim(
  {
    section: 'process.monitor: Common patterns',
    quote:
      'If state is ‘running’, wait and poll again. When state is ‘completed’, use process.logs',
    check: 'a client that follows this pattern gets the output',
  },
  async () => {
    const process_id = await startBackground(stdio, 'sleep 0.3; echo result')
    expect((await monitorUntilEnd(stdio, process_id)).state).toBe('completed')
    expect((await stdio.call('logs', { process_id })).stdout).toBe('result\n')
  },
)

const kill = 'process.kill'
claim(
  {
    section: `${kill}: Inputs`,
    quote: 'signal | Signal | No | SIGTERM',
    check: 'without a signal, SIGTERM is sent and ends the process',
  },
  async () => {
    for (const client of clients) {
      const process_id = await startReady(client, endsOnTerm)
      expect(await client.call('kill', { process_id })).toEqual(
        expect.objectContaining({
          ...{ killed: true, signal_sent: 'SIGTERM', process_id, state: 'killed' },
        }),
      )
    }
  },
)
claim(
  {
    section: `${kill}: Inputs`,
    quote: 'signal: SIGKILL for forced termination.',
    check: 'SIGKILL ends a process that ignores SIGTERM',
  },
  async () => {
    for (const client of clients) {
      const process_id = await startReady(client, ignoresTerm)
      const killed = await client.call('kill', { process_id, signal: 'SIGKILL' })
      expect(killed).toMatchObject({ killed: true, signal_sent: 'SIGKILL', state: 'killed' })
    }
  },
)
claim(
  {
    section: `${kill}: Inputs`,
    quote: 'force_after: Seconds to wait after SIGTERM before sending SIGKILL.',
    check: 'after a second, a process that ignores SIGTERM is killed with SIGKILL',
  },
  async () => {
    const process_id = await startReady(http, ignoresTerm)
    const begun = performance.now()
    const killed = await http.call('kill', { process_id, force_after: 1 })
    expect(performance.now() - begun).toBeGreaterThan(900)
    expect(killed).toMatchObject({ killed: true, signal_sent: 'SIGKILL', state: 'killed' })
  },
)
claim(
  {
    section: `${kill}: Inputs`,
    quote: 'force_after: Set to 0 for immediate SIGTERM without escalation.',
    check: 'a process that ignores SIGTERM keeps running: killed is false',
  },
  async () => {
    const process_id = await startReady(rest, ignoresTerm)
    const killed = await rest.call('kill', { process_id, force_after: 0 })
    expect(killed).toMatchObject({ killed: false, signal_sent: 'SIGTERM', state: 'running' })
    await rest.call('kill', { process_id, signal: 'SIGKILL' })
  },
)
claim(
  {
    section: `${kill}: Inputs`,
    quote: 'force_after: Only applies when signal is SIGTERM.',
    check: 'with SIGKILL and a force_after of 60 s, the process ends at once',
  },
  async () => {
    const process_id = await startReady(stdio, ignoresTerm)
    const begun = performance.now()
    await stdio.call('kill', { process_id, signal: 'SIGKILL', force_after: 60 })
    expect(performance.now() - begun).toBeLessThan(20_000)
  },
)
for (const [inputs, named] of [
  [{ force_after: -1 }, '`force_after`'],
  [{ force_after: 3601 }, '`force_after`'],
  [{ signal: 'SIGWHAT' }, '`signal`'],
  [{ signal: 'term' }, '`signal`'],
] as const) {
  claim(
    {
      section: `${kill}: Inputs`,
      quote: 'signal | Signal · force_after | Integer',
      check: `\`${JSON.stringify(inputs)}\` is rejected; no signal is sent`,
    },
    async () => {
      const process_id = await startBackground(rest, 'sleep 30')
      for (const client of clients) {
        const error = await client.fail('kill', { process_id, ...inputs })
        expect(error).toMatchObject({ error_type: 'InvalidInput' })
        expect(error.description).toContain(named)
      }
      expect((await rest.call('monitor', { process_id })).state).toBe('running')
      await rest.call('kill', { process_id, signal: 'SIGKILL' })
    },
  )
}
claim(
  {
    section: `${kill}: Outputs`,
    quote: 'state: Final process state after kill: ‘killed’ or ‘completed’',
    check: 'a process that handles SIGTERM and exits by itself, without escalation, is completed',
  },
  async () => {
    const command = 'trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done'
    const process_id = await startReady(http, command)
    await http.call('kill', { process_id, force_after: 0 })
    expect(await monitorUntilEnd(http, process_id)).toMatchObject({
      ...{ state: 'completed', exit_code: 5 },
    })
  },
)
claim(
  {
    section: `${kill}: Side effects`,
    quote: 'Terminates the running process and frees its resources.',
    check: 'background children of the command end too: nothing more is written',
  },
  async () => {
    const child = '(while :; do echo tick; sleep 0.05; done) & echo ready; wait'
    const process_id = await startReady(rest, child)
    await rest.call('kill', { process_id, signal: 'SIGKILL' })
    const { stdout_size } = await rest.call('logs', { process_id, limit: 0 })
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect((await rest.call('logs', { process_id, limit: 0 })).stdout_size).toBe(stdout_size)
  },
)
claim(
  {
    section: `${kill}: Common patterns`,
    quote: 'process.kill(process_id=..., signal=‘SIGTERM’, force_after=5)',
    check: 'the pattern ends a process that handles SIGTERM within 5 s',
  },
  async () => {
    const process_id = await startReady(stdio, endsOnTerm)
    const killed = await stdio.call('kill', { process_id, signal: 'SIGTERM', force_after: 5 })
    expect(killed).toMatchObject({ killed: true, signal_sent: 'SIGTERM' })
  },
)
claim(
  {
    section: `${kill}: Common patterns`,
    quote: 'If killed=false, the process had already exited',
    check: 'a process that exited before the call is an error, as under Errors',
    differs: 'kill-of-an-exited-process',
  },
  async () => {
    const { process_id } = await stdio.call('run', { command: 'true' })
    for (const client of clients) {
      const error = await client.fail('kill', { process_id })
      expect(error).toMatchObject({ error_type: 'ProcessAlreadyExited' })
      expect(error.context).toMatchObject({ process_id, state: 'completed', exit_code: 0 })
    }
  },
)

const list = 'process.list'
claim(
  {
    section: `${list}: Inputs`,
    quote: 'state_filter: ‘running’, ‘completed’, ‘killed’, ‘timed_out’, or ‘all’.',
    check: 'each filter lists only the processes in that state; `all` lists every process',
  },
  async () => {
    const running = await startBackground(rest, 'sleep 30')
    const gone = await startBackground(rest, 'sleep 30')
    await rest.call('kill', { process_id: gone, signal: 'SIGKILL' })
    const { process_id: late } = await rest.call('run', { command: 'sleep 9', timeout: 1 })
    const { process_id: done } = await rest.call('run', { command: 'true' })
    const ids = { running, killed: gone, timed_out: late, completed: done }
    for (const client of clients) {
      for (const [state_filter, id] of Object.entries(ids)) {
        const { processes } = await client.call('list', { state_filter, limit: 1000 })
        expect(processes.every((one: LooseJson) => one.state === state_filter)).toBe(true)
        expect(processes.map((one: LooseJson) => one.process_id)).toContain(id)
      }
      const { processes } = await client.call('list', { state_filter: 'all', limit: 1000 })
      const found = processes.map((one: LooseJson) => one.process_id)
      for (const id of Object.values(ids)) expect(found).toContain(id)
    }
    await rest.call('kill', { process_id: running, signal: 'SIGKILL' })
  },
)
claim(
  {
    section: `${list}: Inputs`,
    quote: 'state_filter: Default is ‘all’.',
    check: 'without a filter, the response is the same as for `all`',
  },
  async () => {
    for (const client of clients) {
      const { total } = await client.call('list', {})
      expect((await client.call('list', { state_filter: 'all' })).total).toBe(total)
    }
  },
)
claim(
  {
    section: `${list}: Inputs`,
    quote: 'limit: Maximum number of processes to return. Most recent first.',
    check: 'limit 2 returns the two newest processes, newest first',
  },
  async () => {
    const { process_id: older } = await http.call('run', { command: 'true' })
    const { process_id: newer } = await http.call('run', { command: 'true' })
    for (const client of clients) {
      const { processes } = await client.call('list', { limit: 2 })
      expect(processes.map((one: LooseJson) => one.process_id)).toEqual([newer, older])
    }
  },
)
claim(
  {
    section: `${list}: Inputs`,
    quote: 'limit | Integer | No | 50',
    check: 'if there are more than 50 processes, 50 are listed',
  },
  async () => {
    const { total } = await rest.call('list', {})
    const missing = Math.max(0, 51 - total)
    const wishes = Array.from({ length: missing }, () => rest.call('run', { command: 'true' }))
    await Promise.all(wishes)
    for (const client of clients) {
      const listed = await client.call('list', {})
      expect(listed.processes).toHaveLength(50)
      expect(listed.total).toBeGreaterThan(50)
    }
  },
)
for (const limit of [0, -1, 1001]) {
  claim(
    {
      section: `${list}: Inputs`,
      quote: 'limit | Integer',
      check: `a limit of ${limit} is rejected`,
    },
    async () => {
      for (const client of clients) {
        const error = await client.fail('list', { limit })
        expect(error).toMatchObject({ error_type: 'InvalidInput' })
        expect(error.description).toContain('`limit`')
      }
    },
  )
}
claim(
  {
    section: `${list}: Outputs`,
    quote:
      'processes: each with {process_id, command, state, exit_code, started_at, duration_ms, …}',
    check: 'every entry has all seven fields',
  },
  async () => {
    const fields = ['process_id', 'command', 'state', 'exit_code', 'started_at', 'duration_ms']
    for (const client of clients) {
      const { processes } = await client.call('list', { limit: 5 })
      for (const one of processes) {
        for (const field of [...fields, 'resource_usage']) expect(one).toHaveProperty(field)
        expect(Object.keys(one.resource_usage).sort()).toEqual([
          ...['cpu_ms', 'io_read_bytes', 'io_write_bytes', 'memory_peak_bytes'],
        ])
      }
    }
  },
)
claim(
  {
    section: `${list}: Outputs`,
    quote: 'total: Total number of processes matching the filter (may exceed limit).',
    check: 'the total is the same with limit 1 and limit 1000',
  },
  async () => {
    for (const client of clients) {
      const one = await client.call('list', { state_filter: 'completed', limit: 1 })
      const all = await client.call('list', { state_filter: 'completed', limit: 1000 })
      expect(one.processes).toHaveLength(1)
      expect(one.total).toBe(all.processes.length)
    }
  },
)
claim(
  {
    section: `${list}: Common patterns`,
    quote: 'process.list(state_filter=‘completed’, limit=10) Check exit_code of each',
    check: 'a failed process among the latest is found by its exit code',
  },
  async () => {
    const { process_id } = await stdio.call('run', { command: 'exit 6' })
    const wish = { state_filter: 'completed', limit: 10 }
    const { processes } = await stdio.call('list', wish)
    const failed = processes.filter((one: LooseJson) => one.exit_code !== 0)
    expect(failed.map((one: LooseJson) => one.process_id)).toContain(process_id)
  },
)
