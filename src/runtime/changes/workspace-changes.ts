/**
 * What is different in a workspace since a commit: every file with its diff, from the contents of
 * the files and nothing else. Bounded in files, bytes and lines.
 * WHY not `git diff`: an index can say that a file was not touched, and attributes that a text is
 * none; both are written by whoever works there.
 */
import { lstatSync, opendirSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DiffHunk, type DiffLine, diffHunks, diffLines } from '../../core/diff/line-diff.ts'
import { PawlError } from '../pawl-error.ts'
import { workTreeOf } from '../sessions/repository.ts'
import { readSmallBytes } from './head-commit.ts'
import {
  blobIdOf,
  comparedBytesMax,
  type GitTree,
  readGitTree,
  type TreeFile,
} from './read-git-tree.ts'
import { isUnchangedSince } from './unchanged-since.ts'

export type ChangedFile = {
  readonly path: string
  readonly kind: 'added' | 'changed' | 'deleted'
  readonly added: number
  readonly removed: number
  readonly hunks: readonly DiffHunk[]
  /** Lines of the diff that are left out here; the file alone has them. */
  readonly linesCut: number
  /** Why there is no diff, or (`link`) what the lines are; null: there is one. */
  readonly note: ChangeNote | null
  /** The change was there before the run began; false: it was not, or nobody can tell. */
  readonly isEarlier: boolean
}

/** `repository`: another one, whose files are not compared; `link`: a link, or behind one. */
export type ChangeNote = 'binary' | 'large' | 'mode' | 'link' | 'unreadable' | 'repository'

export type WorkspaceChanges = {
  readonly files: readonly ChangedFile[]
  /** Changed files that are not among them. */
  readonly filesCut: number
}

/** Files of a commit beyond which nothing is compared. */
const treeFilesMax = 20_000
/** Bytes that are read to find out what changed, and then to show it. */
const treeBytesMax = 512 * 1024 * 1024
const shownBytesMax = 32 * 1024 * 1024
/** Files after which others have their turn. */
const restEvery = 40
const changedFilesMax = 200
/** What git ignores in this clone only, beside `.gitignore`. */
const excludeFile = 'info/exclude'
const excludeBytesMax = 64 * 1024
/** Lines of one diff in a list, and of a file that is asked for alone. */
const listedLinesMax = 400
const aloneLinesMax = 20_000
/** Lines of all diffs together. */
const linesMax = 4_000

type ChangesQuery = {
  readonly folder: string
  readonly commit: string
  /** When the run began. */
  readonly since: number
  /** Only this file, whole; null: all files. */
  readonly path: string | null
}

/** Comparisons that run or wait. */
const comparisonsMax = 16
const comparisons = new Map<string, Promise<WorkspaceChanges | null>>()
/** The last of each workspace, after which the next one begins. */
const lastOf = new Map<string, Promise<unknown>>()

/**
 * Compares; null: there is no repository, no git, or too much of it. Whoever asks for the same
 * meanwhile gets the same answer; of one workspace, one comparison runs at a time.
 */
export function workspaceChanges(query: ChangesQuery): Promise<WorkspaceChanges | null> {
  const { folder, commit, since, path } = query
  const key = JSON.stringify([folder, commit, since, path])
  const shared = comparisons.get(key)
  if (shared !== undefined) return shared
  if (comparisons.size >= comparisonsMax) {
    const why = 'too many workspaces are compared at once'
    return Promise.reject(new PawlError('OVERLOADED', why, { hint: 'try again in a moment' }))
  }
  const result = (lastOf.get(folder) ?? Promise.resolve())
    .then(() => compareOnce(query))
    .finally(() => {
      comparisons.delete(key)
      if (lastOf.get(folder) === settled) lastOf.delete(folder)
    })
  // A fault is that of whoever asked, not of the next one.
  const settled: Promise<unknown> = result.catch(() => null)
  comparisons.set(key, result)
  lastOf.set(folder, settled)
  return result
}

async function compareOnce(query: ChangesQuery): Promise<WorkspaceChanges | null> {
  const place = workTreeOf(query.folder)
  if (place === null) return null
  const { commit, since } = query
  // WHY only an old one: whoever works there can write it, and so hide new files.
  const isExcludeOld = isUnchangedSince(place.commonDir, excludeFile, since)
  const excludes = isExcludeOld
    ? readSmallBytes(join(place.commonDir, excludeFile), excludeBytesMax)
    : null
  const tree = await readGitTree({ ...place, commit, excludes })
  if (tree === null) return null
  try {
    return tree.files.length > treeFilesMax ? null : await compare(place.root, tree, query)
  } finally {
    tree.close()
  }
}

