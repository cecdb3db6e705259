/**
 * A store in one SQLite file: the truth of one machine, written by one daemon.
 */
import { availableParallelism } from 'node:os'
import type { Store } from '../../runtime/ports.ts'
import { cardCalls } from './cards.ts'
import { careCalls } from './care.ts'
import { claimCalls } from './claims.ts'
import { definitionCalls } from './definitions.ts'
import { toFault } from './faults.ts'
import { openWriter } from './group-commit.ts'
import { openDatabase, type SqliteOptions } from './open-database.ts'
import { openWriteThread, type WriteThread } from './open-write-thread.ts'
import { openRecall } from './recall.ts'
import { runCalls } from './runs.ts'
import type { Shared } from './shared.ts'
import { prepareRunWriter } from './write-run.ts'

export type { SqliteOptions } from './open-database.ts'

const defaults = {
  synchronous: 'FULL',
  queuedMax: 10_000,
  lockedMaxMs: 5_000,
  // WHY: to be handed over costs a few commands more than it gives, and two threads one core each.
  crowdMin: availableParallelism() > 1 ? 12 : Number.POSITIVE_INFINITY,
} as const

/** Opens a file or makes it. Faults: `STORE_UNAVAILABLE`, `STORE_CORRUPT`, `STORE_VERSION`. */
export function openSqliteStore(
  options: SqliteOptions,
  thread: WriteThread = openWriteThread({ ...defaults, ...options }),
): Store {
  const settings = { ...defaults, ...options }
  const db = openDatabase(settings)
  // WHY nothing is remembered here: only a crowd is in a hurry, and the thread writes for it.
  const runs = prepareRunWriter(db, null)
  const recall = openRecall(db)
  const writer = openWriter({ ...settings, db, commitHere: runs.commit, thread, recall })
  const read = async <T>(query: () => T): Promise<T> => {
    try {
      return query()
    } catch (error) {
      throw toFault(error)
    }
  }
  const { write, commit } = writer
  const shared: Shared = { db, runs, recall, read, write, commit }
  return {
    ...runCalls(shared),
    ...definitionCalls(shared),
    ...claimCalls(shared),
    ...cardCalls(shared),
    ...careCalls(shared),
    close: async () => {
      await writer.close()
      if (db.isOpen) db.close()
    },
  }
}
