/**
 * What SQLite and the file system complain about, as faults with a next step.
 * Knows result codes (https://www.sqlite.org/rescode.html). Must not know what was being done.
 */
import { PawlError } from '../../runtime/pawl-error.ts'

// Primary result codes; the upper bits of an extended code say more than anybody needs here.
const busy = 5
const locked = 6
const readonly = 8
const ioError = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const notADatabase = 26

type Words = { readonly message: string; readonly hint: string }

const unavailable: Readonly<Record<number, Words>> = {
  [busy]: {
    message: 'the database is locked by another program',
    hint: 'stop the program that holds it open, then try again',
  },
  [locked]: {
    message: 'a table of the database is locked',
    hint: 'try again',
  },
  [readonly]: {
    message: 'the database cannot be written',
    hint: 'check the permissions of the file and its folder, and whether the disk is read-only',
  },
  [ioError]: {
    message: 'the disk failed to read or write the database',
    hint: 'check the disk and its free space; acknowledged changes are kept',
  },
  [full]: {
    message: 'the disk is full',
    hint: 'free some space; Pawl then continues by itself, and acknowledged changes are kept',
  },
  [cannotOpen]: {
    message: 'the database cannot be opened',
    hint: 'check that the path is a file and that its folder can be written',
  },
}

const damaged: Words = {
  message: 'the file is damaged, or not a database',
  hint: 'move the file away, then restore a backup or import exported runs into a new one',
}

/** An error as a fault. Bugs and what is a fault already stay what they are. */
export function toFault(error: unknown): unknown {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  if (code === 'ERR_INVALID_STATE') return closedFault(error)
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') return error
  const primary = errcode & 0xff
  if (primary === corrupt || primary === notADatabase) {
    return new PawlError('STORE_CORRUPT', damaged.message, { hint: damaged.hint, cause: error })
  }
  const words = unavailable[primary]
  if (words !== undefined) {
    return new PawlError('STORE_UNAVAILABLE', words.message, { hint: words.hint, cause: error })
  }
  const message = error instanceof Error ? error.message : `SQLite result ${errcode}`
  return new PawlError('INTERNAL', `the database rejected a statement: ${message}`, {
    hint: 'report this with the log of the daemon',
    cause: error,
  })
}

/** A fault of the file system while a database is opened. */
export function toFileFault(path: string, error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return toFault(error)
  const hint =
    code === 'ENOSPC' ? 'free some space, then try again' : 'check the path and its permissions'
  return new PawlError('STORE_UNAVAILABLE', `cannot open the database \`${path}\`: ${code}`, {
    hint,
    cause: error,
  })
}

/** Whether waiting may help: somebody else holds the file. */
export function isBusy(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: unknown }
  return typeof errcode === 'number' && (errcode & 0xff) === busy
}

export function closedFault(cause?: unknown): PawlError {
  const hint = 'the daemon is stopping: try again in a moment'
  return new PawlError('STORE_UNAVAILABLE', 'the database is closed', { hint, cause })
}
