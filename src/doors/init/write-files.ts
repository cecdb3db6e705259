/**
 * Reads the files of a workspace, and writes several of them all or none. The only place in init
 * that writes. Does not know what the files contain.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCodeOf } from '../../runtime/error-code.ts'
import { PawlError } from '../../runtime/pawl-error.ts'

type FileChange = {
  readonly path: string
  /** What must still be there; null: no file. */
  readonly before: string | null
  readonly after: string | null
  /** Null: as it is, or as the system makes new files. */
  readonly mode: number | null
}

/** What was done beside the texts, so that it can be undone. */
export type WrittenFile = {
  /** Folders that were made, the outermost first. */
  readonly folders: readonly string[]
  /** The permissions of files that were changed, as they had been. */
  readonly modes: ReadonlyMap<string, number>
}

/** The permissions of a file that holds a token. */
export const secretMode = 0o600
const modeMask = 0o777

/** The text of a file; null: there is none. What is no text, or leads elsewhere, is a fault. */
export function readWorkspaceFile(workspace: string, path: string): string | null {
  const place = placeOf(workspace, path)
  try {
    const bytes = readFileSync(place)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    if (errorCodeOf(cause) === 'ENOENT' || errorCodeOf(cause) === 'ENOTDIR') return null
    const message = `cannot read \`${path}\``
    const isText = cause instanceof TypeError
    const hint = isText ? 'it is not valid UTF-8' : `the system says ${errorCodeOf(cause)}`
    throw new PawlError('FILE_UNREADABLE', message, { hint: `${hint}. Nothing was written`, cause })
  }
}

/** Writes all of it, or nothing. */
export function writeWorkspaceFiles(
  workspace: string,
  changes: readonly FileChange[],
): WrittenFile {
  const due = changes.filter(({ before, after }) => before !== after)
  for (const { path, before } of due) {
    if (readWorkspaceFile(workspace, path) === before) continue
    throw new PawlError('FILE_UNWRITABLE', `\`${path}\` has changed in the meantime`, {
      hint: 'try again. Nothing was written',
    })
  }
  const folders: string[] = []
  const drafts: Draft[] = []
  const done: Draft[] = []
  try {
    for (const change of due) drafts.push(draftOf(workspace, change, folders))
    for (const draft of drafts) {
      put(draft)
      done.push(draft)
    }
  } catch (cause) {
    for (const draft of done.reverse()) putBack(draft)
    for (const { file } of drafts) rmSync(file, { force: true })
    removeFolders(workspace, folders)
    if (cause instanceof PawlError) throw cause
    throw new PawlError('FILE_UNWRITABLE', `cannot write to \`${workspace}\``, {
      hint: `the system says ${errorCodeOf(cause)}. Nothing was changed`,
      cause,
    })
  }
  const modes = new Map<string, number>()
  for (const { change, place, known } of drafts) {
    const now = known === null || change.after === null ? null : statSync(place).mode & modeMask
    if (known !== null && now !== null && now !== known) modes.set(change.path, known)
  }
  return { folders, modes }
}

/** Removes folders that are empty, the innermost first; others stay. */
export function removeFolders(workspace: string, folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(resolve(workspace, folder))
    } catch {
      // Somebody uses it, or has removed it: it is not ours any more.
    }
  }
}

type Draft = {
  readonly change: FileChange
  readonly place: string
  /** The new text under another name; it need not exist. */
  readonly file: string
  /** The permissions before; null: there was no file. */
  readonly known: number | null
}

function draftOf(workspace: string, change: FileChange, folders: string[]): Draft {
  const place = placeOf(workspace, change.path)
  const stats = lookAt(place)
  const known = stats === undefined ? null : stats.mode & modeMask
  const file = join(dirname(place), `.${basename(place)}.${randomBytes(6).toString('hex')}.part`)
  if (change.after === null) return { change, place, file, known }
  makeFolder(workspace, dirname(change.path), folders)
  const mode = change.mode ?? known
  // The narrow one first: a token must not be readable for a moment.
  writeFileSync(file, change.after, { flag: 'wx', flush: true, mode: mode ?? 0o666 })
  if (mode !== null) chmodSync(file, mode)
  return { change, place, file, known }
}

function put({ change, place, file }: Draft): void {
  if (change.after === null) rmSync(place)
  else renameSync(file, place)
}

function putBack({ change, place, file, known }: Draft): void {
  if (change.before === null) rmSync(place, { force: true })
  else {
    writeFileSync(file, change.before, { mode: known ?? secretMode })
    renameSync(file, place)
  }
}

function makeFolder(workspace: string, folder: string, made: string[]): void {
  const place = resolve(workspace, folder)
  if (existsSync(place)) return
  makeFolder(workspace, dirname(place), made)
  mkdirSync(place)
  made.push(isAbsolute(folder) ? relative(workspace, folder) : folder)
}

/**
 * Where a file really is. Links are followed inside the workspace, and nowhere else: a link in a
 * repository must not make us write into somebody's home.
 */
function placeOf(workspace: string, path: string): string {
  // The only absolute paths are those of git's own folder, which may be elsewhere.
  const root = realpathSync(isAbsolute(path) ? dirname(dirname(path)) : workspace)
  const whole = resolve(workspace, path)
  const link = lookAt(whole)
  const place = link === undefined ? missingPlace(whole) : realPlace(path, whole)
  if (link !== undefined && !statSync(place).isFile())
    throw refused(path, 'it is not a regular file')
  if (place === root || !place.startsWith(`${root}${sep}`)) {
    throw refused(path, `it points to \`${place}\`, outside the workspace`)
  }
  return place
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    // A file where a folder should be: there is nothing below it.
    if (errorCodeOf(cause) === 'ENOTDIR') return undefined
    throw refused(path, `the system says ${errorCodeOf(cause)}`)
  }
}

function realPlace(path: string, whole: string): string {
  try {
    return realpathSync(whole)
  } catch {
    throw refused(path, 'it is a broken symlink')
  }
}

/** Of a file that is not there yet: where its nearest folder really is. */
function missingPlace(whole: string): string {
  const folder = dirname(whole)
  if (lookAt(folder) !== undefined) {
    return join(realPlace(folder, folder), basename(whole))
  }
  return join(missingPlace(folder), basename(whole))
}

function refused(path: string, why: string): PawlError {
  return new PawlError('FILE_UNWRITABLE', `cannot write \`${path}\`: ${why}`, {
    hint: 'replace it with a regular file, or remove it. Nothing was written',
  })
}
