/**
 * Begins a job by its plan: its folder and files, its supervisor, its program. Cleans up if that
 * fails.
 */
import { mkdirSync } from 'node:fs'
import { errorCodeOf } from '../runtime/error-code.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import { readEnd, removeJob, writeInput, writeJobNote, writeSecrets } from './job-files.ts'
import { isBoxed } from './launch-argv.ts'
import type { HeldJob, JobPlan } from './plan-job.ts'
import type { RunnerSettings } from './runner-settings.ts'
import {
  checkJob,
  connectJob,
  openWayOut,
  type RunningJob,
  releaseJob,
  runningJob,
} from './running-job.ts'
import { launchJob, UnreadFault } from './start-job.ts'
import { dismiss, type Supervisor, type Supervisors } from './supervisors.ts'

export type BeginJobContext = HeldJob & { readonly supervisors: Supervisors }

/** The program runs then, or has ended already. Faults are `JobFault`s. */
export async function beginJob(
  settings: RunnerSettings,
  means: BeginJobContext,
  plan: JobPlan,
): Promise<RunningJob> {
  const { folder, mechanism, scratch } = plan.chain
  // WHY before all else: a folder that is there already is not ours to remove.
  makeFolder(folder)
  try {
    if (!isBoxed(mechanism)) mkdirSync(scratch, { mode: 0o700 })
    writeSecrets(folder, plan.secrets)
    writeInput(folder, plan.stdin)
    const begin = (): Promise<RunningJob> =>
      beginBy(settings, means, { plan, supervisor: means.supervisors.take() })
    return await begin().catch((fault: unknown) => {
      // The one that waited was killed meanwhile, which is no fault of this job. Once is enough.
      if (fault instanceof UnreadFault) return begin()
      throw fault
    })
  } catch (fault) {
    removeJob(folder)
    throw fault
  }
}

type Beginning = { readonly plan: JobPlan; readonly supervisor: Supervisor }

async function beginBy(
  settings: RunnerSettings,
  means: BeginJobContext,
  { plan, supervisor }: Beginning,
): Promise<RunningJob> {
  const { chain } = plan
  const { folder } = chain
  const { process: helper } = supervisor
  const note = { ...plan.note, cgroups: supervisor.cgroups }
  const job = runningJob(note, folder)
  const onExit = (): void => lookSafely(job, settings)
  try {
    holdGroup(settings, means, { plan, supervisor })
    writeJobNote(folder, note)
    helper.once('exit', onExit)
    await startWithWayOut(job, supervisor, chain)
    if (job.end === null) connectJob(job)
    // It may have ended while we were not listening.
    if (helper.exitCode !== null || readEnd(folder) !== null) checkJob(job, settings.now())
    return job
  } catch (fault) {
    dismiss(supervisor)
    // WHY: it would take hold of the next one in this folder, and never let go of it.
    if (fault instanceof UnreadFault) helper.off('exit', onExit)
    throw fault
  }
}

/** The way out is there before the program, and closed where there is no program. */
async function startWithWayOut(
  job: RunningJob,
  supervisor: Supervisor,
  chain: JobPlan['chain'],
): Promise<void> {
  try {
    await openWayOut(job)
    await launchJob(supervisor, chain)
  } catch (fault) {
    releaseJob(job)
    if (fault instanceof JobFault) throw fault
    throw new JobFault(
      'SpawnFailed',
      `the egress proxy of the job could not be opened: ${errorCodeOf(fault)}`,
    )
  }
}

/** WHY no fault: nobody called, so it would end the daemon. The next sweep looks again and says. */
function lookSafely(job: RunningJob, { now }: RunnerSettings): void {
  try {
    checkJob(job, now())
  } catch {
    // Told by the sweep, which meets the same fault.
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (fault) {
    throw new JobFault(
      'SpawnFailed',
      `the folder of the job cannot be created: ${errorCodeOf(fault)}`,
    )
  }
}

function holdGroup(
  { limits }: RunnerSettings,
  { means }: HeldJob,
  { plan, supervisor }: Beginning,
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
    throw new JobFault('SpawnFailed', `the limits could not be set: ${errorCodeOf(fault)}`)
  }
}
