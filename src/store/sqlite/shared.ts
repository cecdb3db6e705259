/**
 * What the parts of the SQLite store share.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Writer } from './group-commit.ts'
import type { Recall } from './recall.ts'
import type { RunWriter } from './write-run.ts'

export type Shared = {
  readonly db: DatabaseSync
  readonly runs: RunWriter
  readonly recall: Recall
  /** Looks into the database now; what it throws is a fault. */
  readonly read: <T>(query: () => T) => Promise<T>
  readonly write: Writer['write']
  readonly commit: Writer['commit']
}
