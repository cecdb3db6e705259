/**
 * One writer: everything that is queued in a tick becomes one transaction, so that many share one
 * write to the disk. Knows transactions. Must not know what is written.
 */
import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../../runtime/pawl-error.ts'
import { closedFault, isBusy, toFault } from './faults.ts'

/** A piece of work on the database. It may run twice, but only one of the runs is kept. */
export type Job<T> = () => T

export type Writer = {
  /** Resolves with what the job returned when that is durable. */
  readonly write: <T>(job: Job<T>) => Promise<T>
  /** Finishes what was queued and takes nothing more. */
  readonly close: () => Promise<void>
}

export type WriterLimits = { readonly queuedMax: number; readonly lockedMaxMs: number }

type Queued = {
  readonly job: Job<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

// WHY: a longer transaction would hold up everything else in this process.
const groupMax = 256
const retryMs = 20

export function openWriter(db: DatabaseSync, limits: WriterLimits): Writer {
  const writeGroup = prepareGroup(db)
  const queue: Queued[] = []
  const idle: (() => void)[] = []
  let isScheduled = false
  let isClosed = false
  let lockedSince: number | null = null

  const flush = () => {
    isScheduled = false
    const group = queue.splice(0, groupMax)
    const lockedBy = writeGroup(group)
    if (lockedBy === null) lockedSince = null
    else {
      queue.unshift(...group)
      lockedSince ??= performance.now()
      // WHY all of them: who came later would wait for the same lock.
      const isOver = performance.now() - lockedSince >= limits.lockedMaxMs
      if (isOver) for (const one of queue.splice(0)) one.reject(toFault(lockedBy))
    }
    if (queue.length > 0) schedule()
    else for (const resolve of idle.splice(0)) resolve()
  }

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    if (lockedSince === null) setImmediate(flush)
    else setTimeout(flush, retryMs)
  }

  return {
    write: <T>(job: Job<T>) =>
      new Promise<T>((resolve, reject) => {
        if (isClosed) return reject(closedFault())
        if (queue.length >= limits.queuedMax) return reject(overloaded(queue.length))
        queue.push({ job, resolve: resolve as (value: unknown) => void, reject })
        schedule()
      }),
    close: () =>
      new Promise((resolve) => {
        isClosed = true
        if (queue.length === 0) resolve()
        else idle.push(resolve)
      }),
  }
}

/** Answers all of a group, or none: then it returns the error of who found the file locked. */
function prepareGroup(db: DatabaseSync): (group: readonly Queued[]) => unknown {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')

  const writeGroup = (group: readonly Queued[]): unknown => {
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
      begin.run()
    } catch (error) {
      if (isBusy(error)) return error
      for (const one of group) one.reject(toFault(error))
      return null
    }
    try {
      const values = group.map((one) => one.job())
      commit.run()
      for (const [index, one] of group.entries()) one.resolve(values[index])
    } catch (error) {
      rollBack()
      if (group.length === 1) group[0]?.reject(toFault(error))
      // WHY: whoever failed fails alone; the others did nothing wrong.
      else for (const one of group) writeAlone(one)
    }
    return null
  }

  const writeAlone = (one: Queued) => {
    const lockedBy = writeGroup([one])
    if (lockedBy !== null) one.reject(toFault(lockedBy))
  }

  const rollBack = () => {
    try {
      // After some errors SQLite has rolled back by itself.
      if (db.isTransaction) db.exec('ROLLBACK')
    } catch {
      // The next group tries again before it begins; what is told is the error that came first.
    }
  }

  return writeGroup
}

function overloaded(queuedCount: number): PawlError {
  return new PawlError('OVERLOADED', `${queuedCount} writes wait for the disk already`, {
    hint: 'try again in a second',
  })
}
