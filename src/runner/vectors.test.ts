/**
 * The vectors K1 to K21 of the process capabilities, against real processes, at the strongest
 * isolation that this machine has.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { JobFault, type JobFaultType } from '../runtime/jobs/job-fault.ts'
import { killJob } from './kill-job.ts'
import { listJobs } from './list-jobs.ts'
import { readLogs } from './read-log-page.ts'
import { type RunningJob, waitForEnd } from './running-job.ts'
import { openScratch, processesWith, scratchLimits } from './scratch.contract.ts'

const scratch = openScratch()
const { run, start, runner, workspace } = scratch
afterAll(scratch.remove)

async function faultOf(work: Promise<unknown> | (() => unknown)): Promise<JobFaultType | null> {
  try {
    await (typeof work === 'function' ? work() : work)
    return null
  } catch (fault) {
    if (fault instanceof JobFault) return fault.error.error_type
    throw fault
  }
}

/** Seconds that nobody else sleeps, so that a survivor can be found. */
function oddSeconds(): string {
  return `${1_000 + Math.floor(Math.random() * 8_000)}.${process.pid}`
}

/** A job that ignores the polite signal, from the moment on that it is given. */
async function startStubborn(then = 'while :; do sleep 0.1; done'): Promise<RunningJob> {
  const job = await start({ command: `trap "" TERM; echo ready; ${then}`, background: true })
  await expect.poll(() => readLogs(job, {}).stdout).toBe('ready\n')
  return job
}

test('K1: a command gives its exit code and output; the log keeps the last newline', async () => {
  const result = await run({ command: 'echo hi' })
  expect(result).toMatchObject({ exit_code: 0, state: 'completed', stdout_summary: 'hi' })
  const job = runner.find(result.process_id)
  expect(job === null ? null : readLogs(job, {})).toMatchObject({ stdout: 'hi\n', stdout_size: 3 })
})

test('K2: an exit code other than zero is a normal result', async () => {
  expect(await run({ command: 'sh', args: ['-c', 'exit 3'] })).toMatchObject({
    exit_code: 3,
    state: 'completed',
  })
})

test('K3: a job whose time is over keeps what it has said and has no exit code', async () => {
  const begun = performance.now()
  const result = await run({ command: 'echo partial; sleep 10', timeout: 1 })
  expect(performance.now() - begun).toBeLessThan(4_000)
  expect(result).toMatchObject({
    state: 'timed_out',
    exit_code: null,
    stdout_summary: 'partial',
  })
})

test('K4: a child that holds the pipe neither delays the answer nor survives', async () => {
  const seconds = oddSeconds()
  const begun = performance.now()
  const result = await run({ command: 'sh', args: ['-c', `sleep ${seconds} & echo x`], timeout: 5 })
  expect(performance.now() - begun).toBeLessThan(4_000)
  expect(result).toMatchObject({ state: 'completed', stdout_summary: 'x' })
  expect(processesWith(`sleep ${seconds}`)).toEqual([])
})

test('K5: a timeout out of range is refused and not bent', async () => {
  for (const timeout of [3_601, 0, -1, 1.5]) {
    expect(await faultOf(run({ command: 'true', timeout }))).toBe('InvalidInput')
  }
})

test('K6: a background job runs at once, without timeout or stdin, and says so', async () => {
  const wish = { command: 'cat; sleep 30', background: true, timeout: 1, stdin: 'x' }
  const job = await start(wish)
  const result = runner.result(job)
  expect(result).toMatchObject({ state: 'running', exit_code: null })
  expect(result.warnings.join()).toMatch(/stdin is ignored.*timeout is ignored/)
  await waitForEnd(job, 1_500)
  expect(job.end).toBeNull()
  await killJob(job, { signal: 'SIGKILL' }, Date.now)
})

test('K7: the summary has the last lines of both streams', async () => {
  const command = 'for i in $(seq 1 150); do echo out$i; echo err$i >&2; done'
  const whole = await run({ command })
  expect(whole.stdout_summary.split('\n')).toHaveLength(100)
  const short = await run({ command, stdout_lines: 2 })
  expect([short.stdout_summary, short.stderr_summary]).toEqual(['out149\nout150', 'err149\nerr150'])
  expect(await run({ command, stdout_lines: 0 })).toMatchObject({ stdout_summary: '' })
})

