/**
 * Reports to runs how their jobs ended: once each, also for jobs that ended while no daemon was
 * running.
 */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import type { Json } from '../core/json.ts'
import type { JobFactName } from '../core/machine/job-fact-names.ts'
import type { LogLine } from '../daemon/log-file.ts'
import { isTold, markTold } from '../runner/job-files.ts'
import { commandText, stateOf } from '../runner/job-status.ts'
import { extentOf, type JobStreamName, readLogBytes } from '../runner/read-log.ts'
import { redact } from '../runner/redact.ts'
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
  await reportJob(runtime, note, {
    ok: isCompleted && end.code === 0,
    exitCode: isCompleted ? end.code : null,
    bytes: extentOf(folder, 'stdout').size + extentOf(folder, 'stderr').size,
    facts: factsOf(job),
  })
  markTold(folder)
}

/** What guards can rest on: Pawl started it and saw it end. */
function factsOf(job: RunningJob): Readonly<Record<JobFactName, Json>> {
  const { note, end, folder } = job
  return {
    job_id: note.id,
    job_command: redact(commandText(note)),
    job_folder: relative(note.workspace, note.folder) || '.',
    job_environment: note.variables,
    job_state: stateOf(job),
    job_exit_code: stateOf(job) === 'completed' ? (end?.code ?? null) : null,
    job_stdout_sha256: hashOf(folder, 'stdout'),
    job_stderr_sha256: hashOf(folder, 'stderr'),
  }
}

const chunkBytes = 1024 * 1024

/** Null: the beginning is gone, so that the hash would be of something else. */
function hashOf(folder: string, stream: JobStreamName): string | null {
  const { first, size } = extentOf(folder, stream)
  if (first > 0) return null
  const hash = createHash('sha256')
  for (let offset = 0; offset < size; ) {
    const { bytes } = readLogBytes(folder, stream, { offset, limit: chunkBytes })
    if (bytes.length === 0) return null
    hash.update(bytes)
    offset += bytes.length
  }
  return hash.digest('hex')
}
