/**
 * One writer: everything that is queued in one turn of the event loop is written in one
 * transaction, so that many callers share one sync of the disk. Each caller is answered once the
 * transaction is durable.
 * Must not know what is written.
 */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../../runtime/pawl-error.ts'
import { closedFault, isBusy, toFault } from './faults.ts'

export type GroupWriter = {
  /**
   * Resolves with what the job returned when that is durable. The job may run twice, but only one
   * of the runs is kept.
   */
  readonly write: <T>(job: () => T) => Promise<T>
  /** Finishes what was queued and takes nothing more. */
  readonly close: () => Promise<void>
}

type WriterOptions = {
  readonly db: DatabaseSync
  readonly queuedMax: number
  readonly lockedMaxMs: number
}

type QueuedJob = {
  readonly run: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

// WHY: a longer transaction would hold up everything else in this process.
const groupMax = 256
const retryMs = 20
const closingMs = 1

export function openWriter({ db, queuedMax, lockedMaxMs }: WriterOptions): GroupWriter {
  const transact = prepareTransaction(db)
  const queue: QueuedJob[] = []
  let isScheduled = false
  let isClosed = false
  let lockedSince: number | null = null

  const flush = (): void => {
    isScheduled = false
    writeGroup(queue.splice(0, groupMax))
    if (queue.length > 0) schedule()
  }

  const writeGroup = (group: readonly QueuedJob[]): void => {
    try {
      const values = transact(group.map((job) => job.run))
      lockedSince = null
      for (const [index, job] of group.entries()) job.resolve(values[index])
    } catch (error) {
      if (isBusy(error)) waitForLock(group, error)
      // The job that failed must not fail the others.
      else writeOneByOne(group)
    }
  }

  const writeOneByOne = (group: readonly QueuedJob[]): void => {
    for (const [index, job] of group.entries()) {
      try {
        job.resolve(transact([job.run])[0])
      } catch (error) {
        // WHY the whole rest: what is put back job by job would come back in another order.
        if (isBusy(error)) return waitForLock(group.slice(index), error)
        job.reject(toFault(error))
      }
    }
  }

  /** Puts a group back until the lock is released, or for as long as anyone may wait. */
  const waitForLock = (group: readonly QueuedJob[], error: unknown): void => {
    queue.unshift(...group)
    lockedSince ??= performance.now()
    if (performance.now() - lockedSince < lockedMaxMs) return
    lockedSince = null
    // WHY all of them: the jobs behind the group wait for the same lock.
    for (const job of queue.splice(0)) job.reject(toFault(error))
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    if (lockedSince === null) setImmediate(flush)
    else setTimeout(flush, retryMs)
  }

  return {
    write: <T>(job: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (isClosed) return reject(closedFault())
        if (queue.length >= queuedMax) return reject(overloaded(queue.length))
        // WHY the cast: a job is resolved with its own value only.
        queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject })
        schedule()
      }),
    close: async () => {
      isClosed = true
      while (queue.length > 0) await sleep(closingMs)
    },
  }
}

/** Runs jobs in one transaction and returns their values; when one throws, nothing is kept. */
function prepareTransaction(db: DatabaseSync) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  // After some errors SQLite has rolled back by itself.
  const rollBack = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
  return (jobs: readonly (() => unknown)[]): readonly unknown[] => {
    // A rollback that failed is tried again before anything else is written.
    rollBack()
    begin.run()
    try {
      const values = jobs.map((job) => job())
      commit.run()
      return values
    } catch (error) {
      try {
        rollBack()
      } catch {
        // The caller gets the first error; the next transaction rolls back again.
      }
      throw error
    }
  }
}

function overloaded(queuedCount: number): PawlError {
  return new PawlError('OVERLOADED', `${queuedCount} writes are already queued`, {
    hint: 'try again in a second',
  })
}
