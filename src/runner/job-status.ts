/** The status of a job in the terms of the process capabilities. */
import { constants } from 'node:os'
import { redact } from '../core/redact.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type {
  JobEntry,
  JobResult,
  JobState,
  JobStatus,
  ResourceUsage,
} from '../runtime/jobs/jobs-port.ts'
import { blockedWarnings } from './blocked-connections.ts'
import { readFigure } from './cgroups.ts'
import type { JobEnd, JobNote } from './job-files.ts'
import type { MembersBy } from './kill-leftovers.ts'
import { summaryBytesMax } from './limits.ts'
import { processFigures } from './process-figures.ts'
import { extentOf, type JobStreamName, lastLines } from './read-log.ts'
import type { RunningJob } from './running-job.ts'

export function stateOf({ end }: Pick<RunningJob, 'end'>): JobState {
  if (end === null) return 'running'
  if (end.why === 'timeout') return 'timed_out'
  return end.why === 'exit' && end.limit === null ? 'completed' : 'killed'
}

/** The command as one text, for people. */
export function commandText({ command, args }: Pick<JobNote, 'command' | 'args'>): string {
  return args === null ? command : [command, ...args].map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** `SIGTERM` of 15. */
export function signalName(number: number | null): string | null {
  if (number === null) return null
  const found = Object.entries(constants.signals).find(([, value]) => value === number)
  return found?.[0] ?? `signal ${number}`
}

export function entryOf(job: RunningJob, now: number): JobEntry {
  const { note, end } = job
  return {
    process_id: note.id,
    command: redact(commandText(note)),
    state: stateOf(job),
    exit_code: stateOf(job) === 'completed' ? (end?.code ?? null) : null,
    started_at: new Date(note.startedAt).toISOString(),
    duration_ms: end?.durationMs ?? Math.max(0, now - note.startedAt),
    // WHY not by marks: for a long list that would read every process of the machine many times.
    resource_usage: usageOf(note, end, 'groups'),
    run_id: note.runId,
  }
}

function usageOf(note: JobNote, end: JobEnd | null, by: MembersBy): ResourceUsage {
  if (end !== null) {
    return {
      cpu_ms: end.cpuMs,
      memory_peak_bytes: end.memoryPeakBytes ?? end.memoryLargestBytes,
      io_read_bytes: end.ioReadBytes,
      io_write_bytes: end.ioWriteBytes,
    }
  }
  const { cgroups } = note
  const seen = processFigures(note, by)
  const nanoseconds = readFigure(cgroups, [{ file: 'cpuacct.usage', key: '' }])
  const microseconds = readFigure(cgroups, [{ file: 'cpu.stat', key: 'usage_usec ' }])
  const cpuMs = nanoseconds === null ? divided(microseconds, 1e3) : divided(nanoseconds, 1e6)
  const peak = [
    { file: 'memory.max_usage_in_bytes', key: '' },
    { file: 'memory.peak', key: '' },
  ]
  return {
    ...seen,
    cpu_ms: cpuMs ?? seen.cpu_ms,
    memory_peak_bytes: readFigure(cgroups, peak) ?? seen.memory_peak_bytes,
  }
}

function divided(value: number | null, by: number): number | null {
  return value === null ? null : Math.round(value / by)
}

export function statusOf(job: RunningJob, now: number): JobStatus {
  const { note, end, folder, refusals } = job
  const [stdout, stderr] = [extentOf(folder, 'stdout'), extentOf(folder, 'stderr')]
  return {
    ...entryOf(job, now),
    resource_usage: usageOf(note, end, 'groups or marks'),
    signal: signalName(end?.signal ?? end?.killedBy ?? null),
    working_directory: note.folder,
    background: note.background,
    isolation: note.isolation,
    limits_enforced: note.limitsEnforced,
    stdout_size: stdout.size,
    stderr_size: stderr.size,
    stdout_dropped_bytes: stdout.first + (end?.stdoutLost ?? 0),
    stderr_dropped_bytes: stderr.first + (end?.stderrLost ?? 0),
    network_refused: refusals.count,
    warnings: [...note.warnings, ...endWarnings(end), ...blockedWarnings(refusals)],
  }
}

function endWarnings(end: JobEnd | null): readonly string[] {
  if (end?.why === 'alone') return ['no daemon was running for too long, so the job was ended']
  if (end?.why === 'lost') return ['its supervisor was killed; how the job ended is unknown']
  return []
}

export function jobResultOf(job: RunningJob, now: number, secrets: readonly string[]): JobResult {
  const { folder, note } = job
  const summary = (stream: JobStreamName): string => {
    const bounds = { lines: note.stdoutLines, bytesMax: summaryBytesMax }
    return redact(lastLines(folder, stream, bounds), secrets)
  }
  return {
    ...statusOf(job, now),
    stdout_summary: summary('stdout'),
    stderr_summary: summary('stderr'),
  }
}

const limitWords = { memory: 'memory', cpu: 'cpu time', file: 'file size' } as const

/** The fault of a job that was ended by a limit; null: it was not. */
export function limitFault(job: RunningJob, result: JobResult): JobFault | null {
  const limit = job.end?.limit ?? null
  if (limit === null || result.state === 'timed_out') return null
  const { process_id, state, stdout_summary, stderr_summary, resource_usage } = result
  const context = { process_id, state, limit, stdout_summary, stderr_summary, resource_usage }
  const what = `the job was ended because it exceeded its limit of ${limitWords[limit]}`
  return new JobFault('ResourceLimitExceeded', what, { context: { ...context } })
}
