/** `process.kill`: sends a signal to a job, and kills it afterwards if requested. */
import { constants } from 'node:os'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { KillResult, KillWish } from '../runtime/jobs/jobs-port.ts'
import { signalName, stateOf } from './job-status.ts'
import { forceSecondsDefault, forceSecondsMax, killMsMax } from './limits.ts'
import { checkJob, type RunningJob, sendToJob, waitForEnd } from './running-job.ts'

const signals = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/** How long a job gets to end by a signal that nothing follows. */
const politeMs = 400

/** Faults `InvalidInput`, `ProcessAlreadyExited`, `KillFailed`. */
export async function killJob(
  job: RunningJob,
  wish: KillWish,
  now: () => number,
): Promise<KillResult> {
  const { signal, forceMs } = checkKill(wish)
  checkJob(job, now())
  if (job.end !== null) throw alreadyExited(job)
  const isFinal = signal === 'SIGKILL' || (signal === 'SIGTERM' && forceMs > 0)
  const forceAt = now() + forceMs
  if (isFinal && job.forceAt !== null && job.forceAt <= forceAt) {
    // One kill is enough; whoever comes second, and is no faster, is told what came of the first.
    await waitForEnd(job, forceMs + killMsMax)
    if (job.end !== null) throw alreadyExited(job)
  }
  if (isFinal) job.forceAt = forceAt
  if (!sendToJob(job, `kill ${constants.signals[signal]} ${forceMs}`)) checkJob(job, now())
  await waitForEnd(job, isFinal ? forceMs + killMsMax : politeMs)
  if (isFinal && job.end === null) {
    job.forceAt = null
    throw new JobFault('KillFailed', 'the job did not end in time', {
      context: { process_id: job.note.id, signal },
    })
  }
  return {
    killed: stateOf(job) === 'killed',
    signal_sent: signalName(strongest(job)) ?? signal,
    process_id: job.note.id,
    state: stateOf(job),
  }
}

/** The signal that it was really ended by, where that was asked for. */
function strongest({ end }: RunningJob): number | null {
  return end?.killedBy ?? null
}

type Kill = { readonly signal: (typeof signals)[number]; readonly forceMs: number }

export function checkKill({ signal = 'SIGTERM', force_after }: KillWish): Kill {
  const seconds = force_after ?? forceSecondsDefault
  const known = signals.find((one) => one === signal)
  if (known === undefined) {
    throw new JobFault('InvalidInput', `\`signal\` must be one of ${signals.join(', ')}`)
  }
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > forceSecondsMax) {
    const range = `a whole number of seconds from 0 to ${forceSecondsMax}`
    throw new JobFault('InvalidInput', `\`force_after\` must be ${range}`)
  }
  return { signal: known, forceMs: known === 'SIGTERM' ? seconds * 1_000 : 0 }
}

function alreadyExited(job: RunningJob): JobFault {
  const state = stateOf(job)
  return new JobFault('ProcessAlreadyExited', `the job has already ended: ${state}`, {
    context: { process_id: job.note.id, state, exit_code: job.end?.code ?? null },
  })
}
