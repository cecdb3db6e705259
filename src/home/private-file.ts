/**
 * Private files and folders: created with closed permissions, and closed again if they are found
 * open.
 * Knows owners and modes. Must not know what a file contains.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'

const folderMode = 0o700
const fileMode = 0o600
/** Group and others. */
const strangersMask = 0o077

/**
 * Makes a folder that only its owner enters; a fault when it belongs to somebody else.
 * `refuse` links where others may put one: it would lead to a folder of ours that is not meant.
 */
export function ensurePrivateFolder(path: string, links: 'follow' | 'refuse' = 'follow'): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    mkdirSync(path, { mode: folderMode })
  } catch (cause) {
    if (errorCodeOf(cause) !== 'EEXIST') throw unwritable(path, cause)
  }
  const stats = links === 'follow' ? statSync(path) : lstatSync(path)
  if (!stats.isDirectory()) {
    throw new PawlError('FILE_UNWRITABLE', `\`${path}\` is not a folder`, {
      hint: 'move it away, or set another folder with PAWL_HOME',
    })
  }
  refuseForeign(path, stats)
  if (isOpen(stats)) chmodSync(path, folderMode)
}

/** Puts a text in the place of a file, whole or not at all, for its owner only. */
export function writePrivate(path: string, text: string, mode = fileMode): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.part`
  try {
    const file = openSync(draft, 'wx', mode)
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw unwritable(path, cause)
  }
}

/** The text of a file that only its owner may read; null when there is none. */
export function readPrivate(path: string): string | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (cause) {
    if (errorCodeOf(cause) === 'ENOENT') return null
    const hint = `the system says ${errorCodeOf(cause)}; change its permissions or run as its owner`
    throw new PawlError('FILE_UNREADABLE', `cannot read \`${path}\``, { hint, cause })
  }
  try {
    const stats = fstatSync(file)
    refuseForeign(path, stats)
    if (isOpen(stats)) fchmodSync(file, fileMode)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** WHY not on Windows: it has no owners and modes of this kind; the profile folder is closed. */
function refuseForeign(path: string, stats: Stats): void {
  const uid = process.getuid?.()
  if (uid === undefined || stats.uid === uid) return
  throw new PawlError('NOT_PERMITTED', `\`${path}\` belongs to another user (uid ${stats.uid})`, {
    hint: `run Pawl as that user, or set your own folder with PAWL_HOME (you are uid ${uid})`,
  })
}

function isOpen(stats: Stats): boolean {
  return process.getuid !== undefined && (stats.mode & strangersMask) !== 0
}

function unwritable(path: string, cause: unknown): PawlError {
  const hint = `the system says ${errorCodeOf(cause)}; set another folder with PAWL_HOME`
  return new PawlError('FILE_UNWRITABLE', `cannot write \`${path}\``, { hint, cause })
}
