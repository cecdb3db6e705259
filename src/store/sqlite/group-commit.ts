/**
 * One writer: what is queued in a tick becomes one transaction, in a crowd two, so that many
 * share one write to the disk. When many commands are under way, a thread of its own writes one
 * part of them while another is decided here; it has the next group before it is done with one.
 * INVARIANT: only one of the two writes at a time.
 * Must not know what is written.
 */
import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Change, Committed } from '../../runtime/ports.ts'
import { closedFault, toFault } from './faults.ts'
import type { WriteThread } from './open-write-thread.ts'
import type { Hand, Hint, Recall } from './recall.ts'
import { prepareGroup, type Result, type Written } from './write-group.ts'

/** A piece of work on the database. It may run twice, but only one of the runs is kept. */
export type Job<T> = () => T

export type Writer = {
  /** Resolves with what the job returned when that is durable. */
  readonly write: <T>(job: Job<T>) => Promise<T>
  /** The same for a change, which the thread may write as well. */
  readonly commit: (change: Change) => Promise<Committed>
  /** Finishes what was queued and takes nothing more. */
  readonly close: () => Promise<void>
}

export type WriterOptions = {
  readonly db: DatabaseSync
  /** Writes a change here, in a transaction. */
  readonly commitHere: (change: Change, hint: Hint | null) => Committed
  readonly thread: WriteThread
  readonly recall: Recall
  readonly queuedMax: number
  readonly lockedMaxMs: number
  /** Commands under way from which the thread is worth its while. */
  readonly crowdMin: number
}

type Queued = {
  /** Its place among all. */
  readonly no: number
  readonly work: JobWork | ChangeWork
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}
type JobWork = { readonly job: Job<unknown> }
type ChangeWork = { readonly change: Change; hint: Hint | null }

// WHY: a longer transaction would hold up everything else in this process.
const groupMax = 256
const retryMs = 20
/**
 * Groups that the thread has at most. WHY two: while one is written, those of the other hear their
 * answer and decide anew. Measured, more are slower: each waits for the disk, and is woken up for.
 */
const awayMax = 2

type Answer = (group: readonly Queued[], written: Written, by: Hand) => void

/** What waits, and for what. */
type Line = {
  readonly queue: Queued[]
  /** Groups that the thread has, and changes in them. */
  awayCount: number
  awayChanges: number
  lockedSince: number | null
}

export function openWriter(options: WriterOptions): Writer {
  const { db, commitHere, thread, recall, queuedMax } = options
  const line: Line = { queue: [], awayCount: 0, awayChanges: 0, lockedSince: null }
  const { queue } = line
  const idle: (() => void)[] = []
  let lastNo = 0
  let isScheduled = false
  let isClosed = false
  const writeHere = prepareGroup<Queued>(db, ({ work }) =>
    'job' in work ? work.job() : commitHere(work.change, work.hint),
  )

  const flush = () => {
    isScheduled = false
    sendAway()
    // What is left waits until the thread is done.
    if (line.awayCount > 0 || queue.length === 0) return
    const group = queue.splice(0, groupMax)
    for (const { work } of group) if ('change' in work) work.hint = recall.hintFor(work.change)
    answer(group, writeHere(group), 'here')
  }

  const answer: Answer = (group, written, by) => {
    if (written.kind === 'locked') {
      for (const { work } of group) if ('change' in work) recall.settle(work, null, by)
      waitForLock(line, { group, ...written, ...options })
    } else {
      line.lockedSince = null
      for (const [at, queued] of group.entries()) {
        const result = written.results[at] as Result
        if ('change' in queued.work) recall.settle(queued.work, result, by)
        settle(queued, result)
      }
    }
    if (queue.length > 0) schedule()
    else if (line.awayCount === 0) for (const resolve of idle.splice(0)) resolve()
  }
  const sendAway = openSending(options, line, answer)

  const schedule = () => {
    if (isScheduled || line.awayCount === awayMax) return
    isScheduled = true
    if (line.lockedSince === null) setImmediate(flush)
    else setTimeout(flush, retryMs)
  }

  const add = <T>(work: Queued['work']): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) return reject(closedFault())
      if (queue.length >= queuedMax) return reject(overloaded(queue.length))
      lastNo += 1
      queue.push({ no: lastNo, work, resolve: resolve as (value: unknown) => void, reject })
      schedule()
    })

  return {
    write: (job) => add({ job }),
    commit: (change) => add({ change, hint: null }),
    close: async () => {
      isClosed = true
      const isBusy = queue.length > 0 || line.awayCount > 0
      if (isBusy) await new Promise<void>((resolve) => idle.push(resolve))
      await thread.close()
    },
  }
}

/** Has the thread write what is queued, when many are under way. */
function openSending(
  { thread, recall, crowdMin }: WriterOptions,
  line: Line,
  answer: Answer,
): () => void {
  const { queue } = line
  const send = (changes: readonly ChangeWork[]) => {
    for (const work of changes) work.hint = recall.hintFor(work.change)
    const group = queue.splice(0, changes.length)
    line.awayCount += 1
    line.awayChanges += group.length
    thread.write(changes).then((written) => {
      line.awayCount -= 1
      // WHY first: the thread has its next group while those that hear their answer decide anew.
      if (written.kind === 'tried') sendAway()
      line.awayChanges -= group.length
      answer(group, written, 'thread')
    })
  }
  const sendAway = () => {
    const crowd = queue.length + line.awayChanges
    if (crowd < crowdMin || line.lockedSince !== null) return
    const countMax = Math.min(groupMax, Math.ceil(crowd / awayMax))
    while (line.awayCount < awayMax) {
      const changes = changesFirst(queue, countMax)
      if (changes.length === 0 || !thread.isReady()) return
      send(changes)
    }
  }
  return sendAway
}

function settle({ resolve, reject }: Queued, result: Result): void {
  if (result.kind === 'done') resolve(result.value)
  else reject(toFault(result.error))
}

type Locked = {
  readonly group: readonly Queued[]
  readonly error: unknown
  readonly lockedMaxMs: number
}

/** Puts a group back until the lock is gone, or it was waited for long enough. */
function waitForLock(line: Line, { group, error, lockedMaxMs }: Locked): void {
  line.queue.push(...group)
  // WHY sorted: a group that was with the thread as well may be back already.
  line.queue.sort((a, b) => a.no - b.no)
  line.lockedSince ??= performance.now()
  if (performance.now() - line.lockedSince < lockedMaxMs) return
  // WHY all of them: who came later would wait for the same lock.
  for (const one of line.queue.splice(0)) one.reject(toFault(error))
  line.lockedSince = null
}

/** The changes before anything that can be written here only. */
function changesFirst(queue: readonly Queued[], countMax: number): readonly ChangeWork[] {
  const changes: ChangeWork[] = []
  for (const { work } of queue) {
    if (!('change' in work) || changes.length === countMax) break
    changes.push(work)
  }
  return changes
}

function overloaded(queuedCount: number): PawlError {
  return new PawlError('OVERLOADED', `${queuedCount} writes wait for the disk already`, {
    hint: 'try again in a second',
  })
}
