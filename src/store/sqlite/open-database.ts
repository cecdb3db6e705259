/**
 * Opens the file of a store: for its owner only, durable, with a log of bounded size.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toFileFault } from './faults.ts'
import { migrateSqlite } from './migrations.ts'

export type SqliteOptions = {
  readonly path: string
  /** `NORMAL` is faster and may lose the last commands when the power fails. */
  readonly synchronous?: 'FULL' | 'NORMAL'
  /** Writes that wait for the disk; beyond it they are refused as `OVERLOADED`. */
  readonly queuedMax?: number
  /** How long a locked database is waited for. */
  readonly lockedMaxMs?: number
}

type DatabaseOptions = Required<Pick<SqliteOptions, 'path' | 'synchronous' | 'lockedMaxMs'>>

const folderMode = 0o700
const fileMode = 0o600
/** Pages of the write-ahead log after which they are carried over into the file. */
export const walPagesMax = 4_000
/** What is left of a log that had to grow, for instance while a backup was reading. */
const walBytesMax = 64 * 1_048_576
// WHY so short: SQLite sleeps without letting the event loop run. Who waits longer is the queue.
const sleepMaxMs = 10

/** An open database with all its tables. */
export function openDatabase(options: DatabaseOptions): DatabaseSync {
  let db: DatabaseSync | null = null
  try {
    mkdirSync(dirname(options.path), { recursive: true, mode: folderMode })
    // WHY: SQLite would make the file readable for all; its log takes the mode of the file.
    closeSync(openSync(options.path, 'a', fileMode))
    chmodSync(options.path, fileMode)
    db = new DatabaseSync(options.path, { timeout: options.lockedMaxMs })
    // Only a new file takes this; it lets removed runs give their space back.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    db.exec('PRAGMA journal_mode = WAL')
    migrateSqlite(db)
    db.exec(`PRAGMA synchronous = ${options.synchronous}`)
    db.exec(`PRAGMA wal_autocheckpoint = ${walPagesMax}`)
    db.exec(`PRAGMA journal_size_limit = ${walBytesMax}`)
    db.exec(`PRAGMA busy_timeout = ${Math.min(sleepMaxMs, options.lockedMaxMs)}`)
    return db
  } catch (error) {
    db?.close()
    throw toFileFault(options.path, error)
  }
}
