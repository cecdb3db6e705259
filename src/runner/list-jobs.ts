/**
 * `process.list`: jobs by state, the newest first.
 */
import { JobFault } from '../runtime/jobs/job-fault.ts'
import { type JobList, jobStates, type ListWish } from '../runtime/jobs/jobs-port.ts'
import { entryOf, stateOf } from './job-status.ts'
import { listDefault, listMax } from './limits.ts'
import type { RunningJob } from './running-job.ts'

/** Faults `InvalidFilter`, `InvalidInput`. `jobs` are those that the caller may see. */
export function listJobs(jobs: readonly RunningJob[], wish: ListWish, now: number): JobList {
  const { state_filter: filter = 'all', limit = listDefault } = wish
  if (filter !== 'all' && !jobStates.some((state) => state === filter)) {
    throw new JobFault('InvalidFilter', `\`${filter}\` is not a job state`)
  }
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > listMax) {
    throw new JobFault('InvalidInput', `\`limit\` must be a whole number from 1 to ${listMax}`)
  }
  const found = jobs.filter((job) => filter === 'all' || stateOf(job) === filter)
  const processes = found.slice(0, limit).map((job) => entryOf(job, now))
  return { processes, total: found.length }
}
