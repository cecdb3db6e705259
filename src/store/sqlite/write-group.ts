/**
 * One transaction for a group of jobs: whoever fails fails alone.
 * Knows transactions. Must not know what is written, or who waits for it.
 */
import type { DatabaseSync } from 'node:sqlite'
import { isBusy } from './faults.ts'

/** A piece of work on the database. It may run twice, but only one of the runs is kept. */
export type Job<T> = () => T

/** What became of one job; what a job gave is durable. */
export type Result =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }

/** One result for each job; or the error of who found the file locked, and nothing was tried. */
export type Written =
  | { readonly kind: 'tried'; readonly results: readonly Result[] }
  | { readonly kind: 'locked'; readonly error: unknown }

export type WriteGroup = (jobs: readonly Job<unknown>[]) => Written

export function prepareGroup(db: DatabaseSync): WriteGroup {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')

  const writeGroup: WriteGroup = (jobs) => {
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
      begin.run()
    } catch (error) {
      if (isBusy(error)) return { kind: 'locked', error }
      return { kind: 'tried', results: jobs.map(() => ({ kind: 'failed', error })) }
    }
    try {
      const values = jobs.map((job) => job())
      commit.run()
      return { kind: 'tried', results: values.map((value) => ({ kind: 'done', value })) }
    } catch (error) {
      rollBack()
      // WHY: whoever failed fails alone; the others did nothing wrong.
      const results =
        jobs.length === 1 ? [{ kind: 'failed', error } as const] : jobs.map(writeAlone)
      return { kind: 'tried', results }
    }
  }

  const writeAlone = (job: Job<unknown>): Result => {
    const written = writeGroup([job])
    if (written.kind === 'locked') return { kind: 'failed', error: written.error }
    return written.results[0] as Result
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
