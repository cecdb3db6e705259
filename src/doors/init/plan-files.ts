/**
 * Plans which files to write, from what is wanted, what exists, and what was written last time.
 * Does not write.
 */
import { createHash } from 'node:crypto'
import type { Json } from '../../core/json.ts'
import { canonicalJson, equalJson } from '../../core/json.ts'
import type { DesiredFile } from './desired-files.ts'
import { hasDropped, withMoved } from './gateway-servers.ts'
import { type Install, type InstalledFile, type Moved, undone, undoOf } from './install.ts'
import { isBare, mergeEntries, ownOf, type Shape, stripEntries } from './merge-entries.ts'

/** The text of a file of the workspace; null: there is none. */
export type ReadFile = (path: string) => string | null

/** One file, before and after; a null text: there is no such file. */
export type PlannedFile = {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  readonly mode: DesiredFile['mode']
  /** What is noted about it; null: it is forgotten. */
  readonly note: Omit<InstalledFile, 'mode'> | null
}

export type FilePlan = {
  readonly files: readonly PlannedFile[]
  readonly remarks: readonly string[]
}

/** What brings all files of a host to what is wanted. */
export function planInit(
  wanted: readonly DesiredFile[],
  known: Install | null,
  readFile: ReadFile,
): FilePlan {
  const merged = wanted.map((file) => {
    return planFile(file, readFile(file.path), leftIn(file, known))
  })
  // Files that an older Pawl wrote and this one does not.
  const stale = (known?.files ?? []).filter(({ path }) => !wanted.some((one) => one.path === path))
  const gone = stale.map((note) => {
    const left = { ...leftIn(note, known), shape: shapeOf(note) }
    return planRemoval(left, readFile(note.path))
  })
  return {
    files: [...merged.map(({ file }) => file), ...gone],
    remarks: merged.flatMap(({ remarks }) => remarks),
  }
}

/** What takes everything of a host out again. Files are looked through even without a note. */
export function planUninit(
  wanted: readonly DesiredFile[],
  known: Install | null,
  readFile: ReadFile,
): FilePlan {
  const paths = new Set([...wanted, ...(known?.files ?? [])].map(({ path }) => path))
  const files = [...paths].map((path) => {
    const left = leftIn({ path }, known)
    const shape = wanted.find((one) => one.path === path)?.content ?? left.shape
    return planRemoval({ ...left, shape }, readFile(path))
  })
  return { files: files.filter(({ before, after }) => before !== after), remarks: [] }
}

type FileName = Pick<InstalledFile, 'path'> & Partial<Pick<InstalledFile, 'kind'>>

/** How our entries are kept in a file, by its note and its name. */
export function shapeOf({ path, kind }: FileName): Shape {
  if (kind === 'tables') return { kind }
  if (/\.jsonc?$/.test(path)) return { kind: 'json' }
  return /\.(?:md|js)$/.test(path) ? { kind: 'whole' } : { kind: 'block', name: null }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The hash of our entries. */
export function hashOwn(own: Json): string {
  return sha256(typeof own === 'string' ? own : canonicalJson(own))
}

/** What a file would be without us; null: there would be none. */
export function baseFolderOf(
  file: DesiredFile,
  known: Install | null,
  readFile: ReadFile,
): string | null {
  const text = readFile(file.path)
  return text === null ? null : textWithoutOurs(leftIn(file, known), text)
}

/** What is known of a file from last time. */
function leftIn(
  { path, content }: { readonly path: string; readonly content?: Shape },
  known: Install | null,
): Left {
  const note = known?.files.find((one) => one.path === path) ?? null
  const moved = known?.moved?.filter(({ file }) => file === path) ?? []
  return { path, shape: content ?? shapeOf(note ?? { path }), note, moved }
}

type Planned = { readonly file: PlannedFile; readonly remarks: readonly string[] }
type Note = InstalledFile | null

function planFile(wanted: DesiredFile, before: string | null, left: Left): Planned {
  const { path, mode, content } = wanted
  const { kind } = content
  const base = before === null ? null : textWithoutOurs(left, before)
  const { text, remarks } = mergeEntries(wanted, base)
  const own = ownOf(path, content, text)
  const isSame = before !== null && equalJson(ownOf(path, content, before), own)
  const isThere = isSame && !(kind === 'json' && hasDropped(before, content.entries))
  const after = isThere ? before : text
  const file: PlannedFile = {
    path,
    before,
    after,
    mode,
    note: {
      path,
      kind: kind === 'whole' || kind === 'tables' ? kind : 'entries',
      sha256: hashOwn(own),
      after: sha256(after),
      undo: base === null ? null : undoOf(base, after),
    },
  }
  return { file, remarks }
}

type Left = {
  readonly path: string
  readonly shape: Shape
  readonly note: Note
  /** Servers that go back into it. */
  readonly moved: readonly Moved[]
}

function planRemoval(left: Left, before: string | null): PlannedFile {
  const after = before === null ? null : textWithoutOurs(left, before)
  return { path: left.path, before, after, mode: 'plain', note: null }
}

/** What a file would be without us; null: there would be none. */
function textWithoutOurs({ path, shape, note, moved }: Left, text: string): string | null {
  if (note !== null && note.after === sha256(text)) {
    return note.undo === null ? null : undone(text, note.undo)
  }
  const stripped = stripEntries(path, shape, text)
  const left = stripped === null ? null : withMoved(stripped, moved)
  const isMadeByUs = note !== null && note.undo === null
  return left !== null && left !== text && isMadeByUs && isBare(path, shape, left) ? null : left
}
