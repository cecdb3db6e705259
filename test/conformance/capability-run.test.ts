/** `process.run`: what each input does, and what each output says, over every door. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type CapabilityClient, capabilityClients, monitorUntilEnd } from './capabilities.ts'
import { type Claim, claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'

const claim = claimsOf('process capabilities')
const doors = useDoors({
  config: { jobs: { cpus: 1, memoryMegabytes: 600 } },
  files: {
    'script.py': 'print("from a script")\n',
    'sub/where.txt': 'here\n',
    'peek.sh': 'read home; cat "$home/person.token"; echo x > "$home/../escaped.txt"\n',
    'tests.sh': 'echo one passed\necho two passed\n',
  },
})
const clients = capabilityClients(doors)
const [stdio, http, rest] = clients as [CapabilityClient, CapabilityClient, CapabilityClient]

/** A claim about one invocation: the outputs that it names, over all doors. */
function runs(what: Claim, inputs: JsonObject, outputs: object): void {
  claim(what, async () => {
    const results = await Promise.all(clients.map((client) => client.call('run', inputs)))
    for (const result of results) expect(result).toMatchObject(outputs)
  })
}

const inputs = 'process.run: Inputs'
const outputs = 'process.run: Outputs'

runs(
  {
    section: 'process.run',
    quote:
      'Executes a command within the agent’s sandbox and returns the exit code, captured output',
    check: '`echo hi` completes with exit code 0 and its output',
  },
  { command: 'echo', args: ['hi'] },
  { exit_code: 0, stdout_summary: 'hi', stderr_summary: '', state: 'completed' },
)
runs(
  {
    section: inputs,
    quote: 'command: Passed to the shell as a single string.',
    check: 'pipes, `&&` and redirections work',
  },
  { command: 'printf "b\\na\\n" | sort && echo err >&2' },
  { stdout_summary: 'a\nb', stderr_summary: 'err', exit_code: 0 },
)
runs(
  {
    section: inputs,
    quote: 'command: Use array-style quoting for arguments with spaces.',
    check: 'a quoted argument with spaces stays one argument',
  },
  { command: `printf '%s|' "one two" three` },
  { stdout_summary: 'one two|three|' },
)
runs(
  {
    section: inputs,
    quote: 'args: Each element is a separate argument.',
    check: 'spaces, quotes and `$` reach the program as they are',
  },
  { command: 'printf', args: ['%s|', 'a b', '"q"', '$HOME', '*', ''] },
  { stdout_summary: 'a b|"q"|$HOME|*||' },
)
runs(
  {
    section: inputs,
    quote: 'working_directory: Defaults to the workspace root.',
    check: 'without it, the command runs in the workspace root',
  },
  { command: 'cat', args: ['sub/where.txt'] },
  { stdout_summary: 'here' },
)
runs(
  {
    section: inputs,
    quote: 'working_directory: Directory to execute the command in.',
    check: 'a folder can be given relative to the workspace',
  },
  { command: 'cat', args: ['where.txt'], working_directory: 'sub' },
  { stdout_summary: 'here' },
)
claim(
  {
    section: inputs,
    quote: 'working_directory | FilesystemPath',
    check: 'an absolute path inside the workspace is accepted',
  },
  async () => {
    const working_directory = join(doors.house().workspace, 'sub')
    for (const client of clients) {
      const ran = await client.call('run', { command: 'cat where.txt', working_directory })
      expect(ran.stdout_summary).toBe('here')
    }
  },
)
runs(
  {
    section: inputs,
    quote: 'environment: Additional environment variables as key-value pairs.',
    check: 'a variable reaches the command',
  },
  { command: 'echo "$GREETING"', environment: { GREETING: 'good morning' } },
  { stdout_summary: 'good morning' },
)
runs(
  {
    section: inputs,
    quote: 'environment: Merged with the sandbox’s base environment.',
    check: 'PATH and HOME are still set',
  },
  { command: 'test -n "$PATH" && test -n "$HOME" && echo "$X"', environment: { X: 'x' } },
  { exit_code: 0, stdout_summary: 'x' },
)
for (const name of ['PATH', 'HOME', 'LD_PRELOAD', 'PAWL_JOB', 'BASH_ENV', 'path']) {
  claim(
    {
      section: inputs,
      quote: 'environment: Cannot override system-protected variables.',
      check: `\`${name}\` is rejected, and the error names it`,
    },
    async () => {
      for (const client of clients) {
        const error = await client.fail('run', { command: 'true', environment: { [name]: 'x' } })
        expect(error).toMatchObject({ error_type: 'InvalidInput' })
        expect(error.description).toContain(`\`${name}\``)
      }
    },
  )
}

