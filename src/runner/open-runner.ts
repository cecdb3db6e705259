/**
 * Jobs of the operating system: started, held, watched, ended, found again. Knows jobs and their
 * folders; of runs no more than the id that a job is marked with.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../runtime/code-of.ts'
import { JobFault } from '../runtime/job-fault.ts'
import type { Isolation, JobResult } from '../runtime/jobs.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { letGroupsGo } from './cgroups.ts'
import { isBoxed } from './chain.ts'
import { describe, describeNone } from './find-isolation.ts'
import {
  namesIn,
  readEnd,
  readNote,
  readSecrets,
  removeJob,
  writeInput,
  writeNote,
  writeSecrets,
} from './job-files.ts'
import { limitFault, resultOf } from './job-status.ts'
import { connect, type LiveJob, letGo, liveJob, look, openWayOut, waitForEnd } from './live-job.ts'
import { chooseOld } from './old-jobs.ts'
import { type Held, type Plan, planJob } from './plan-job.ts'
import type { JobRequest, RunnerSettings } from './settings.ts'
import { startChain } from './start-job.ts'
import { dismiss, openSupervisors, type Supervisor, type Supervisors } from './supervisors.ts'
import { findHeld } from './try-means.ts'

export type Runner = {
  /** Starts a job; one of this id that is there already is given as it is, if it is the same. */
  readonly start: (request: JobRequest) => Promise<LiveJob>
  /** The job that this very request has started before. Fault: the id is that of another one. */
  readonly known: (request: Pick<JobRequest, 'id' | 'asked'>) => LiveJob | null
  readonly find: (id: string) => LiveJob | null
  /** The newest first. */
  readonly all: () => readonly LiveJob[]
  /** What came of a job so far. Fault `ResourceLimitExceeded`. */
  readonly result: (job: LiveJob) => JobResult
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
  const jobs = new Map<string, LiveJob>()
  const starting = new Map<string, Underway>()
  const watch = (job: LiveJob): void => {
    jobs.set(job.note.id, job)
    void tellEnd(job, settings)
  }
  for (const job of findJobs(settings)) watch(job)
  let held: Promise<Held> | null = null
  let supervisors: Supervisors | null = null
  const holding = (): Promise<Held> => {
    held ??= findHeld(settings).catch((fault: unknown) => {
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
    const hint = 'every job has an id of its own; only a retry uses it again'
    throw new PawlError('REQUEST_INVALID', 'this id was used for another job', { hint })
  }
  const start = async (request: JobRequest): Promise<LiveJob> => {
    const started = known(request) ?? starting.get(request.id)?.job
    if (started !== undefined) return started
    refuseMore(settings, [...jobs.values()], starting.size)
    const job = begin(request).finally(() => starting.delete(request.id))
    starting.set(request.id, { asked: request.asked, job })
    return job
  }
  const begin = async (request: JobRequest): Promise<LiveJob> => {
    const all = await holding()
    const plan = planJob(settings, all, request)
    supervisors ??= openSupervisors({ helper: all.helper, groups: all.means.groups })
    const job = await startJob(settings, { ...all, supervisors }, plan)
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
      for (const job of jobs.values()) letGo(job)
    },
  }
}

/** A start that has not come to its end: who asks for the same meanwhile gets what comes of it. */
type Underway = { readonly asked: string; readonly job: Promise<LiveJob> }

async function tellEnd(job: LiveJob, { onEnd }: RunnerSettings): Promise<void> {
  await waitForEnd(job, Number.POSITIVE_INFINITY)
  await onEnd(job)
  job.isTold = true
}

function resultNow(job: LiveJob, { now }: RunnerSettings): JobResult {
  const result = resultOf(job, now(), readSecrets(job.folder))
  const fault = limitFault(job, result)
  if (fault !== null) throw fault
  return result
}

/** What there is, told as nothing where nothing is: with why, and what a person can do about it. */
async function isolationBy(holding: () => Promise<Held>): Promise<Isolation> {
  try {
    return describe((await holding()).means, 'none')
  } catch (fault) {
    if (fault instanceof JobFault) return describeNone([fault.error.agent_description])
    throw fault
  }
}

