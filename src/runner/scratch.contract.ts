/** A runner in its own folder, for tests: real jobs, the real helper. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JobResult, RunWish } from '../runtime/jobs/jobs-port.ts'
import { openRunner, type Runner } from './open-runner.ts'
import type { JobRequest, RunnerLimits, RunnerSettings } from './runner-settings.ts'
import { type RunningJob, waitForEnd } from './running-job.ts'

const mebibyte = 1024 * 1024

export const scratchLimits: RunnerLimits = {
  ...{ cpus: 2, memoryBytes: 1024 * mebibyte, processes: 200, outputBytes: 10 * mebibyte },
  ...{ fileBytes: 1024 * mebibyte, cpuSeconds: null, tmpBytes: 64 * mebibyte, leaseMs: 1_000 },
  ...{ jobsRunningMax: 600, keepMs: 3_600_000, keepCount: 5_000, keepBytes: 4096 * mebibyte },
}

export type Scratch = {
  readonly folder: string
  readonly workspace: string
  readonly settings: RunnerSettings
  readonly runner: Runner
  readonly run: (wish: RunWish, more?: Partial<JobRequest>) => Promise<JobResult>
  readonly start: (wish: RunWish, more?: Partial<JobRequest>) => Promise<RunningJob>
  readonly remove: () => Promise<void>
}

let count = 0

export function openScratch(more: Partial<RunnerSettings> = {}): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-runner-'))
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  const settings: RunnerSettings = { ...scratchSettings(folder), ...more }
  const runner = openRunner(settings)
  const start: Scratch['start'] = (wish, request = {}) => {
    count += 1
    return runner.start({
      ...{ id: `job_${process.pid}_${count}`, wish, workspace, network: 'none' },
      ...{ minIsolations: [], runId: null, branch: null, callId: null, owner: 'person' },
      asked: '',
      ...request,
    })
  }
  return {
    ...{ folder, workspace, settings, runner, start },
    run: async (wish, request = {}) => {
      const job = await start(wish, request)
      if (wish.background !== true) await waitForEnd(job, 60_000)
      return runner.result(job)
    },
    remove: async () => {
      const running = runner.all().filter((job) => job.end === null)
      const { killJob } = await import('./kill-job.ts')
      await Promise.all(
        running.map((job) => killJob(job, { signal: 'SIGKILL' }, Date.now).catch(() => undefined)),
      )
      runner.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Of a runner in such a folder, whoever made it. */
export function scratchSettings(folder: string): RunnerSettings {
  return {
    folder: join(folder, 'home', 'jobs'),
    helper: async () => compileHelper(),
    own: [join(folder, 'home')],
    userFolders: [join(folder, 'user')],
    homePaths: [],
    path: '/usr/local/bin:/usr/bin:/bin',
    now: Date.now,
    limits: scratchLimits,
    onEnd: () => undefined,
  }
}

/** Compiled once for all tests: the name says of what. */
export function compileHelper(): string {
  const folder = import.meta.dirname
  const names = readdirSync(folder).filter((name) => /\.[ch]$/.test(name))
  const hash = createHash('sha256')
  for (const name of names) hash.update(readFileSync(join(folder, name)))
  const path = join(tmpdir(), `pawl-job-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(path)) return path
  const draft = `${path}.${process.pid}`
  const sources = names.filter((name) => name.endsWith('.c')).map((name) => join(folder, name))
  execFileSync(
    'cc',
    ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-O2', '-static', '-o', draft].concat(sources),
  )
  renameSync(draft, path)
  return path
}

/** Processes of this machine whose command line holds a text. */
export function processesWith(text: string): readonly number[] {
  return processes().filter((pid) =>
    readOf(pid, 'cmdline').replaceAll('\0', ' ').trim().includes(text),
  )
}

export function childrenOf(parent: number): readonly number[] {
  return processes().filter((pid) => parentOf(pid) === parent)
}

/** Those of ours, with a job or waiting for one. */
export function supervisorsHere(): readonly number[] {
  return childrenOf(process.pid).filter((pid) =>
    readOf(pid, 'cmdline').startsWith('pawl-job\0supervise'),
  )
}

/** The child of ours that a process with this text on its command line comes from. */
export function supervisorOf(text: string): number {
  let [pid] = processesWith(text)
  while (pid !== undefined && pid > 1 && parentOf(pid) !== process.pid) pid = parentOf(pid)
  if (pid === undefined || pid <= 1) throw new Error(`no process of ours has \`${text}\``)
  return pid
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** The name of a program may hold anything, so the last bracket counts. */
function parentOf(pid: number): number {
  const text = readOf(pid, 'stat')
  return Number(text.slice(text.lastIndexOf(')') + 1).split(' ')[2])
}

function readOf(pid: number, name: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It ended while we were looking.
    return ''
  }
}
