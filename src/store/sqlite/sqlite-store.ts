/**
 * A store in one SQLite file: the truth of one machine, written by one daemon.
 */
import type { Store } from '../../runtime/ports.ts'
import { prepareRunWriter } from './commit-change.ts'
import { definitionCalls } from './definitions.ts'
import { documentCalls } from './documents.ts'
import { toFault } from './faults.ts'
import { openWriter } from './group-commit.ts'
import { maintenanceCalls } from './maintenance.ts'
import { openDatabase, type SqliteOptions } from './open-database.ts'
import { recordCalls } from './record.ts'
import { prepareRegister } from './register.ts'
import { runCalls } from './runs.ts'
import { claimCalls } from './session-claims.ts'
import type { SqliteContext } from './sqlite-context.ts'

export type { SqliteOptions } from './open-database.ts'

const defaults = { synchronous: 'FULL', queuedMax: 10_000, lockedMaxMs: 5_000 } as const

/** Opens a file or makes it. Faults: `STORE_UNAVAILABLE`, `STORE_CORRUPT`, `STORE_VERSION`. */
export function openSqliteStore(options: SqliteOptions): Store {
  const settings = { ...defaults, ...options }
  const db = openDatabase(settings)
  const writer = openWriter({ ...settings, db })
  const read = async <T>(query: () => T): Promise<T> => {
    try {
      return query()
    } catch (error) {
      throw toFault(error)
    }
  }
  const register = prepareRegister(db)
  const runs = prepareRunWriter(db, register)
  const shared: SqliteContext = { db, runs, register, read, write: writer.write }
  return {
    ...runCalls(shared),
    ...definitionCalls(shared),
    ...claimCalls(shared),
    ...documentCalls(shared),
    ...maintenanceCalls(shared),
    ...recordCalls(shared),
    close: async () => {
      await writer.close()
      if (db.isOpen) db.close()
    },
  }
}
