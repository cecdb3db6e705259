/**
 * Keeps files with local paths and tokens out of git, through the exclude list of this clone,
 * which is not committed.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { DesiredFile } from './desired-files.ts'

/** The lines for some files of a workspace; null: it is no clone. */
export function excludeFile(
  workspace: string,
  host: AgentHostId,
  paths: readonly string[],
): DesiredFile | null {
  const clone = cloneOf(workspace)
  if (clone === null) return null
  const place = relative(clone.root, workspace).split(sep).join('/')
  const inside = place === '' ? '' : `${place}/`
  const lines = paths.map((path) => `/${inside}${path}`.replace(/[\\*?[\]]/g, '\\$&'))
  const name = place === '' ? host : `${host} in ${place}`
  const path = join(clone.gitFolder, 'info', 'exclude')
  return { path, mode: 'plain', content: { kind: 'block', name, lines, rival: null } }
}

type Clone = { readonly root: string; readonly gitFolder: string }

function cloneOf(workspace: string): Clone | null {
  for (let root = workspace; ; root = dirname(root)) {
    const git = join(root, '.git')
    if (existsSync(git)) {
      const gitFolder = statSync(git).isDirectory() ? git : linkedFolder(git)
      return gitFolder === null ? null : { root, gitFolder }
    }
    if (dirname(root) === root) return null
  }
}

/** The folder that a worktree or a submodule shares with its clone. */
function linkedFolder(file: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]
  if (named === undefined) return null
  const own = resolve(dirname(file), named.trim())
  const common = join(own, 'commondir')
  return existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own
}
