/**
 * Jobs on a runtime in memory, with real processes, for tests.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Policy } from '../core/machine/machine.ts'
import { jobsConfigOf } from '../home/config-jobs.ts'
import { findHome, openHome } from '../home/home.ts'
import { compileHelper } from '../runner/scratch.contract.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { IsolationLevel, JobCaller, JobPending, JobResult } from '../runtime/jobs/jobs-port.ts'
import type { OpenRuntime } from '../runtime/open-runtime.ts'
import { asAgent, asPerson, openBench } from '../runtime/runtime.contract.ts'
import { type OpenJobs, openJobs } from './open-jobs.ts'

export type JobsBench = {
  readonly runtime: OpenRuntime
  readonly jobs: OpenJobs
  readonly workspace: string
  /** Jobs of another daemon on the same folder. */
  readonly again: () => OpenJobs
  /** Starts a run of a definition in the workspace; gives its id. */
  readonly startRun: (definition: object) => Promise<string>
  readonly asAgentOf: (runId: string | null) => JobCaller
  readonly asPersonHere: JobCaller
}

let count = 0

type Options = {
  readonly policies?: readonly Policy[]
  readonly config?: Parameters<typeof jobsConfigOf>[0]
  readonly strongest?: IsolationLevel
}

export function openJobsBench(options: Options = {}): JobsBench {
  const { policies = [], config = {}, strongest } = options
  const folder = mkdtempSync(join(tmpdir(), 'pawl-jobs-'))
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  const { runtime } = openBench(undefined, policies)
  const env = { PAWL_HOME: join(folder, 'home') }
  const home = findHome({ env, platform: 'linux', userFolder: () => folder, cwd: folder, uid: 0 })
  openHome(home)
  const opened: OpenJobs[] = []
  const again = (): OpenJobs => {
    const jobs = openJobs({
      ...{ runtime, home, config: jobsConfigOf({ leaseSeconds: 1, ...config }) },
      helper: async () => compileHelper(),
      ...(strongest === undefined ? {} : { strongest }),
      newId: () => {
        count += 1
        return `test${process.pid}x${count}`
      },
      log: (_level, what, more) => {
        throw new Error(`logged: ${what} ${JSON.stringify(more)}`)
      },
    })
    opened.push(jobs)
    return jobs
  }
  onTestFinished(async () => {
    for (const jobs of opened) await jobs.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    ...{ runtime, workspace, again, jobs: again() },
    startRun: async (definition) => {
      const source = JSON.stringify(definition)
      const offered = await runtime.definitions.create({ source, format: 'json' })
      if (!offered.ok) throw new Error(JSON.stringify(offered.findings))
      const { name } = offered.value
      const request = { definition: name, task: null, stage: null, vars: {}, workspace }
      return (await runtime.start(request, asAgent)).runId
    },
    asAgentOf: (runId) => ({ ...asAgent, runId, branch: null, workspace }),
    asPersonHere: { ...asPerson, runId: null, branch: null, workspace },
  }
}

/** The type and context of what was thrown instead of an answer. */
export async function faultOf(work: Promise<unknown>): Promise<JobFault['error'] | null> {
  try {
    await work
    return null
  } catch (fault) {
    if (fault instanceof JobFault) return fault.error
    throw fault
  }
}

export function resultIn(answer: JobResult | JobPending): JobResult {
  if ('status' in answer) throw new Error('a person is asked')
  return answer
}
