/**
 * One daemon per data directory: a lock that is released when its holder ends, however it ends.
 * WHY a transaction that is never ended: it is the one kernel lock that Node can use on every
 * system, and a `kill -9` releases it.
 */
import { DatabaseSync } from 'node:sqlite'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'

type DaemonLock = { readonly release: () => void }

/** SQLite's word for a lock that somebody else has. */
const busyCode = 5

/** Takes the lock for life; null when somebody has it. */
export function takeLock(path: string): DaemonLock | null {
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
    const held = db
    return { release: () => held.close() }
  } catch (cause) {
    db?.close()
    if (isBusy(cause)) return null
    throw new PawlError('STORE_UNAVAILABLE', `cannot lock \`${path}\``, {
      hint: `the system says ${errorCodeOf(cause)}; check the disk and the folder's permissions`,
      cause,
    })
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === busyCode
}