const timedOut = { command: 'echo partial; echo why >&2; sleep 30', timeout: 1 }
claim(
  {
    section: 'process.run: Timeout behaviour',
    quote: 'On timeout the call returns Ok with state="timed_out" and exit_code=null',
    check: 'all three interfaces respond without an error within seconds',
  },
  async () => {
    const begun = performance.now()
    const results = await Promise.all(clients.map((client) => client.invoke('run', timedOut)))
    expect(performance.now() - begun).toBeLessThan(20_000)
    for (const result of results) {
      expect(result).toMatchObject({ ok: true, values: { state: 'timed_out', exit_code: null } })
    }
  },
)
runs(
  {
    section: 'process.run: Timeout behaviour',
    quote: 'stdout_summary / stderr_summary contain whatever the process wrote before the kill',
    check: 'both summaries contain the partial output',
  },
  timedOut,
  { stdout_summary: 'partial', stderr_summary: 'why' },
)
runs(
  {
    section: 'process.run: Timeout behaviour',
    quote: 'Maximum timeout is 3600 seconds (1 hour)',
    check: 'a timeout of 3600 is accepted',
  },
  { command: 'true', timeout: 3600 },
  { state: 'completed' },
)
for (const timeout of [3601, 0, -1]) {
  claim(
    {
      section: 'process.run: Timeout behaviour',
      quote: 'timeout: Maximum 3600 (1 hour).',
      check: `a timeout of ${timeout} is rejected, and the error suggests background mode`,
    },
    async () => {
      for (const client of clients) {
        const error = await client.fail('run', { command: 'true', timeout })
        expect(error).toMatchObject({ error_type: 'InvalidInput' })
        expect(error.description).toContain('3600')
        expect(actionsOf(error)).toContain('use_background')
      }
    },
  )
}
claim(
  {
    section: 'process.run: Background mode',
    quote: 'The call returns immediately with a process_id',
    check: 'a command of 30 s is reported at once as running, without an exit code',
  },
  async () => {
    for (const client of clients) {
      const begun = performance.now()
      const started = await client.call('run', { command: 'sleep 30', background: true })
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(started).toMatchObject({ state: 'running', exit_code: null })
      expect(started.process_id).toMatch(/^\w+$/)
      await client.call('kill', { process_id: started.process_id, signal: 'SIGKILL' })
    }
  },
)
claim(
  {
    section: inputs,
    quote: 'background: The foreground timeout does not apply to background processes',
    check: 'with `timeout: 1`, a command that takes longer still runs to its end',
  },
  async () => {
    const wish = { command: 'sleep 1.6; echo end', background: true, timeout: 1 }
    const { process_id } = await http.call('run', wish)
    expect(await monitorUntilEnd(http, process_id)).toMatchObject({
      ...{ state: 'completed', exit_code: 0 },
    })
  },
)
claim(
  {
    section: inputs,
    quote: 'background | Boolean | No | False',
    check: 'without background, or with false, the call waits for the end',
  },
  async () => {
    for (const client of clients) {
      const wish = { command: 'sleep 0.2; echo end' }
      expect(await client.call('run', wish)).toMatchObject({ stdout_summary: 'end' })
      const plain = await client.call('run', { ...wish, background: false })
      expect(plain).toMatchObject({ state: 'completed', stdout_summary: 'end' })
    }
  },
)
runs(
  {
    section: inputs,
    quote: 'stdin: Input to feed to the process via stdin.',
    check: 'the command reads all of the input',
  },
  { command: 'cat', args: [], stdin: 'line one\nline two ✓' },
  { stdout_summary: 'line one\nline two ✓' },
)
claim(
  {
    section: inputs,
    quote: 'stdin: Ignored if background=true.',
    check: 'a command in the background reads nothing',
  },
  async () => {
    const wish = { command: 'wc', args: ['-c'], stdin: 'ignored', background: true }
    for (const client of clients) {
      const { process_id } = await client.call('run', wish)
      await monitorUntilEnd(client, process_id)
      const { stdout } = await client.call('logs', { process_id })
      expect(stdout.trim()).toBe('0')
    }
  },
)
runs(
  {
    section: inputs,
    quote: 'cpu_limit: CPU limit as a fraction of one core (e.g. 0.5 = half a core).',
    check: 'a cpu_limit of 0.5 is accepted',
  },
  { command: 'true', cpu_limit: 0.5 },
  { state: 'completed' },
)
runs(
  {
    section: inputs,
    quote: 'memory_limit: Memory limit in bytes.',
    check: 'a memory_limit of 64 MiB is accepted',
  },
  { command: 'true', memory_limit: 64 * 1024 * 1024 },
  { state: 'completed' },
)
const limits: readonly (readonly [quote: string, wish: JsonObject, named: string])[] = [
  ['cpu_limit: Cannot exceed the agent’s allocated CPU.', { cpu_limit: 1.5 }, '`cpu_limit`'],
  ['cpu_limit | Float', { cpu_limit: 0 }, '`cpu_limit`'],
  ['cpu_limit | Float', { cpu_limit: -0.5 }, '`cpu_limit`'],
  [
    'memory_limit: Cannot exceed the agent’s allocated memory.',
    { memory_limit: 700 * 1024 * 1024 },
    '`memory_limit`',
  ],
  ['memory_limit | Integer', { memory_limit: -1 }, '`memory_limit`'],
  ['stdout_lines | Integer', { stdout_lines: -1 }, '`stdout_lines`'],
]
for (const [quote, wish, named] of limits) {
  claim({ section: inputs, quote, check: `\`${JSON.stringify(wish)}\` is an error` }, async () => {
    for (const client of clients) {
      const error = await client.fail('run', { command: 'true', ...wish })
      expect(error).toMatchObject({ error_type: 'InvalidInput' })
      expect(error.description).toContain(named)
    }
  })
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => String(from + i)).join('\n')
runs(
  {
    section: inputs,
    quote: 'stdout_lines | Integer | No | 100',
    check: 'the summary contains the last 100 of 250 lines',
  },
  { command: 'seq 1 250' },
  { stdout_summary: lines(151, 250) },
)
runs(
  {
    section: inputs,
    quote: 'stdout_lines: Number of trailing stdout lines to include in stdout_summary.',
    check: 'a value of 3 gives the last three lines',
  },
  { command: 'seq 1 50', stdout_lines: 3 },
  { stdout_summary: lines(48, 50) },
)
runs(
  {
    section: inputs,
    quote: 'stdout_lines | Integer',
    check: 'a value of 0 gives an empty summary',
  },
  { command: 'seq 1 5', stdout_lines: 0 },
  { stdout_summary: '' },
)
claim(
  {
    section: inputs,
    quote: 'stdout_lines: Full output available via process.logs.',
    check: 'the log has all 250 lines',
  },
  async () => {
    for (const client of clients) {
      const { process_id } = await client.call('run', { command: 'seq 1 250', stdout_lines: 1 })
      expect((await client.call('logs', { process_id })).stdout).toBe(`${lines(1, 250)}\n`)
    }
  },
)

