/** Which ended jobs are deleted: too old, too many, or too large together. */
import { bytesOf } from './job-files.ts'
import type { RunnerSettings } from './runner-settings.ts'
import type { RunningJob } from './running-job.ts'

/** The last one to end is kept at least so long: whoever started it wants to read of its end. */
const keepMsMin = 60_000

/** Of jobs that have ended nothing grows, and there may be thousands of them. */
const sizes = new WeakMap<RunningJob, number>()

/** The oldest first to go, however young; never one that is running, or not told of yet. */
export function chooseOld(
  jobs: readonly RunningJob[],
  { limits, now }: Pick<RunnerSettings, 'limits' | 'now'>,
): readonly RunningJob[] {
  const at = now()
  const ended = jobs
    .flatMap((job) => (job.end === null ? [] : [{ job, age: at - job.end.endedAt }]))
    .sort((one, two) => one.age - two.age)
  let bytes = 0
  return ended
    .filter(({ job, age }, index) => {
      bytes += sizeOf(job)
      // WHY: facts are made of its files, and of none they would be false.
      if (!job.isTold || (index === 0 && age < keepMsMin)) return false
      return age > limits.keepMs || index >= limits.keepCount || bytes > limits.keepBytes
    })
    .map(({ job }) => job)
}

function sizeOf(job: RunningJob): number {
  const known = sizes.get(job) ?? bytesOf(job.folder)
  sizes.set(job, known)
  return known
}
