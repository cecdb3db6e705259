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
  const { pages, next } = alignedPages(job, wish)
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
    next_offset: next,
    stdout_dropped_bytes: stdout.dropped,
    stderr_dropped_bytes: stderr.dropped,
  }
}

type Pages = { readonly stdout: Page; readonly stderr: Page }

/** WHY so few: a character has four bytes at most, so two streams soon end at the same byte. */
const alignRoundsMax = 8

/**
 * The pages, and where the next one begins. Both streams are read from the same offset, so their
 * pages have to end at the same byte; null: they do not, or one of them may still grow before it.
 */
function alignedPages(
  job: RunningJob,
  wish: LogWish,
): { readonly pages: Pages; readonly next: number | null } {
  const { stream = 'both', offset = 0 } = wish
  const read = (limit: number | undefined): Pages => {
    const one = limit === undefined ? wish : { ...wish, limit }
    return { stdout: pageOf(job, 'stdout', one), stderr: pageOf(job, 'stderr', one) }
  }
  const first = read(wish.limit)
  if (stream !== 'both') return { pages: first, next: first[stream as JobStreamName].next }
  let pages = first
  for (let round = 0; round < alignRoundsMax; round += 1) {
    const both = [pages.stdout, pages.stderr]
    const next = Math.min(...both.filter(({ isCut }) => isCut).map((page) => page.next))
    if (next === Number.POSITIVE_INFINITY) break
    const fits = (page: Page): boolean =>
      page.isCut ? page.next === next : page.next <= next && job.end !== null
    if (both.every(fits)) return { pages, next }
    if (next <= offset) break
    pages = read(next - offset)
  }
  return { pages: first, next: null }
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