claim(
  {
    section: outputs,
    quote: 'stdout_summary: Last N lines of stdout',
    check: 'the summary has at most 32 KiB; the log has all of the output',
    differs: 'size-of-a-summary',
  },
  async () => {
    const bytes = 100 * 1_000
    for (const client of clients) {
      const command = 'i=0; while [ $i -lt 100 ]; do printf "%0999d\\n" $i; i=$((i+1)); done'
      const ran = await client.call('run', { command })
      expect(ran.stdout_summary.length).toBeLessThanOrEqual(32 * 1024)
      expect(ran.stdout_summary.length).toBeGreaterThan(30 * 1024)
      expect(ran.stdout_summary.endsWith('99')).toBe(true)
      const { process_id } = ran
      expect((await client.call('logs', { process_id })).stdout.length).toBe(bytes)
    }
  },
)
claim(
  {
    section: outputs,
    quote: 'stdout_summary: Last N lines of stdout',
    check: 'text that looks like a secret is removed from the summary, but not from the log',
    differs: 'secrets-in-a-summary',
  },
  async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    for (const client of clients) {
      const ran = await client.call('run', { command: 'cat', args: [], stdin: secret })
      expect(ran.stdout_summary).not.toContain(secret)
      const { stdout } = await client.call('logs', { process_id: ran.process_id })
      expect(stdout).toBe(secret)
    }
  },
)

