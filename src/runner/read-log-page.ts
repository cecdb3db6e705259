/** `process.logs`: pages of the output of a job, exact to the byte. */
import { setTimeout as sleep } from 'node:timers/promises'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { JobLogs, LogWish } from '../runtime/jobs/jobs-port.ts'
import { stateOf } from './job-status.ts'
import { logBytesMax, lookMs } from './limits.ts'
import { extentOf, type JobStreamName, readLogBytes, wholeLength } from './read-log.ts'
import type { RunningJob } from './running-job.ts'

const streams = ['stdout', 'stderr', 'both']

type Page = {
  readonly text: string
  readonly size: number
  readonly next: number
  readonly dropped: number
  readonly isCut: boolean
}

/** Faults `InvalidStream`, `InvalidInput`. */
export function readLogs(job: RunningJob, wish: LogWish): JobLogs {
  checkLogs(wish)
  const { stream = 'both' } = wish
  const pages = { stdout: pageOf(job, 'stdout', wish), stderr: pageOf(job, 'stderr', wish) }
  const { stdout, stderr } = pages
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    stdout_size: stdout.size,
    stderr_size: stderr.size,
    truncated: stdout.isCut || stderr.isCut,
    process_id: job.note.id,
    state: stateOf(job),
    stdout_next_offset: stdout.next,
    stderr_next_offset: stderr.next,
    next_offset: stream === 'both' ? null : pages[stream as JobStreamName].next,
    stdout_dropped_bytes: stdout.dropped,
    stderr_dropped_bytes: stderr.dropped,
  }
}

export function checkLogs({ stream = 'both', offset = 0, limit = 0 }: LogWish): void {
  if (!streams.includes(stream)) {
    throw new JobFault('InvalidStream', `\`${stream}\` is not one of stdout, stderr and both`)
  }
  for (const [name, value] of Object.entries({ offset, limit })) {
    if (Number.isSafeInteger(value) && value >= 0) continue
    throw new JobFault('InvalidInput', `\`${name}\` must be a whole number of bytes, 0 or more`)
  }
}

function pageOf({ folder, end }: RunningJob, name: JobStreamName, wish: LogWish): Page {
  const { stream = 'both', offset = 0, limit = logBytesMax / 2, encoding = 'utf8' } = wish
  const isWanted = stream === 'both' || stream === name
  const bytesMax = isWanted ? Math.min(limit, logBytesMax / 2) : 0
  // Three bytes more: a page never ends inside of a character, and never is empty for one.
  const piece = readLogBytes(folder, name, { offset, limit: bytesMax + (bytesMax === 0 ? 0 : 3) })
  const { extent, start } = piece
  const atEnd = start + piece.bytes.length >= extent.size
  const length =
    encoding === 'base64'
      ? Math.min(bytesMax, piece.bytes.length)
      : end !== null && atEnd && piece.bytes.length <= bytesMax
        ? piece.bytes.length
        : textLength(piece.bytes, bytesMax)
  const bytes = piece.bytes.subarray(0, length)
  const next = isWanted ? start + length : offset
  return {
    text: bytes.toString(encoding),
    size: extent.size,
    next,
    dropped: extent.first,
    isCut: isWanted && next < extent.size && length < piece.bytes.length + (atEnd ? 0 : 1),
  }
}

/** Bytes of the page: whole characters, as many as fit, and at least one. */
function textLength(bytes: Buffer, bytesMax: number): number {
  if (bytes.length <= bytesMax) return wholeLength(bytes)
  const fitting = wholeLength(bytes.subarray(0, bytesMax))
  if (fitting > 0 || bytesMax === 0) return fitting
  for (let length = bytesMax; length <= bytes.length; length += 1) {
    if (wholeLength(bytes.subarray(0, length)) === length) return length
  }
  return bytesMax
}

/** Waits until there is more than the offset, the job has ended, or the time is over. */
export async function waitForBytes(job: RunningJob, wish: LogWish, ms: number): Promise<void> {
  const { stream = 'both', offset = 0 } = wish
  const names = stream === 'both' ? (['stdout', 'stderr'] as const) : [stream as JobStreamName]
  const until = performance.now() + ms
  while (job.end === null && performance.now() < until) {
    if (names.some((name) => extentOf(job.folder, name).size > offset)) return
    await sleep(lookMs)
  }
}
