/**
 * Supervisors that wait for a job, and what the command lines of the chain tell a job.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findGroups } from './cgroups.ts'
import { readLogs } from './page-log.ts'
import { childrenOf, compileHelper, openScratch, type Scratch } from './scratch.contract.ts'
import { dismiss, openSupervisors } from './supervisors.ts'

const opened: Scratch[] = []
afterAll(async () => {
  for (const one of opened) await one.remove()
})

function open(more: Parameters<typeof openScratch>[0] = {}): Scratch {
  const scratch = openScratch(more)
  opened.push(scratch)
  return scratch
}

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