test('K8: an unknown program is not found; in a shell it is exit code 127', async () => {
  expect(await faultOf(run({ command: 'nope-xyz', args: [] }))).toBe('CommandNotFound')
  expect(await faultOf(run({ command: 'echo hi; id', args: ['x'] }))).toBe('CommandNotFound')
  expect(await run({ command: 'nope-xyz' })).toMatchObject({ exit_code: 127, state: 'completed' })
})

test('K9: the working directory is inside of the workspace, links followed first', async () => {
  mkdirSync(join(workspace, 'src'), { recursive: true })
  symlinkSync('/etc', join(workspace, 'link-out'))
  for (const working_directory of ['/etc', '../', 'link-out', 'src/../../']) {
    expect(await faultOf(run({ command: 'pwd', working_directory }))).toBe('PathOutOfScope')
  }
  expect(await faultOf(run({ command: 'pwd', working_directory: 'none' }))).toBe('InvalidInput')
  expect(await run({ command: 'pwd', working_directory: 'src' })).toMatchObject({
    stdout_summary: join(workspace, 'src'),
  })
})

test('K10: protected variables and names that are none are refused', async () => {
  for (const name of ['PATH', 'HOME', 'LD_PRELOAD', 'PAWL_HOME', 'BASH_ENV', 'A=B', '']) {
    const environment = { [name]: 'x' }
    expect(await faultOf(run({ command: 'true', environment }))).toBe('InvalidInput')
  }
  const environment = { 'BASH_FUNC_ls%%': '() { id; }' }
  expect(await faultOf(run({ command: 'true', environment }))).toBe('InvalidInput')
  expect(await run({ command: 'echo $GIVEN', environment: { GIVEN: 'seen' } })).toMatchObject({
    stdout_summary: 'seen',
  })
})

test('K11: limits above the allocation are refused; memory that is exceeded is told', async () => {
  const tooMuch = scratchLimits.memoryBytes + 1
  expect(await faultOf(run({ command: 'true', memory_limit: tooMuch }))).toBe('InvalidInput')
  expect(await faultOf(run({ command: 'true', cpu_limit: 0 }))).toBe('InvalidInput')
  expect(await faultOf(run({ command: 'true', cpu_limit: 999 }))).toBe('InvalidInput')
  const memory_limit = 64 * 1024 * 1024
  const hog = { command: 'echo begun; head -c 400m /dev/zero | tail', memory_limit }
  const { memory } = await runner.isolation()
  if (!memory.startsWith('control group')) {
    expect(await run(hog)).toMatchObject({ limits_enforced: false })
    return
  }
  const thrown = await run({ ...hog, command: `echo begun; exec tail /dev/zero` }).catch(
    (fault: unknown) => fault,
  )
  expect(thrown).toBeInstanceOf(JobFault)
  const { error } = thrown as JobFault
  expect(error.error_type).toBe('ResourceLimitExceeded')
  expect(error.context).toMatchObject({ state: 'killed', stdout_summary: 'begun' })
})

test('K13: a job that ignores the polite signal is ended by the hard one', async () => {
  const job = await startStubborn()
  const begun = performance.now()
  const killed = await killJob(job, { force_after: 1 }, Date.now)
  expect(performance.now() - begun).toBeGreaterThan(900)
  expect(killed).toMatchObject({ killed: true, signal_sent: 'SIGKILL', state: 'killed' })
})

test('K14: without force only the polite signal is sent', async () => {
  const job = await startStubborn()
  expect(await killJob(job, { force_after: 0 }, Date.now)).toMatchObject({
    killed: false,
    state: 'running',
    signal_sent: 'SIGTERM',
  })
  await killJob(job, { signal: 'SIGKILL' }, Date.now)
})

test('a job that survives the polite signal and exits by itself is completed', async () => {
  const job = await startStubborn('until [ -e polite ]; do sleep 0.05; done; exit 5')
  await killJob(job, { force_after: 0 }, Date.now)
  writeFileSync(join(workspace, 'polite'), '')
  await waitForEnd(job, 5_000)
  expect(runner.result(job)).toMatchObject({ state: 'completed', exit_code: 5, signal: null })
})

test('of two kills the faster one counts, and the hard signal waits for none', async () => {
  for (const wish of [{ force_after: 1 }, { signal: 'SIGKILL' }]) {
    const job = await startStubborn()
    const slow = killJob(job, { force_after: 600 }, Date.now)
    const begun = performance.now()
    expect(await killJob(job, wish, Date.now)).toMatchObject({ killed: true, state: 'killed' })
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(await slow).toMatchObject({ killed: true })
  }
})

