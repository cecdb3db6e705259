/**
 * What each level of isolation holds, tried from the inside. A level that this machine does not
 * have is skipped with its reason.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { IsolationLevel } from '../runtime/jobs/jobs-port.ts'
import { rank } from './find-isolation.ts'
import { waitForEnd } from './running-job.ts'
import {
  openScratch,
  processesWith,
  type Scratch,
  scratchLimits,
  supervisorOf,
} from './scratch.contract.ts'

const opened: Scratch[] = []
afterAll(async () => {
  for (const one of opened) await one.remove()
})

type Row = IsolationLevel | 'full, bubblewrap'

async function openAt(row: Row): Promise<Scratch | null> {
  const level = row === 'full, bubblewrap' ? 'full' : row
  const leaveOut = row === level ? [] : (['spaces'] as const)
  const scratch = openScratch({ strongest: level, leaveOut })
  opened.push(scratch)
  const user = join(scratch.folder, 'user')
  mkdirSync(join(user, '.ssh'), { recursive: true })
  writeFileSync(join(user, '.ssh', 'id_rsa'), 'PRIVATE')
  writeFileSync(join(user, 'notes.txt'), 'visible')
  chmodSync(user, 0o755)
  return (await scratch.runner.isolation()).level === level ? scratch : null
}

const levels: readonly Row[] = ['full', 'full, bubblewrap', 'isolated', 'restricted', 'contained']

test.for(levels)('at %s every process of a job ends with it', async (level, { skip }) => {
  const scratch = await openAt(level)
  if (scratch === null) return skip(`this machine has no level ${level}`)
  const seconds = `${2_000 + Math.floor(Math.random() * 7_000)}.${process.pid}`
  // Two forks and a session of its own: a signal to the group does not reach it.
  const command = `(setsid sh -c 'sleep ${seconds} & sleep ${seconds}' &); sleep 0.2; echo gone`
  const result = await scratch.run({ command })
  expect(result).toMatchObject({ state: 'completed', stdout_summary: 'gone' })
  expect(result.isolation.level).toBe(level.split(',')[0])
  expect(processesWith(`sleep ${seconds}`)).toEqual([])
})

test.for(levels.filter((level) => level !== 'contained'))(
  'at %s only the workspace is written, and secrets are not seen',
  async (level, { skip }) => {
    const scratch = await openAt(level)
    if (scratch === null) return skip(`this machine has no level ${level}`)
    const { folder, workspace, run } = scratch
    const outside = join(folder, 'outside.txt')
    mkdirSync(join(workspace, '.pawl'))
    const command = [
      'echo in > kept.txt',
      `echo out > ${outside} 2>&1`,
      `cat ${join(folder, 'user', '.ssh', 'id_rsa')} 2>&1`,
      `ls ${join(folder, 'home', 'jobs')} 2>&1`,
      'echo mine > /etc/pawl-test 2>&1',
    ].join('; ')
    const result = await run({ command })
    expect(readFileSync(join(workspace, 'kept.txt'), 'utf8')).toBe('in\n')
    expect(existsSync(outside)).toBe(false)
    expect(existsSync('/etc/pawl-test')).toBe(false)
    expect(result.stdout_summary + result.stderr_summary).not.toMatch(/PRIVATE|job_/)
  },
)

test.for(['full', 'full, bubblewrap', 'isolated'] as const)(
  'at %s a job changes nothing that tells agents what to do',
  async (level, { skip }) => {
    const scratch = await openAt(level)
    if (scratch === null) return skip(`this machine has no level ${level}`)
    mkdirSync(join(scratch.workspace, '.pawl'))
    writeFileSync(join(scratch.workspace, '.pawl', 'policy.json'), '{}')
    await scratch.run({ command: 'echo x > .pawl/policy.json; rm -rf .pawl; mv .pawl gone' })
    expect(readFileSync(join(scratch.workspace, '.pawl', 'policy.json'), 'utf8')).toBe('{}')
  },
)

test.for(['full', 'full, bubblewrap', 'restricted'] as const)(
  'at %s a job has no network, and the environment of its parents is out of reach',
  async (level, { skip }) => {
    const scratch = await openAt(level)
    if (scratch === null) return skip(`this machine has no level ${level}`)
    let heard = 0
    const server = createServer((socket) => {
      heard += 1
      socket.end('reached')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      const connect = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
      await scratch.run({ command: 'bash', args: ['-c', connect] })
      expect(heard).toBe(0)
      const open = await scratch.run({ command: 'bash', args: ['-c', connect] }, { network: 'all' })
      expect(open.stdout_summary).toBe('reached')
    } finally {
      server.close()
    }
    const spy = 'cat /proc/$PPID/environ /proc/1/environ 2>&1 | tr "\\0" "\\n"; env'
    const { stdout_summary } = await scratch.run({ command: spy })
    expect(stdout_summary).not.toMatch(/VITEST|npm_/)
  },
)

test.for(['spaces', 'bubblewrap'] as const)(
  'what a job held by %s writes beside its workspace has one limit for all of it',
  async (kind, { skip }) => {
    const tmpBytes = 4 * 1024 * 1024
    const leaveOut = kind === 'spaces' ? [] : (['spaces'] as const)
    const scratch = openScratch({ leaveOut, limits: { ...scratchLimits, tmpBytes } })
    opened.push(scratch)
    const user = join(scratch.folder, 'user')
    mkdirSync(join(user, '.ssh'), { recursive: true })
    const places = `/tmp /var/tmp /dev/shm /dev /run ${user}/.ssh`
    const { isolation, stdout_summary: said } = await scratch.run({
      command: `for one in ${places}; do
          dd if=/dev/zero of=$one/fill bs=64k count=256 2> /dev/null
        done
        cat /tmp/fill /var/tmp/fill /dev/shm/fill | wc -c
        cat /dev/fill ${user}/.ssh/fill 2> /dev/null | wc -c
        df -B1 --output=target /tmp/.. | tail -1; touch /tmp/../fill 2> /dev/null || echo closed`,
    })
    if (!isolation.filesystem.includes(kind === 'spaces' ? 'namespace' : kind)) {
      return skip(`${kind} is not to be had: ${isolation.filesystem}`)
    }
    const [written = '', besides = '', root, isClosed] = said.split('\n')
    expect(Number(written)).toBeGreaterThan(tmpBytes / 4)
    expect(Number(written)).toBeLessThanOrEqual(tmpBytes)
    expect(Number(besides)).toBeLessThanOrEqual(128 * 1024)
    expect([root, isClosed]).toEqual(['/', 'closed'])
  },
)

test('a job has the environment that it is given and nothing else', async () => {
  const scratch = openScratch()
  opened.push(scratch)
  process.env.PROD_DB_URL = 'postgres://secret'
  const { stdout_summary } = await scratch.run({ command: 'env', environment: { A: '1' } })
  delete process.env.PROD_DB_URL
  const names = stdout_summary.split('\n').map((line) => line.split('=')[0])
  expect(names.sort()).toEqual(
    ['A', 'HOME', 'LANG', 'PATH', 'PAWL_JOB', 'PWD', 'SHELL', 'TERM', 'TMPDIR'].sort(),
  )
})

test('what cannot be met is refused and never weakened', async () => {
  const scratch = openScratch({ strongest: 'contained' })
  opened.push(scratch)
  await expect(
    scratch.run(
      { command: 'true' },
      {
        minIsolations: [
          { level: 'contained', by: 'one' },
          { level: 'isolated', by: 'another' },
        ],
      },
    ),
  ).rejects.toMatchObject({
    error: {
      error_type: 'SpawnFailed',
      description: 'another requires the isolation `isolated`, but this machine has `contained`',
      context: { level: 'contained', min_isolation: 'isolated', required_by: 'another' },
    },
  })
  await expect(scratch.run({ command: 'true', min_isolation: 'full' })).rejects.toThrow(
    '`min_isolation` of the call requires the isolation `full`',
  )
  expect(scratch.runner.all()).toEqual([])
})

test('limits that no group holds are not told as held, also where none was asked for', async () => {
  const scratch = openScratch({ strongest: 'isolated' })
  opened.push(scratch)
  expect(await scratch.run({ command: 'true' })).toMatchObject({
    limits_enforced: false,
    warnings: [],
  })
})

test('limits of cpu, file size and processes hold', async ({ skip }) => {
  const scratch = openScratch()
  opened.push(scratch)
  const { level } = await scratch.runner.isolation()
  if (rank(level) > rank('full')) return skip('this machine has no control groups')
  const busy = await scratch.run({
    command: 'while :; do :; done & while :; do :; done',
    cpu_limit: 0.5,
    timeout: 2,
  })
  expect(busy.state).toBe('timed_out')
  expect(busy.resource_usage.cpu_ms).toBeLessThan(1_900)
  const bomb = await scratch.run({ command: 'bomb() { bomb | bomb & }; bomb; sleep 1; echo alive' })
  expect(bomb.state).toMatch(/completed/)
  const filed = openScratch({ limits: { ...scratch.settings.limits, fileBytes: 1024 * 1024 } })
  opened.push(filed)
  const flood = filed.run({ command: 'exec head -c 20m /dev/zero > big' })
  await expect(flood).rejects.toMatchObject({ error: { context: { limit: 'file' } } })
})

test('a runner that comes later finds jobs again, and no byte is lost', async () => {
  const first = openScratch()
  opened.push(first)
  const command = 'for i in $(seq 1 40); do echo line$i; sleep 0.05; done; exit 7'
  const jobs = await Promise.all(
    Array.from({ length: 5 }, () => first.start({ command, background: true })),
  )
  first.runner.close()
  const { openRunner } = await import('./open-runner.ts')
  const ends: string[] = []
  const second = openRunner({ ...first.settings, onEnd: (job) => void ends.push(job.note.id) })
  expect(second.all()).toHaveLength(5)
  const timer = setInterval(() => void second.sweep(), 100)
  for (const { note } of jobs) {
    const found = second.find(note.id)
    if (found === null) throw new Error('a job was not found again')
    await waitForEnd(found, 20_000)
    const result = second.result(found)
    expect(result).toMatchObject({ state: 'completed', exit_code: 7 })
    expect(result.stdout_summary.split('\n')).toHaveLength(40)
  }
  clearInterval(timer)
  expect(ends.sort()).toEqual(jobs.map(({ note }) => note.id).sort())
  second.close()
})

test('a runner that comes later leaves out the same secrets', async () => {
  const first = openScratch()
  opened.push(first)
  const environment = { API_TOKEN: 'hunter2hunter2' }
  const { process_id } = await first.run({ command: 'echo "<$API_TOKEN>"', environment })
  const { openRunner } = await import('./open-runner.ts')
  const second = openRunner(first.settings)
  const found = second.find(process_id)
  expect(found === null ? null : second.result(found).stdout_summary).toBe('<[redacted]>')
  expect(statSync(join(found?.folder ?? '', 'secrets.json')).mode & 0o777).toBe(0o600)
  second.close()
})

test('a job that no daemon comes back for is ended when its lease is over', async () => {
  const scratch = openScratch()
  opened.push(scratch)
  const seconds = `${3_000 + Math.floor(Math.random() * 6_000)}.${process.pid}`
  const job = await scratch.start({ command: `sleep ${seconds}`, background: true })
  scratch.runner.close()
  await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([])
  const { openRunner } = await import('./open-runner.ts')
  const later = openRunner(scratch.settings)
  const found = later.find(job.note.id)
  expect(found === null ? null : later.result(found)).toMatchObject({ state: 'killed' })
  later.close()
})

test('a job whose supervisor was killed is ended and told as it is', async () => {
  const scratch = openScratch({ strongest: 'contained' })
  opened.push(scratch)
  const seconds = `${4_000 + Math.floor(Math.random() * 5_000)}.${process.pid}`
  const command = `setsid sleep ${seconds} & sleep ${seconds}`
  const job = await scratch.start({ command, background: true })
  process.kill(supervisorOf(`sleep ${seconds}`), 'SIGKILL')
  await waitForEnd(job, 5_000)
  await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([])
  expect(scratch.runner.result(job)).toMatchObject({ state: 'killed', exit_code: null })
})

test('the end of a job is told once, however soon it comes', async () => {
  const ends: string[] = []
  const scratch = openScratch({ onEnd: (job) => void ends.push(job.note.id) })
  opened.push(scratch)
  const ids: string[] = []
  for (let index = 0; index < 10; index += 1) {
    const job = await scratch.start({ command: '/bin/true', args: [] })
    ids.push(job.note.id)
    await waitForEnd(job, 5_000)
  }
  await expect.poll(() => ends).toEqual(ids)
})