/** What differs; contents are read once it is shown, so that they are not all in memory. */
type Found = {
  readonly path: string
  readonly before: TreeFile | null
  readonly isRepository: boolean
}

async function compare(
  root: string,
  tree: GitTree,
  { path: only, since }: ChangesQuery,
): Promise<WorkspaceChanges | null> {
  const place = realpathSync.native(root)
  const found = await differences(place, tree, only)
  if (found === null) return null
  const sorted = await inOrder(place, found, since)
  const files: ChangedFile[] = []
  let lines = only === null ? linesMax : aloneLinesMax
  let bytes = shownBytesMax
  for (const one of sorted.slice(0, changedFilesMax)) {
    await rest()
    const after = one.isRepository ? repositoryNow(place, one.path) : fileNow(place, one.path)
    const old = one.before?.bytes ?? 0
    bytes -= old > comparedBytesMax ? 0 : old
    bytes -= 'contents' in after ? after.contents.length : 0
    const most = only === null ? Math.min(listedLinesMax, lines) : aloneLinesMax
    const shown = bytes < 0 ? { kind: 'large' as const } : after
    const change = await changeOf({ ...one, after: shown }, tree, most)
    if (change === null) continue
    lines -= change.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
    files.push(change)
  }
  return { files, filesCut: Math.max(0, sorted.length - changedFilesMax) }
}

type Placed = Found & { readonly isEarlier: boolean }

/** What the run changed comes first, so that nothing else takes its room. */
async function inOrder(root: string, found: readonly Found[], since: number): Promise<Placed[]> {
  const placed: Placed[] = []
  for (const one of found) {
    if (placed.length % restEvery === 0) await rest()
    // The files of another repository are not looked at.
    const isEarlier = !one.isRepository && isUnchangedSince(root, one.path, since)
    placed.push({ ...one, isEarlier })
  }
  return placed.sort(
    (a, b) => Number(a.isEarlier) - Number(b.isEarlier) || (a.path < b.path ? -1 : 1),
  )
}

/** Null: there is too much to read. */
async function differences(
  root: string,
  tree: GitTree,
  only: string | null,
): Promise<Found[] | null> {
  const isWanted = (path: string): boolean => only === null || path === only
  const found = new Map<string, Found>()
  let [bytes, count] = [0, 0]
  for (const before of tree.files) {
    const { path } = before
    if (!isWanted(path)) continue
    count += 1
    if (count % restEvery === 0) await rest()
    if (before.mode === '160000') {
      const now = repositoryNow(root, path)
      if (now.kind === 'empty') continue
      // What stands there instead of a folder is shown as what it is.
      const isRepository = now.kind === 'repository' || now.kind === 'none'
      found.set(path, { path, before: isRepository ? before : null, isRepository })
      continue
    }
    const after = fileNow(root, path)
    bytes += 'contents' in after ? after.contents.length : 0
    if (bytes > treeBytesMax) return null
    if (!isEqual(before, after)) found.set(path, { path, before, isRepository: false })
  }
  for (const name of tree.untracked) {
    const isRepository = name.endsWith('/')
    const path = isRepository ? name.slice(0, -1) : name
    if (isWanted(path) && !found.has(path)) found.set(path, { path, before: null, isRepository })
  }
  return [...found.values()]
}

