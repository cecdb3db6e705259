/** What the parts of the SQLite store share. */
import type { DatabaseSync } from 'node:sqlite'
import type { RunWriter } from './commit-change.ts'
import type { GroupWriter } from './group-commit.ts'
import type { Register } from './register.ts'

export type SqliteContext = {
  readonly db: DatabaseSync
  readonly runs: RunWriter
  readonly register: Register
  /** Queries the database now; what it throws is a fault. */
  readonly read: <T>(query: () => T) => Promise<T>
  readonly write: GroupWriter['write']
}
