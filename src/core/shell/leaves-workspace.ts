/** Whether a path in a command leaves the workspace, judged by its text. */

import { normalisePath } from '../expr/glob.ts'
import { anyOf } from './alternation-pattern.ts'
import names from './names.json' with { type: 'json' }
import type { Dirs } from './shell-reading.ts'

/** Folders that are never a workspace, nor a place where the agent's own work lies. */
const foreign = anyOf(names.foreignFolders, '^/(?:$|(?:', ')(?:/|$))')

/** A path from the workspace, for each folder it may be meant from; null: it cannot be told. */
export function seenFrom(dirs: Dirs, path: string): Dirs {
  if (isPlaced(path)) return [path]
  return dirs.map((dir) => (dir === null ? null : dir === '' ? path : `${dir}/${path}`))
}

/** A path that is the same one from anywhere. */
function isPlaced(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~')
}

/** Where a command stands. */
export type PathOrigin = { readonly dirs: Dirs; readonly workspace: string | null }

/** Whether a path of a command leaves the workspace from any folder it may run in. */
export function leavesFrom({ dirs, workspace }: PathOrigin, path: string): boolean {
  // Without a workspace, nobody knows what is above an absolute folder.
  const known = workspace === null ? dirs.map((dir) => (isPlaced(dir ?? '') ? null : dir)) : dirs
  return seenFrom(known, path).some((one) => isOutside(one ?? path, workspace))
}

/** Without a workspace only plainly foreign places are outside; with one, all but itself. */
export function isOutside(path: string, workspace: string | null): boolean {
  if (path.startsWith('~')) return true
  if (/^\/dev\/(null|stdin|stdout|stderr)$/.test(path)) return false
  if (workspace !== null) return normalisePath(path, workspace) === null
  if (!path.startsWith('/')) return normalisePath(path, '/w') === null
  // Somebody's home can hold the workspace; only the homes themselves cannot.
  if (/^\/(home|Users)\/[^/]+\/./.test(path) || /^\/root\/./.test(path)) return false
  return foreign.test(path)
}