/** WHY: calls of agents are judged on the same thread. */
async function rest(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

type FileNow =
  | { readonly kind: 'none' | 'other' | 'large' | 'behind-link' | 'repository' | 'empty' }
  | { readonly kind: 'file'; readonly contents: Buffer; readonly isProgram: boolean }
  | { readonly kind: 'link'; readonly contents: Buffer }

/** A file as it is; no link is followed, neither at the end of its path nor within. */
function fileNow(root: string, path: string): FileNow {
  const whole = join(root, path)
  try {
    const parent = parentNow(root, path)
    if (parent !== 'own') return { kind: parent }
    const stats = lstatSync(whole, { throwIfNoEntry: false })
    if (stats === undefined) return { kind: 'none' }
    if (stats.isSymbolicLink()) return { kind: 'link', contents: Buffer.from(readlinkSync(whole)) }
    if (!stats.isFile()) return { kind: 'other' }
    if (stats.size > comparedBytesMax) return { kind: 'large' }
    const contents = readSmallBytes(whole, comparedBytesMax)
    if (contents === null) return { kind: 'other' }
    // WHY again: the folder may have become a link before the file was opened.
    if (parentNow(root, path) !== 'own') return { kind: 'behind-link' }
    return { kind: 'file', contents, isProgram: (stats.mode & 0o100) !== 0 }
  } catch {
    // It went away, or may not be looked at.
    return { kind: 'other' }
  }
}

/** Whether the folder of a file is the one that its path names. `root` has no links. */
function parentNow(root: string, path: string): 'own' | 'none' | 'behind-link' {
  const folder = dirname(join(root, path))
  try {
    return realpathSync.native(folder) === folder ? 'own' : 'behind-link'
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'none'
    throw fault
  }
}

/** A folder that is another repository; `empty`: one that was never checked out. */
function repositoryNow(root: string, path: string): FileNow {
  const now = fileNow(root, path)
  if (now.kind !== 'other') return now
  try {
    const folder = opendirSync(join(root, path))
    try {
      return { kind: folder.readSync() === null ? 'empty' : 'repository' }
    } finally {
      folder.closeSync()
    }
  } catch {
    return now
  }
}

function isEqual({ mode, id, bytes }: TreeFile, now: FileNow): boolean {
  if (now.kind === 'link') {
    return mode === '120000' && blobIdOf(now.contents, id.length) === id
  }
  if (now.kind !== 'file') return false
  const isSameMode = mode === (now.isProgram ? '100755' : '100644')
  const isSameSize = now.contents.length === bytes
  return isSameMode && isSameSize && blobIdOf(now.contents, id.length) === id
}

type Shown = Placed & { readonly after: FileNow }

/** Null: it is no longer different. */
async function changeOf(
  { path, before, after, isRepository, isEarlier }: Shown,
  tree: GitTree,
  lineCount: number,
): Promise<ChangedFile | null> {
  const isSame = before === null ? after.kind === 'none' : isEqual(before, after)
  if (isSame) return null
  const isGone = after.kind === 'none'
  const kind = before === null ? 'added' : isGone ? 'deleted' : 'changed'
  const bare = { path, kind, added: 0, removed: 0, hunks: [], linesCut: 0, isEarlier } as const
  if (isRepository) return { ...bare, note: 'repository' }
  if (after.kind === 'behind-link') return { ...bare, note: 'link' }
  if (after.kind === 'large' || (before?.bytes ?? 0) > comparedBytesMax)
    return { ...bare, note: 'large' }
  if (after.kind !== 'none' && !('contents' in after)) return { ...bare, note: 'unreadable' }
  const old = before === null ? Buffer.alloc(0) : await tree.read(before)
  if (old === null) return { ...bare, note: 'unreadable' }
  const fresh = 'contents' in after ? after.contents : Buffer.alloc(0)
  if (isBinary(old) || isBinary(fresh)) return { ...bare, note: 'binary' }
  const lines = diffLines(old.toString('utf8'), fresh.toString('utf8'))
  const [added, removed] = [count(lines, 'add'), count(lines, 'del')]
  if (added + removed === 0) return { ...bare, note: 'mode' }
  const { hunks, linesCut } = cut(diffHunks(lines), Math.max(0, lineCount))
  const isLink = after.kind === 'link' || before?.mode === '120000'
  return { ...bare, added, removed, hunks, linesCut, note: isLink ? 'link' : null }
}

function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0)
}

function count(lines: readonly { readonly kind: string }[], kind: string): number {
  return lines.filter((one) => one.kind === kind).length
}

/** WHY only these: `pawl init` writes them into settings, and they are nobody's change. */
function withoutTokens({ kind, text }: DiffLine): DiffLine {
  return { kind, text: text.replace(/\b(Bearer )[\w-]{43}(?![\w-])/g, '$1[redacted]') }
}

/** The first lines of some hunks, and how many are left out. */
function cut(hunks: readonly DiffHunk[], lineCount: number) {
  let left = lineCount
  const kept: DiffHunk[] = []
  let linesCut = 0
  for (const hunk of hunks) {
    const lines = hunk.lines.slice(0, left).map(withoutTokens)
    if (lines.length > 0) kept.push({ ...hunk, lines })
    linesCut += hunk.lines.length - lines.length
    left -= lines.length
  }
  return { hunks: kept, linesCut }
}