runs(
  {
    section: outputs,
    quote: 'exit_code: Process exit code.',
    check: '`exit 3` is a normal result with the exit code 3',
  },
  { command: 'exit 3' },
  { exit_code: 3, state: 'completed' },
)
runs(
  {
    section: outputs,
    quote: 'exit_code: 0 typically indicates success.',
    check: '`true` has the exit code 0, as an integer',
  },
  { command: 'true' },
  { exit_code: 0 },
)
claim(
  {
    section: outputs,
    quote: 'exit_code: Null if process was killed or timed out.',
    check: 'a killed process has no exit code',
  },
  async () => {
    const { process_id } = await rest.call('run', { command: 'sleep 30', background: true })
    await rest.call('kill', { process_id, signal: 'SIGKILL' })
    const seen = await rest.call('monitor', { process_id })
    expect(seen).toMatchObject({ state: 'killed', exit_code: null })
  },
)
runs(
  {
    section: outputs,
    quote: 'stderr_summary: Last N lines of stderr.',
    check: 'N is the value of `stdout_lines`',
  },
  { command: 'seq 1 9 >&2', stdout_lines: 2 },
  { stderr_summary: '8\n9', stdout_summary: '' },
)
claim(
  {
    section: outputs,
    quote: 'duration_ms: Wall-clock execution time in milliseconds.',
    check: 'for `sleep 0.3`, the duration is an integer of at least 300',
  },
  async () => {
    for (const client of clients) {
      const { duration_ms } = await client.call('run', { command: 'sleep 0.3' })
      expect(Number.isInteger(duration_ms)).toBe(true)
      expect(duration_ms).toBeGreaterThanOrEqual(295)
    }
  },
)
claim(
  {
    section: outputs,
    quote: 'process_id: Unique identifier for this process execution. Always returned.',
    check: 'each of six executions has its own id, including those that fail or time out',
  },
  async () => {
    const wishes = [{ command: 'true' }, { command: 'exit 9' }]
    const asked = clients.flatMap((client) => wishes.map((wish) => client.call('run', wish)))
    const ids = (await Promise.all(asked)).map(({ process_id }) => process_id)
    expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true)
    expect(new Set(ids).size).toBe(6)
  },
)
claim(
  {
    section: outputs,
    quote: 'resource_usage: {cpu_ms, memory_peak_bytes, io_read_bytes, io_write_bytes}',
    check: 'all four figures are integers, and a busy loop uses CPU time',
  },
  async () => {
    const busy = { command: 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' }
    for (const client of clients) {
      const { resource_usage: usage } = await client.call('run', busy)
      expectUsage(usage)
      expect(usage.cpu_ms).toBeGreaterThan(0)
      expect(usage.memory_peak_bytes).toBeGreaterThan(0)
    }
  },
)
claim(
  {
    section: 'process.run: Side effects',
    quote: 'Executes a process in the agent’s sandbox which may modify files',
    check: 'a file that the process writes is in the workspace',
  },
  async () => {
    await stdio.call('run', { command: 'echo written > made.txt' })
    expect(readFileSync(join(doors.house().workspace, 'made.txt'), 'utf8')).toBe('written\n')
  },
)
claim(
  {
    section: 'process.run: Side effects',
    quote: 'Executes a process in the agent’s sandbox',
    check: "the process can neither read Pawl's data directory nor write outside the workspace",
  },
  async () => {
    const { folder } = doors.house()
    const outside = join(folder, '..', 'escaped.txt')
    const ran = await rest.call('run', { command: 'sh', args: ['peek.sh'], stdin: `${folder}\n` })
    expect(ran.stdout_summary).toBe('')
    expect(existsSync(outside)).toBe(false)
  },
)

claim(
  {
    section: 'process.run: Common patterns',
    quote:
      'process.run(command=‘python3’, args=[‘script.py’]) … Check exit_code == 0 … stdout_summary',
    check: 'a script in the workspace runs',
  },
  async () => {
    const python = await stdio.call('run', { command: 'command -v python3', stdout_lines: 1 })
    const wish: JsonObject =
      python.exit_code === 0
        ? { command: 'python3', args: ['script.py'] }
        : { command: 'echo', args: ['from a script'] }
    const ran = await stdio.call('run', wish)
    expect(ran).toMatchObject({ exit_code: 0, stdout_summary: 'from a script' })
  },
)
runs(
  {
    section: 'process.run: Common patterns',
    quote: 'process.run(command=‘pytest’, args=[…], timeout=1800) to allow up to 30 minutes',
    check: 'a test suite with `timeout: 1800` completes; the summary has its output',
  },
  { command: 'sh', args: ['tests.sh'], timeout: 1800 },
  { state: 'completed', stdout_summary: 'one passed\ntwo passed' },
)
claim(
  {
    section: 'process.run: Common patterns',
    quote: 'If state is timed_out, inspect stdout_summary … and rerun with … background=true',
    check: 'the same command finishes in the background',
  },
  async () => {
    const wish = { command: 'echo begun; sleep 1.5; echo done' }
    const first = await stdio.call('run', { ...wish, timeout: 1 })
    expect(first).toMatchObject({ state: 'timed_out', stdout_summary: 'begun' })
    const { process_id } = await stdio.call('run', { ...wish, background: true })
    expect((await monitorUntilEnd(stdio, process_id)).state).toBe('completed')
    expect((await stdio.call('logs', { process_id })).stdout).toBe('begun\ndone\n')
  },
)
runs(
  {
    section: 'process.run: Common patterns',
    quote: 'process.run(command=‘make’, …, cpu_limit=0.5, memory_limit=536870912, timeout=600)',
    check: 'the limits of the pattern are accepted, and resource_usage is in the response',
  },
  ...([
    { command: 'echo', args: ['built'], cpu_limit: 0.5, memory_limit: 536870912, timeout: 600 },
    { state: 'completed', resource_usage: { cpu_ms: expect.any(Number) } },
  ] as const),
)

function actionsOf(error: LooseJson): readonly string[] {
  return error.recovery_actions.map((one: LooseJson) => one.action)
}

function expectUsage(usage: LooseJson): void {
  for (const name of ['cpu_ms', 'memory_peak_bytes', 'io_read_bytes', 'io_write_bytes']) {
    expect(Number.isInteger(usage[name]), name).toBe(true)
  }
}
