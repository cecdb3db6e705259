/**
 * A job as a daemon holds it: by the pipe that its helper reads. As long as the pipe has a reader
 * the helper lives, so process ids are never trusted: an id can be reused, an open pipe cannot.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../runtime/error-code.ts'
import { type BlockedConnections, readBlocked } from './blocked-connections.ts'
import { letGroupsGo } from './cgroups.ts'
import { type EgressProxy, openEgressProxy } from './egress-proxy.ts'
import {
  controlName,
  type JobEnd,
  type JobNote,
  readEnd,
  removeScratch,
  writeEnd,
} from './job-files.ts'
import { killLeftovers } from './kill-leftovers.ts'

export type RunningJob = {
  readonly note: JobNote
  readonly folder: string
  /** Null: it has not ended. */
  end: JobEnd | null
  /** Whoever hears of ends is done with this one, and needs its files no more. */
  isTold: boolean
  /** The pipe; null: not connected. */
  control: number | null
  /** Who waits for its end. */
  readonly waiters: Set<() => void>
  /** The moment at which a kill that is under way ends it for sure; null: there is none. */
  forceAt: number | null
  /** Its way out; null: it has none, or none here. */
  outlet: EgressProxy | null
  readonly refusals: BlockedConnections
}

export function runningJob(note: JobNote, folder: string): RunningJob {
  const end = readEnd(folder)
  const refusals = readBlocked(folder)
  const waiters = new Set<() => void>()
  return {
    ...{ note, folder, end, isTold: false, control: null, waiters, forceAt: null },
    ...{ outlet: null, refusals },
  }
}

/** Opens the way out of a job that has one; resolves when the job can use it. */
export async function openWayOut(job: RunningJob): Promise<void> {
  const { folder, refusals, note } = job
  const destinations = note.destinations ?? null
  if (destinations === null) return
  job.outlet = openEgressProxy({ folder, destinations, refusals })
  await job.outlet.opened
}

/** Takes hold of the helper; false: there is none that listens. */
export function connectJob(job: RunningJob): boolean {
  if (job.control !== null) return true
  try {
    const path = join(job.folder, controlName)
    job.control = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    return sendToJob(job, 'hello')
  } catch (fault) {
    if (['ENXIO', 'ENOENT'].includes(errorCodeOf(fault))) return false
    throw fault
  }
}

/** Sends the helper a line; false: nobody listens any more. */
export function sendToJob(job: RunningJob, line: string): boolean {
  if (job.control === null) return false
  try {
    writeSync(job.control, `${line}\n`)
    return true
  } catch (fault) {
    if (errorCodeOf(fault) === 'EPIPE') return false
    throw fault
  }
}

/** Lets go of the helper, which then counts the time without a daemon, and has no way out. */
export function releaseJob(job: RunningJob): void {
  if (job.control !== null) closeSync(job.control)
  job.control = null
  job.outlet?.close()
  job.outlet = null
}

/** How long a helper that was just started may take to listen. */
const bornMsMax = 10_000

/** Looks whether a job has ended; one whose helper was killed is ended here. */
export function checkJob(job: RunningJob, now: number): void {
  if (job.end !== null) return
  const isThere = connectJob(job) && sendToJob(job, 'hello')
  const end = readEnd(job.folder)
  if (end !== null) return settle(job, end)
  if (isThere || (job.control === null && now - job.note.startedAt < bornMsMax)) return
  killLeftovers(job.note)
  const lost: JobEnd = {
    ...{ why: 'lost', endedAt: now, code: null, signal: null, killedBy: null, error: null },
    ...{ step: '', limit: null, durationMs: Math.max(0, now - job.note.startedAt), cpuMs: null },
    ...{ memoryPeakBytes: null, memoryLargestBytes: null, ioReadBytes: null, ioWriteBytes: null },
    ...{ stdoutLost: 0, stderrLost: 0 },
  }
  try {
    writeEnd(job.folder, lost)
  } catch {
    // Its folder is gone or the disk is full: the next daemon finds the same, and this one goes on.
  }
  settle(job, lost)
}

function settle(job: RunningJob, end: JobEnd): void {
  job.end = end
  releaseJob(job)
  letGroupsGo(job.note.cgroups)
  removeScratch(job.folder)
  for (const wake of job.waiters) wake()
  job.waiters.clear()
}

/** Resolves when the job has ended, when the time is over, or when nobody wants to know. */
export function waitForEnd(job: RunningJob, ms: number): Promise<void> {
  if (job.end !== null || ms <= 0) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      job.waiters.delete(done)
      resolve()
    }
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(done, ms)
    job.waiters.add(done)
  })
}
