/**
 * Supervisors that wait for a job, and what the command lines of the chain tell a job.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findGroups, type Groups } from './cgroups.ts'
import { readEnd } from './job-files.ts'
import { readLogs } from './read-log-page.ts'
import { childrenOf, compileHelper } from './scratch.contract.ts'
import { openScratches } from './scratches.contract.ts'
import { dismiss, openSupervisors } from './supervisors.ts'

/** The supervisor of a job that has just ended may still be there for so long. */
const lingerMs = 300

const open = openScratches()

test('a supervisor without a job is in its groups, and takes them with it', async ({ skip }) => {
  const groups = findGroups(`pawl-try-${process.pid}`)
  if (groups === null) return skip('no control group can be written here')
  const supervisors = openSupervisors({ helper: compileHelper(), groups })
  supervisors.prepare()
  const waiting = supervisors.take()
  const members = (): readonly string[] =>
    waiting.cgroups.map((path) => readFileSync(join(path, 'cgroup.procs'), 'utf8').trim())
  await expect.poll(members).toEqual(waiting.cgroups.map(() => expect.stringMatching(/^\d+$/)))
  expect(members()).not.toContain(String(waiting.process.pid))
  dismiss(waiting)
  await expect.poll(() => waiting.cgroups.filter((path) => existsSync(path))).toEqual([])
  expect(existsSync(`/proc/${waiting.process.pid}/exe`)).toBe(false)
})

test('the next job has the supervisor that waits, and a closed runner has none', async () => {
  const scratch = open()
  await scratch.runner.isolation()
  const before = childrenOf(process.pid)
  const ours = (): readonly number[] =>
    childrenOf(process.pid).filter((pid) => !before.includes(pid))
  await scratch.run({ command: 'true' })
  await sleep(lingerMs)
  await expect.poll(() => ours().length).toBe(1)
  const [waiting] = ours()
  const job = await scratch.start({ command: 'cat; sleep 5', stdin: 'heard', timeout: 10 })
  expect(ours()).toContain(waiting)
  await expect.poll(() => ours().length).toBe(2)
  await expect.poll(() => readLogs(job, {}).stdout).toBe('heard')
  scratch.runner.close()
  await expect.poll(ours).toEqual([waiting])
})

test.for(['spaces', 'bubblewrap'] as const)(
  'no command line tells a job held by %s what is hidden from it',
  async (kind, { skip }) => {
    const scratch = open({ leaveOut: kind === 'spaces' ? [] : ['spaces'] })
    const secret = join(scratch.folder, 'user', '.ssh')
    mkdirSync(secret, { recursive: true })
    const { isolation, stdout_summary: said } = await scratch.run({
      command: 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" " "',
      environment: { GIVEN: 'here' },
    })
    if (!isolation.filesystem.includes(kind === 'spaces' ? 'namespace' : kind)) {
      return skip(`${kind} is not to be had: ${isolation.filesystem}`)
    }
    expect(said).toContain('cat /proc')
    for (const hidden of [secret, join(scratch.folder, 'home'), compileHelper()]) {
      expect(said).not.toContain(hidden)
    }
  },
)

/** Groups that are plain folders: what is left of them can be seen on any machine. */
function foldersAs(base: string): Groups {
  return {
    ...{ version: 1, has: { memory: true, pids: true, cpu: true }, hold: () => undefined },
    make: (name) => {
      mkdirSync(join(base, name))
      return [join(base, name)]
    },
  }
}

test.for([
  ['is not there', '/no/such/helper'],
  ['cannot even be tried', '/dev/null/helper'],
] as const)('a supervisor whose helper %s leaves no group behind', async ([, helper]) => {
  const base = mkdtempSync(join(tmpdir(), 'pawl-groups-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const supervisors = openSupervisors({ helper, groups: foldersAs(base) })
  supervisors.prepare()
  try {
    supervisors.take()
  } catch (fault) {
    expect(fault).toMatchObject({ error: { error_type: 'SpawnFailed' } })
  }
  await expect.poll(() => readdirSync(base)).toEqual([])
})

test.for(['none', 'some'] as const)(
  'a waiting supervisor that was killed costs no job, with network %s',
  async (kind) => {
    const scratch = open()
    await scratch.runner.isolation()
    const before = childrenOf(process.pid)
    await scratch.run({ command: 'true' })
    const ours = (): readonly number[] =>
      childrenOf(process.pid).filter((pid) => !before.includes(pid))
    await sleep(lingerMs)
    await expect.poll(() => ours().length).toBe(1)
    const network = kind === 'none' ? kind : [{ host: 'example.com', ports: [443] }]
    // In one turn: nobody has heard of its end when the job takes it.
    for (const pid of ours()) process.kill(pid, 'SIGKILL')
    const job = await scratch.start({ command: 'echo here; sleep 20', timeout: 30 }, { network })
    await expect.poll(() => readLogs(job, {}).stdout).toBe('here\n')
    expect(job.end).toBeNull()
    // Only one of ours holds its pipe: without a daemon its time is over soon.
    scratch.runner.close()
    await expect.poll(() => readEnd(job.folder)?.why).toBe('alone')
  },
)
