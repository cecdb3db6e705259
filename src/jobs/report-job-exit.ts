/**
 * Reports to runs how their jobs ended: once each, also for jobs that ended while no daemon was
 * running.
 */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import type { Json } from '../core/json.ts'
import type { JobFactName } from '../core/machine/job-fact-names.ts'
import { redact } from '../core/redact.ts'
import type { LogLine } from '../daemon/log-file.ts'
import { isTold, markTold, readSecrets } from '../runner/job-files.ts'
import { commandText, stateOf } from '../runner/job-status.ts'
import { extentOf, type JobStreamName, readLogBytes } from '../runner/read-log.ts'
import type { RunningJob } from '../runner/running-job.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { reportJob } from './judge-job.ts'

export type JobExits = {
  /** Resolves also when it could not be told: that is logged. */
  readonly tell: (job: RunningJob) => Promise<void>
  /** Resolves when all that is being told has been. */
  readonly told: () => Promise<unknown>
}

export function reportJobExits(runtime: Runtime, log: LogLine): JobExits {
  const telling = new Set<Promise<void>>()
  return {
    tell: (job) => {
      const work = tellOne(runtime, job)
        .catch((fault: unknown) => {
          // The next daemon tries again: the job is not marked as told.
          log('error', 'the end of a job could not be reported to its run', {
            job: job.note.id,
            fault: String(fault),
          })
        })
        .finally(() => telling.delete(work))
      telling.add(work)
      return work
    },
    told: () => Promise.all(telling),
  }
}

async function tellOne(runtime: Runtime, job: RunningJob): Promise<void> {
  const { note, end, folder } = job
  if (end === null || note.callId === null || isTold(folder)) return
  const isCompleted = stateOf(job) === 'completed'
  const outputSha256 = hashOf(folder, ['stdout', 'stderr'])
  await reportJob(runtime, note, {
    ok: isCompleted && end.code === 0,
    exitCode: isCompleted ? end.code : null,
    bytes: extentOf(folder, 'stdout').size + extentOf(folder, 'stderr').size,
    source: note.id,
    endedAt: end.endedAt,
    printed: redact(endOf(folder, 'stdout') + endOf(folder, 'stderr'), readSecrets(folder)),
    ...(outputSha256 === null ? {} : { outputSha256 }),
    facts: factsOf(job),
  })
  markTold(folder)
}

/** The job that ended last, for briefs and messages; guards use evidence. */
function factsOf(job: RunningJob): Readonly<Record<JobFactName, Json>> {
  const { note, end, folder } = job
  return {
    job_id: note.id,
    job_command: redact(commandText(note)),
    job_folder: relative(note.workspace, note.folder) || '.',
    job_environment: note.variables,
    job_state: stateOf(job),
    job_exit_code: stateOf(job) === 'completed' ? (end?.code ?? null) : null,
    job_stdout_sha256: hashOf(folder, ['stdout']),
    job_stderr_sha256: hashOf(folder, ['stderr']),
  }
}

/** How much of each stream is looked into for what a test runner says at its end. */
const printedBytesMax = 128 * 1024

function endOf(folder: string, stream: JobStreamName): string {
  const { size } = extentOf(folder, stream)
  const offset = Math.max(0, size - printedBytesMax)
  return readLogBytes(folder, stream, { offset, limit: printedBytesMax }).bytes.toString()
}

const chunkBytes = 1024 * 1024

/** Of streams one after another; null: the beginning of one is gone. */
function hashOf(folder: string, streams: readonly JobStreamName[]): string | null {
  const hash = createHash('sha256')
  for (const stream of streams) {
    const { first, size } = extentOf(folder, stream)
    if (first > 0) return null
    for (let offset = 0; offset < size; ) {
      const { bytes } = readLogBytes(folder, stream, { offset, limit: chunkBytes })
      if (bytes.length === 0) return null
      hash.update(bytes)
      offset += bytes.length
    }
  }
  return hash.digest('hex')
}
