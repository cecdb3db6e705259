/**
 * One writer: everything that is queued in a tick becomes one transaction, so that many share one
 * write to the disk. When many commands are under way, a thread of its own writes one half of them
 * while the other half is decided here. INVARIANT: only one of the two writes at a time.
 * Must not know what is written.
 */

import { PawlError } from '../../runtime/pawl-error.ts'
import type { Change, Committed } from '../../runtime/ports.ts'
import { closedFault, toFault } from './faults.ts'
import type { HintedChange, WriteThread } from './open-write-thread.ts'
import type { Hint, Recall, Tried } from './recall.ts'
import type { Job, Result, WriteGroup, Written } from './write-group.ts'

export type Writer = {
  /** Resolves with what the job returned when that is durable. */
  readonly write: <T>(job: Job<T>) => Promise<T>
  /** The same for a change, which the thread may write as well. */
  readonly commit: (change: Change) => Promise<Committed>
  /** Finishes what was queued and takes nothing more. */
  readonly close: () => Promise<void>
}

type Commit = (change: Change, hint: Hint | null) => Committed

export type WriterOptions = {
  /** Writes a group here and now. */
  readonly writeHere: WriteGroup
  /** What writes a change here. */
  readonly commitHere: Commit
  readonly thread: WriteThread
  readonly recall: Recall
  readonly queuedMax: number
  readonly lockedMaxMs: number
  /** Commands under way from which the thread is worth its while. */
  readonly crowdMin: number
}

type Queued = {
  /** A change can be written by the thread as well. */
  readonly work: { readonly job: Job<unknown> } | { readonly change: Change }
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

// WHY: a longer transaction would hold up everything else in this process.
const groupMax = 256
const retryMs = 20

/** What waits, and for what. */
type Line = {
  readonly queue: Queued[]
  /** The size of the group before this one: whoever was in it comes again soon. */
  lastCount: number
  /** Whether the thread writes now. */
  isAway: boolean
  lockedSince: number | null
}

export function openWriter(options: WriterOptions): Writer {
  const { writeHere, commitHere, thread, queuedMax, recall } = options
  const line: Line = { queue: [], lastCount: 0, isAway: false, lockedSince: null }
  const { queue } = line
  const idle: (() => void)[] = []
  let isScheduled = false
  let isClosed = false

  const flush = () => {
    isScheduled = false
    if (sendAway()) return
    const group = queue.splice(0, groupMax)
    const hints = recall.hintsFor(changesIn(group))
    answer({ group, hints }, writeHere(jobsOf({ group, hints }, commitHere)))
  }

  /** Has the thread write one half of all that are under way; false: it is written here. */
  const sendAway = (): boolean => {
    const crowd = queue.length + line.lastCount
    if (crowd < options.crowdMin || line.lockedSince !== null) return false
    const changes = changesFirst(queue, Math.min(groupMax, Math.ceil(crowd / 2)))
    const hints = recall.hintsFor(changes)
    const away = changes.length === 0 ? null : thread.write(withHints(changes, hints))
    if (away === null) return false
    const group = queue.splice(0, changes.length)
    line.isAway = true
    away.then((written) => answer({ group, hints }, written))
    return true
  }

  const answer = ({ group, hints }: Hinted, written: Written) => {
    line.isAway = false
    line.lastCount = group.length
    if (written.kind === 'locked') waitForLock(line, { group, ...written, ...options })
    else {
      line.lockedSince = null
      recall.settle(triedIn({ group, hints }, written.results))
      // WHY first: the thread writes what waits while those that hear their answer now decide anew.
      if (thread.isOpen()) sendAway()
      settle(group, written.results)
    }
    if (queue.length > 0) schedule()
    else if (!line.isAway) for (const resolve of idle.splice(0)) resolve()
  }

  const schedule = () => {
    if (isScheduled || line.isAway) return
    isScheduled = true
    if (line.lockedSince === null) setImmediate(flush)
    else setTimeout(flush, retryMs)
  }

  const add = <T>(work: Queued['work']): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) return reject(closedFault())
      if (queue.length >= queuedMax) return reject(overloaded(queue.length))
      queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      schedule()
    })

  return {
    write: (job) => add({ job }),
    commit: (change) => add({ change }),
    close: async () => {
      isClosed = true
      if (queue.length > 0 || line.isAway) await new Promise<void>((resolve) => idle.push(resolve))
      await thread.close()
    },
  }
}

type Locked = {
  readonly group: readonly Queued[]
  readonly error: unknown
  readonly lockedMaxMs: number
}

/** Puts a group back until the lock is gone, or it was waited for long enough. */
function waitForLock(line: Line, { group, error, lockedMaxMs }: Locked): void {
  line.queue.unshift(...group)
  line.lockedSince ??= performance.now()
  // WHY all of them: who came later would wait for the same lock.
  const isOver = performance.now() - line.lockedSince >= lockedMaxMs
  if (isOver) for (const one of line.queue.splice(0)) one.reject(toFault(error))
}

/** The changes before anything that can be written here only. */
function changesFirst(queue: readonly Queued[], countMax: number): readonly Change[] {
  const changes: Change[] = []
  for (const { work } of queue) {
    if (!('change' in work) || changes.length === countMax) break
    changes.push(work.change)
  }
  return changes
}

function changesIn(group: readonly Queued[]): readonly Change[] {
  return group.flatMap(({ work }) => ('change' in work ? [work.change] : []))
}

/** A group, and what was known of its changes before. */
type Hinted = { readonly group: readonly Queued[]; readonly hints: readonly (Hint | null)[] }

function withHints(changes: readonly Change[], hints: Hinted['hints']): readonly HintedChange[] {
  return changes.map((change, at) => ({ change, hint: hints[at] ?? null }))
}

function jobsOf({ group, hints }: Hinted, commitHere: Commit): readonly Job<unknown>[] {
  const left = hints.values()
  return group.map(({ work }) => {
    if ('job' in work) return work.job
    const hint = left.next().value ?? null
    return () => commitHere(work.change, hint)
  })
}

function triedIn({ group, hints }: Hinted, results: readonly Result[]): readonly Tried[] {
  const left = hints.values()
  return group.flatMap(({ work }, index) => {
    if (!('change' in work)) return []
    return [{ change: work.change, hint: left.next().value ?? null, result: results[index] }]
  })
}

function settle(group: readonly Queued[], results: readonly Result[]): void {
  for (const [index, result] of results.entries()) {
    if (result.kind === 'done') group[index]?.resolve(result.value)
    else group[index]?.reject(toFault(result.error))
  }
}

function overloaded(queuedCount: number): PawlError {
  return new PawlError('OVERLOADED', `${queuedCount} writes wait for the disk already`, {
    hint: 'try again in a second',
  })
}
