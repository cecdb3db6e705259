/**
 * A fingerprint of a workspace: two are equal only if no file was written, added or removed
 * between them. Made of paths, sizes and times, never of contents: the time of the last change
 * (ctime) is set by the kernel, and no program can set it back. Not seen: what a process writes to
 * a page of a mapped file that it has written to just before (docs/reference/evidence.md).
 * Synchronous and slow on large workspaces: where `pawl-job look` runs, it does the same, and else
 * `observe-workspace.ts` has this done by another thread.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileChange } from '../../core/evidence/meets-requirement.ts'
import { beginFollowing, filesInFolder, followLinks } from './follow-links.ts'
import { listWorkspaceFiles, workspaceFilesMax } from './list-files.ts'
import { type FileRecords, recordFields, recordLength, statFiles } from './stat-files.ts'

export type Fingerprint = {
  /** Null: it cannot be told, so nothing is fresh. */
  readonly fingerprint: string | null
  /** The files that changed last, newest first. */
  readonly changes: readonly FileChange[]
}

/** Nothing is fresh then. */
export const nothingKnown: Fingerprint = { fingerprint: null, changes: [] }

/** Files that are named as changed. */
const changesKeptMax = 20
/**
 * File systems count time in ticks. A file written within this time before the look could be
 * written again in the same tick, unseen.
 */
const tickMs = 20
const wholeSecondTickMs = 1_050
const triesMax = 4
/** How deep submodules and links may lead into each other. */
const roundsMax = 16

/** The fingerprint of a folder. Never throws. */
export function takeFingerprint(folder: string): Fingerprint {
  try {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const begunAt = Date.now()
      const look = lookAt(folder)
      if (look === null) return nothingKnown
      // WHY since its beginning: what was read first could be written again while it went on.
      if (look.settledAt <= begunAt) return { fingerprint: look.hash, changes: look.changes }
      const waitMs = look.settledAt - Date.now()
      // A time in the future comes from another clock: nothing can be told from it.
      if (waitMs > wholeSecondTickMs) return nothingKnown
      if (waitMs > 0) sleep(waitMs)
    }
    return nothingKnown
  } catch {
    return nothingKnown
  }
}

type Look = {
  readonly hash: string
  readonly changes: readonly FileChange[]
  /** From this moment on, a later write has a later time. */
  readonly settledAt: number
}

function lookAt(folder: string): Look | null {
  const listed = listWorkspaceFiles(folder)
  if (listed === null) return null
  const hash = createHash('blake2b512')
  const newest: FileChange[] = []
  let settledAt = 0
  let filesCount = 0
  const following = beginFollowing(folder, listed)
  let rounds = 0
  // Further rounds are for submodules, of which git names only the folders, and for links.
  for (let paths = listed; paths.length > 0; rounds += 1) {
    if (rounds === roundsMax) return null
    filesCount += paths.length
    if (filesCount > workspaceFilesMax) return null
    const records = statFiles(folder, paths)
    const links = ofKind(paths, records, constants.S_IFLNK)
    const folders = takeFolders(paths, records)
    hash.update(`${paths.join('\0')}\0\0`, 'latin1').update(records)
    settledAt = Math.max(settledAt, noteChanges(newest, paths, records))
    const inner = filesInFolders(folder, folders)
    const targets = inner === null ? null : followLinks(following, links)
    if (inner === null || targets === null) return null
    paths = [...inner, ...targets].sort()
  }
  return { hash: hash.digest('hex').slice(0, 64), changes: newest, settledAt }
}

/** The folders among the paths. Their records become empty: only the files in them count. */
function takeFolders(paths: readonly string[], records: FileRecords): string[] {
  const folders = ofKind(paths, records, constants.S_IFDIR)
  const empty = new Set(folders)
  for (const [index, path] of paths.entries()) {
    const from = index * recordLength
    if (empty.has(path)) records.fill(0n, from, from + recordLength)
  }
  return folders
}

function ofKind(paths: readonly string[], records: FileRecords, kind: number): string[] {
  const at = (index: number): number => index * recordLength + recordFields.mode
  return paths.filter((_, index) => (Number(records[at(index)]) & constants.S_IFMT) === kind)
}

function filesInFolders(root: string, folders: readonly string[]): readonly string[] | null {
  const files: string[] = []
  for (const one of folders) {
    const inner = filesInFolder(root, one)
    if (inner === null || files.length + inner.length > workspaceFilesMax) return null
    files.push(...inner)
  }
  return files
}

/** Notes the files that changed last, and tells from when on a later write has a later time. */
function noteChanges(newest: FileChange[], paths: readonly string[], records: FileRecords): number {
  let settledAt = 0
  for (const [index, path] of paths.entries()) {
    const ctimeNs = Number(records[index * recordLength + recordFields.ctimeNs])
    // A file that is gone. What else has no time (1970) is older than every run.
    if (ctimeNs === 0) continue
    const at = ctimeNs / 1e6
    settledAt = Math.max(settledAt, at + (at % 1_000 === 0 ? wholeSecondTickMs : tickMs))
    noteChange(newest, path, at)
  }
  return settledAt
}

function noteChange(newest: FileChange[], path: string, at: number): void {
  const last = newest.at(-1)
  if (newest.length >= changesKeptMax && last !== undefined && at <= last.at) return
  const place = newest.findIndex((one) => one.at < at)
  const change = { path: Buffer.from(path, 'latin1').toString(), at }
  newest.splice(place === -1 ? newest.length : place, 0, change)
  if (newest.length > changesKeptMax) newest.pop()
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
