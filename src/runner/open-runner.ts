/**
 * Jobs of the operating system: started, isolated, watched, ended, and found again after a
 * restart.
 * Knows jobs and their folders; of runs only the id that a job is marked with.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { Isolation, JobResult } from '../runtime/jobs/jobs-port.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { beginJob } from './begin-job.ts'
import { letGroupsGo } from './cgroups.ts'
import { chooseOld } from './expired-jobs.ts'
import { describe, describeNone } from './find-isolation.ts'
import { folderNames, readJobNote, readSecrets, removeJob } from './job-files.ts'
import { jobResultOf, limitFault } from './job-status.ts'
import { type HeldJob, planJob } from './plan-job.ts'
import { probeIsolation } from './probe-isolation.ts'
import type { JobRequest, RunnerSettings } from './runner-settings.ts'
import {
  checkJob,
  connectJob,
  openWayOut,
  type RunningJob,
  releaseJob,
  runningJob,
  waitForEnd,
} from './running-job.ts'
import { openSupervisors, type Supervisors } from './supervisors.ts'

export type Runner = {
  /** Starts a job; one of this id that is there already is given as it is, if it is the same. */
  readonly start: (request: JobRequest) => Promise<RunningJob>
  /** The job that this very request has started before. Fault: the id is that of another one. */
  readonly known: (request: Pick<JobRequest, 'id' | 'asked'>) => RunningJob | null
  readonly find: (id: string) => RunningJob | null
  /** The newest first. */
  readonly all: () => readonly RunningJob[]
  /** What came of a job so far. Fault `ResourceLimitExceeded`. */
  readonly result: (job: RunningJob) => JobResult
  /** Looks at jobs of other daemons, and removes the oldest of those that have ended. */
  readonly sweep: () => Promise<void>
  readonly isolation: () => Promise<Isolation>
  /** Lets go of all jobs; they go on until their lease is over, or another daemon has them. */
  readonly close: () => void
}

/**
 * How long after a job the next supervisor is started. WHY not at once: to start a process holds
 * ours up for some milliseconds, and a short job would be told late of its end.
 */
const prepareMs = 30

/** Opens the runner and takes hold of every job that is still there. */
export function openRunner(settings: RunnerSettings): Runner {
  mkdirSync(settings.folder, { recursive: true, mode: 0o700 })
  const jobs = new Map<string, RunningJob>()
  const starting = new Map<string, Underway>()
  const watch = (job: RunningJob): void => {
    jobs.set(job.note.id, job)
    void tellEnd(job, settings)
  }
  for (const job of findJobs(settings)) watch(job)
  let held: Promise<HeldJob> | null = null
  let supervisors: Supervisors | null = null
  const holding = (): Promise<HeldJob> => {
    held ??= probeIsolation(settings).catch((fault: unknown) => {
      // The next one to ask tries again: a compiler may have been installed.
      held = null
      throw fault
    })
    return held
  }
  const known: Runner['known'] = ({ id, asked }) => {
    const job = jobs.get(id) ?? null
    const before = job === null ? starting.get(id) : job.note
    if (before === undefined || before.asked === asked) return job
    const hint = 'use a new id for each job; only a retry reuses it'
    throw new PawlError('REQUEST_INVALID', 'this id was used for another job', { hint })
  }
  const start = async (request: JobRequest): Promise<RunningJob> => {
    const started = known(request) ?? starting.get(request.id)?.job
    if (started !== undefined) return started
    refuseMore(settings, [...jobs.values()], starting.size)
    const job = begin(request).finally(() => starting.delete(request.id))
    starting.set(request.id, { asked: request.asked, job })
    return job
  }
  const begin = async (request: JobRequest): Promise<RunningJob> => {
    const all = await holding()
    const plan = planJob(settings, all, request)
    supervisors ??= openSupervisors({ helper: all.helper, groups: all.means.groups })
    const job = await beginJob(settings, { ...all, supervisors }, plan)
    watch(job)
    setTimeout(supervisors.prepare, prepareMs).unref()
    return job
  }
  return {
    start,
    known,
    find: (id) => jobs.get(id) ?? null,
    all: () => [...jobs.values()].sort((one, two) => two.note.startedAt - one.note.startedAt),
    result: (job) => resultNow(job, settings),
    sweep: async () => {
      const faults = lookAtAll([...jobs.values()], settings)
      for (const job of chooseOld([...jobs.values()], settings)) {
        jobs.delete(job.note.id)
        removeJob(job.folder)
      }
      if (faults.length > 0) throw faults[0]
    },
    isolation: () => isolationBy(holding),
    close: () => {
      supervisors?.close()
      for (const job of jobs.values()) releaseJob(job)
    },
  }
}

/** A start that has not come to its end: who asks for the same meanwhile gets what comes of it. */
type Underway = { readonly asked: string; readonly job: Promise<RunningJob> }

async function tellEnd(job: RunningJob, { onEnd }: RunnerSettings): Promise<void> {
  await waitForEnd(job, Number.POSITIVE_INFINITY)
  await onEnd(job)
  job.isTold = true
}

function resultNow(job: RunningJob, { now }: RunnerSettings): JobResult {
  const result = jobResultOf(job, now(), readSecrets(job.folder))
  const fault = limitFault(job, result)
  if (fault !== null) throw fault
  return result
}

/** What there is, told as nothing where nothing is: with why, and what a person can do about it. */
async function isolationBy(holding: () => Promise<HeldJob>): Promise<Isolation> {
  try {
    return describe((await holding()).means, 'none')
  } catch (fault) {
    if (fault instanceof JobFault) return describeNone([fault.error.agent_description])
    throw fault
  }
}

/** One job that cannot be looked at must not keep the others from it. */
function lookAtAll(jobs: readonly RunningJob[], { now }: RunnerSettings): readonly unknown[] {
  return jobs.flatMap((job) => {
    try {
      checkJob(job, now())
      clearGroups(job, now())
      return []
    } catch (fault) {
      return [fault]
    }
  })
}

/** How long after its end the groups of a job are tried to be removed. */
const clearMsMax = 10_000

/** Something may have been dying in there when the job had just ended. */
function clearGroups({ end, note }: RunningJob, now: number): void {
  if (end !== null && now - end.endedAt < clearMsMax) letGroupsGo(note.cgroups)
}

function refuseMore(
  { limits }: RunnerSettings,
  jobs: readonly RunningJob[],
  startingCount: number,
): void {
  const running = jobs.filter((job) => job.end === null).length + startingCount
  if (running < limits.jobsRunningMax) return
  throw new JobFault('ResourceExhausted', `${running} jobs are running, which is the limit`)
}

/** Every job of this folder, with those that still run taken hold of. */
function findJobs(settings: RunnerSettings): readonly RunningJob[] {
  return folderNames(settings.folder).flatMap((name) => {
    const folder = join(settings.folder, name)
    const note = readJobNote(folder)
    if (note === null || note.id !== name) {
      // A job that was never started: its daemon died before it was written down.
      removeJob(folder)
      return []
    }
    const job = runningJob(note, folder)
    if (job.end === null) {
      connectJob(job)
      // A way out that cannot be opened again is told by the job's warnings; it has no other.
      openWayOut(job).catch(() => undefined)
    } else letGroupsGo(note.cgroups)
    return [job]
  })
}
