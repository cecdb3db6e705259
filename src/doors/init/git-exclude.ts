/**
 * Keeps files with local paths and tokens out of git, through the exclude list of this clone,
 * which is not committed.
 */
import { join, relative, sep } from 'node:path'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import { workTreeOf } from '../../runtime/sessions/repository.ts'
import type { DesiredFile } from './desired-files.ts'

/** The lines for some files of a workspace; null: it is no clone. */
export function excludeFile(
  workspace: string,
  host: AgentHostId,
  paths: readonly string[],
): DesiredFile | null {
  const clone = workTreeOf(workspace)
  if (clone === null) return null
  const place = relative(clone.root, workspace).split(sep).join('/')
  const inside = place === '' ? '' : `${place}/`
  const lines = paths.map((path) => `/${inside}${path}`.replace(/[\\*?[\]]/g, '\\$&'))
  const name = place === '' ? host : `${host} in ${place}`
  const path = join(clone.commonDir, 'info', 'exclude')
  return { path, mode: 'plain', content: { kind: 'block', name, lines, rival: null } }
}