test('K15 and K17: the hard signal ends at once, and there is no exit code', async () => {
  const job = await start({ command: 'sleep 60', background: true })
  expect(await killJob(job, { signal: 'SIGKILL', force_after: 30 }, Date.now)).toMatchObject({
    killed: true,
    signal_sent: 'SIGKILL',
  })
  expect(runner.result(job)).toMatchObject({ exit_code: null, state: 'killed', signal: 'SIGKILL' })
})

test('K16: a job that has ended cannot be killed, and two kills at once are one', async () => {
  const ended = await start({ command: 'true' })
  await waitForEnd(ended, 5_000)
  expect(await faultOf(killJob(ended, {}, Date.now))).toBe('ProcessAlreadyExited')
  const job = await start({ command: 'sleep 60', background: true })
  const kills = await Promise.all([
    faultOf(killJob(job, {}, Date.now)),
    faultOf(killJob(job, {}, Date.now)),
  ])
  expect(kills).toEqual([null, 'ProcessAlreadyExited'])
})

test('K18: the list is newest first and counts all that fit', async () => {
  for (const word of ['one', 'two', 'three']) await run({ command: `echo ${word}` })
  const list = listJobs(runner.all(), { limit: 2 }, Date.now())
  expect(list.processes.map((one) => one.command)).toEqual(['echo three', 'echo two'])
  expect(list.total).toBe(runner.all().length)
  expect(await faultOf(() => listJobs([], { state_filter: 'odd' }, 0))).toBe('InvalidFilter')
})

test('K19 and K20: pages are exact to the byte and never split a character', async () => {
  const text = 'aß€😀'
  const result = await run({ command: `printf '${text.repeat(40)}'; printf err >&2` })
  const job = runner.find(result.process_id)
  if (job === null) throw new Error('the job is gone')
  expect(readLogs(job, { stream: 'stdout' })).toMatchObject({
    stderr: '',
    stderr_size: 3,
    truncated: false,
    stdout: text.repeat(40),
  })
  let [read, offset] = ['', 0]
  for (let page = 0; page < 1_000; page += 1) {
    const logs = readLogs(job, { stream: 'stdout', offset, limit: 7 })
    expect(logs.stdout).not.toContain('\ufffd')
    expect(Buffer.byteLength(logs.stdout)).toBeLessThanOrEqual(7)
    read += logs.stdout
    offset = logs.next_offset ?? Number.NaN
    if (!logs.truncated) break
  }
  expect(read).toBe(text.repeat(40))
  expect(readLogs(job, { stream: 'stdout', offset: 10_000 })).toMatchObject({ stdout: '' })
  expect(await faultOf(() => readLogs(job, { stream: 'odd' }))).toBe('InvalidStream')
  expect(await faultOf(() => readLogs(job, { offset: -1 }))).toBe('InvalidInput')
})

test('K20: bytes that are no text are counted and do not break anything', async () => {
  const result = await run({ command: 'printf "\\377\\376"' })
  const job = runner.find(result.process_id)
  expect(job === null ? null : readLogs(job, { encoding: 'base64' })).toMatchObject({
    stdout: '//4=',
    stdout_size: 2,
  })
})

test('K21: of a long stream the oldest is dropped and counted', async () => {
  const small = openScratch({ limits: { ...scratchLimits, outputBytes: 2 * 1024 * 1024 } })
  try {
    const result = await small.run({ command: 'seq 1 1000000' })
    const job = small.runner.find(result.process_id)
    if (job === null) throw new Error('the job is gone')
    const logs = readLogs(job, { stream: 'stdout' })
    expect(logs.stdout_dropped_bytes).toBeGreaterThan(0)
    expect(logs.stdout_size).toBe(6_888_896)
    expect(Buffer.byteLength(logs.stdout)).toBe(logs.stdout_size - logs.stdout_dropped_bytes)
    expect(Buffer.byteLength(logs.stdout)).toBeLessThanOrEqual(3 * 1024 * 1024)
    expect(logs.stdout.endsWith('999999\n1000000\n')).toBe(true)
    expect(result.stdout_dropped_bytes).toBe(logs.stdout_dropped_bytes)
  } finally {
    await small.remove()
  }
})