/** One job that cannot be looked at must not keep the others from it. */
function lookAtAll(jobs: readonly LiveJob[], { now }: RunnerSettings): readonly unknown[] {
  return jobs.flatMap((job) => {
    try {
      look(job, now())
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
function clearGroups({ end, note }: LiveJob, now: number): void {
  if (end !== null && now - end.endedAt < clearMsMax) letGroupsGo(note.cgroups)
}

function refuseMore(
  { limits }: RunnerSettings,
  jobs: readonly LiveJob[],
  startingCount: number,
): void {
  const running = jobs.filter((job) => job.end === null).length + startingCount
  if (running < limits.jobsRunningMax) return
  throw new JobFault('ResourceExhausted', `${running} jobs are running, and more are not allowed`)
}

type Started = Held & { readonly supervisors: Supervisors }

async function startJob(settings: RunnerSettings, held: Started, plan: Plan): Promise<LiveJob> {
  const { chain } = plan
  const { folder } = chain
  // WHY before all else: a folder that is there already is not ours to remove.
  makeFolder(folder)
  let supervisor: Supervisor | null = null
  try {
    supervisor = held.supervisors.take()
    holdGroup(settings, held, { plan, supervisor })
    const note = { ...plan.note, cgroups: supervisor.cgroups }
    if (!isBoxed(chain.mechanism)) mkdirSync(chain.scratch, { mode: 0o700 })
    writeSecrets(folder, plan.secrets)
    writeInput(folder, plan.stdin)
    writeNote(folder, note)
    const job = liveJob(note, folder)
    const { process: helper } = supervisor
    helper.once('exit', () => lookSafely(job, settings))
    await startWithWayOut(job, { supervisor, chain })
    if (job.end === null) connect(job)
    // It may have ended while we were not listening.
    if (helper.exitCode !== null || readEnd(folder) !== null) look(job, settings.now())
    return job
  } catch (fault) {
    if (supervisor !== null) dismiss(supervisor)
    removeJob(folder)
    throw fault
  }
}

type Starting = { readonly supervisor: Supervisor; readonly chain: Plan['chain'] }

/** The way out is there before the program, and closed where there is no program. */
async function startWithWayOut(job: LiveJob, { supervisor, chain }: Starting): Promise<void> {
  try {
    await openWayOut(job)
    await startChain(supervisor, chain)
  } catch (fault) {
    letGo(job)
    if (fault instanceof JobFault) throw fault
    throw new JobFault(
      'SpawnFailed',
      `the way out of the job could not be opened: ${codeOf(fault)}`,
    )
  }
}

/** WHY no fault: nobody called, so it would end the daemon. The next sweep looks again and says. */
function lookSafely(job: LiveJob, { now }: RunnerSettings): void {
  try {
    look(job, now())
  } catch {
    // Told by the sweep, which meets the same fault.
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (fault) {
    throw new JobFault('SpawnFailed', `the folder of the job can not be made: ${codeOf(fault)}`)
  }
}

function holdGroup(
  { limits }: RunnerSettings,
  { means }: Held,
  { plan, supervisor }: { readonly plan: Plan; readonly supervisor: Supervisor },
): void {
  const { limitsAsked } = plan
  if (supervisor.group === null) return
  try {
    means.groups?.hold(supervisor.group, {
      memoryBytes: limitsAsked.memoryBytes ?? limits.memoryBytes,
      cpus: limitsAsked.cpus ?? limits.cpus,
      processes: limits.processes,
    })
  } catch (fault) {
    // WHY not go on without: the limits were promised.
    throw new JobFault('SpawnFailed', `the limits could not be set: ${codeOf(fault)}`)
  }
}

/** Every job of this folder, with those that still run taken hold of. */
function findJobs(settings: RunnerSettings): readonly LiveJob[] {
  return namesIn(settings.folder).flatMap((name) => {
    const folder = join(settings.folder, name)
    const note = readNote(folder)
    if (note === null || note.id !== name) {
      // A job that was never started: its daemon died before it was written down.
      removeJob(folder)
      return []
    }
    const job = liveJob(note, folder)
    if (job.end === null) {
      connect(job)
      // A way out that cannot be opened again is told by the job's warnings; it has no other.
      openWayOut(job).catch(() => undefined)
    } else letGroupsGo(note.cgroups)
    return [job]
  })
}
