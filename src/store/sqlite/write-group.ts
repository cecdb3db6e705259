/**
 * One transaction for a group: whoever fails fails alone.
 * Knows transactions. Must not know what is written, or who waits for it.
 */
import type { DatabaseSync } from 'node:sqlite'
import { isBusy } from './faults.ts'

/** What became of one; what was given for it is durable. */
export type Result =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }

/** One result for each; or the error of who found the file locked, and nothing was tried. */
export type Written =
  | { readonly kind: 'tried'; readonly results: readonly Result[] }
  | { readonly kind: 'locked'; readonly error: unknown }

export type WriteGroup<T> = (group: readonly T[]) => Written

/** `writeOne` may run twice for the same, but only one of the runs is kept. */
export function prepareGroup<T>(db: DatabaseSync, writeOne: (one: T) => unknown): WriteGroup<T> {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')

  const writeGroup: WriteGroup<T> = (group) => {
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
      begin.run()
    } catch (error) {
      if (isBusy(error)) return { kind: 'locked', error }
      return { kind: 'tried', results: group.map(() => ({ kind: 'failed', error })) }
    }
    try {
      const results = group.map((one): Result => ({ kind: 'done', value: writeOne(one) }))
      commit.run()
      return { kind: 'tried', results }
    } catch (error) {
      rollBack()
      // WHY: whoever failed fails alone; the others did nothing wrong.
      const results =
        group.length === 1 ? [{ kind: 'failed', error } as const] : group.map(writeAlone)
      return { kind: 'tried', results }
    }
  }

  const writeAlone = (one: T): Result => {
    const written = writeGroup([one])
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
