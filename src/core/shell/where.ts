/**
 * Whether a path in a command leaves the workspace, as far as its text tells.
 */

import { normalisePath } from '../expr/glob.ts'
import { anyOf } from './any-of.ts'

/** Folders that are never a workspace, nor a place where the agent's own work lies. */
const foreign = anyOf(
  '^\\/',
  [
    '$ etc usr bin sbin lib lib64 boot dev proc sys root run srv tmp home Users System Library',
    'var\\/(tmp|log|lib|run|spool|cache) private\\/(tmp|etc)',
  ],
  '(\\/|$)',
)

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
