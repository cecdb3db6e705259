/**
 * What changed in the workspace of a run since it began: compared with the commit of its start
 * where there is one, else the edits that its log holds.
 */
import { diffHunks, diffLines } from '../../core/diff/line-diff.ts'
import type { Event } from '../../core/engine/types.ts'
import { editTextsIn } from '../../core/tools/edit-texts.ts'
import { pathsIn } from '../../core/tools/input-paths.ts'
import { PawlError } from '../pawl-error.ts'
import type { Runtime } from '../runtime.ts'
import { type ChangedFile, type WorkspaceChanges, workspaceChanges } from './workspace-changes.ts'

export type RunChanges = WorkspaceChanges & {
  /** `git`: compared with `commit`; `log`: edits as the agent sent them; `none`: nothing known. */
  readonly source: 'git' | 'log' | 'none'
  readonly commit: string | null
  /** The folder that the paths begin in; null: they are absolute, or there is none. */
  readonly folder: string | null
}

type Log = Pick<Runtime, 'readHead' | 'readEvents'>

/** Events of a log that are searched for edits. */
const eventsMax = 20_000
const pageSize = 1_000
const filesMax = 200
const linesMax = 2_000

/** All changes, or those of one file; fault `RUN_UNKNOWN`. */
export async function readRunChanges(
  log: Log,
  runId: string,
  path: string | null,
): Promise<RunChanges> {
  const head = await log.readHead(runId)
  if (head === null) throw new PawlError('RUN_UNKNOWN', 'there is no such run', { hint: '' })
  const { workspace: folder } = head
  const [first] = await log.readEvents(runId, { after: 0, limit: 1 })
  const started = first === undefined ? null : (JSON.parse(first.data) as Event)
  const commit = started?.type === 'run.started' ? (started.commit ?? null) : null
  if (folder !== null && commit !== null && first !== undefined) {
    const changes = await workspaceChanges({ folder, commit, since: first.at, path })
    if (changes !== null) return { source: 'git', commit, folder, ...changes }
  }
  const files = await editsInLog(log, runId)
  const wanted = path === null ? files : files.filter((one) => one.path === path)
  const shown = wanted.slice(0, filesMax)
  const source = files.length === 0 ? 'none' : 'log'
  return { source, commit, folder, files: shown, filesCut: wanted.length - shown.length }
}

/** Edits that were let through, by file. */
async function editsInLog({ readEvents }: Log, runId: string): Promise<readonly ChangedFile[]> {
  const files = new Map<string, ChangedFile>()
  let lines = 0
  for (let after = 0; after < eventsMax; after += pageSize) {
    const records = await readEvents(runId, { after, limit: pageSize })
    for (const record of records) {
      if (record.type !== 'call.allowed' || lines > linesMax) continue
      const event = JSON.parse(record.data) as Extract<Event, { type: 'call.allowed' }>
      const [path] = pathsIn(event.input).paths
      if (path === undefined || event.edits.length === 0) continue
      for (const edit of editTextsIn(event.input)) {
        const known = files.get(path)
        const next = withEdit(known ?? unchanged(path), edit)
        lines += next.added + next.removed - (known?.added ?? 0) - (known?.removed ?? 0)
        files.set(path, next)
      }
    }
    if (records.length < pageSize) break
  }
  return [...files.values()]
}

function unchanged(path: string): ChangedFile {
  const numbers = { added: 0, removed: 0, linesCut: 0 }
  return { path, kind: 'changed', ...numbers, hunks: [], note: null, isEarlier: false }
}

function withEdit(
  change: ChangedFile,
  edit: { readonly before: string; readonly after: string },
): ChangedFile {
  const lines = diffLines(edit.before, edit.after)
  const count = (kind: string): number => lines.filter((one) => one.kind === kind).length
  // WHY from zero: the log does not say in which line an edit begins.
  const hunks = diffHunks(lines).map((hunk) => ({ ...hunk, oldStart: 0, newStart: 0 }))
  return {
    ...change,
    added: change.added + count('add'),
    removed: change.removed + count('del'),
    hunks: [...change.hunks, ...hunks],
  }
}
