/**
 * Which ended jobs are no longer kept: too old, too many, or too large together.
 */
import { bytesOf } from './job-files.ts'
import type { LiveJob } from './live-job.ts'
import type { RunnerSettings } from './settings.ts'

/** A job is kept at least so long, so that whoever started it can read how it ended. */
const keepMsMin = 60_000

export function chooseOld(
  jobs: readonly LiveJob[],
  { limits, now }: Pick<RunnerSettings, 'limits' | 'now'>,
): readonly LiveJob[] {
  const at = now()
  const ended = jobs
    .flatMap((job) => (job.end === null ? [] : [{ job, endedAt: job.end.endedAt }]))
    .sort((one, two) => two.endedAt - one.endedAt)
  let bytes = 0
  return ended
    .filter(({ job, endedAt }, index) => {
      const age = at - endedAt
      if (age < keepMsMin) return false
      bytes += bytesOf(job.folder)
      return age > limits.keepMs || index >= limits.keepCount || bytes > limits.keepBytes
    })
    .map(({ job }) => job)
}
