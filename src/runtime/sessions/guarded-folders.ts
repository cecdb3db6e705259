/**
 * Which folders are guarded: those that `pawl init` was run in, and every work tree of their
 * repositories. Knows git and folders. Must not know where any of it is written down.
 */
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { folderInTreeOf, workTreeOf, workTreesIn } from './repository.ts'

/** A guarded folder, from where a session works. */
export type GuardedFolder = {
  /** Where `pawl init` was run. */
  readonly workspace: string
  /** The same folder in the work tree of the session. */
  readonly folder: string
}

/** Hooks that were installed; those of a user guard no folder by themselves. */
export type InstallPlace = { readonly workspace: string; readonly scope?: 'user' }

/** Every path by which a guarded folder can be told, each once. */
export function guardedPaths(installs: readonly InstallPlace[]): readonly string[] {
  const paths = projectFolders(installs).flatMap((workspace) => {
    const tree = workTreeOf(workspace)
    if (tree === null) return [workspace]
    return [workspace, tree.root, tree.commonDir, ...workTreesIn(tree.commonDir)]
  })
  return [...new Set(paths)].filter((path) => !path.includes('\n'))
}

function projectFolders(installs: readonly InstallPlace[]): readonly string[] {
  const own = installs.filter(({ scope }) => scope === undefined)
  return [...new Set(own.map(({ workspace }) => workspace))]
}

/**
 * Whether the hook of a user has anything to do with what a host asks: a listed folder is at, above
 * or below its own, shares its git, or is named. `pawl-hook.c` has the same rules.
 */
export function isConcernedBy(listed: readonly string[], folder: string, payload: string): boolean {
  let real: string
  try {
    real = realpathSync.native(folder)
  } catch {
    // A folder that cannot be told may be any.
    return true
  }
  const git = workTreeOf(real)?.commonDir ?? ''
  const named = realPathsIn(payload, clientPathsMax)
  // Whoever can look at more of them decides.
  if (named.length > clientPathsMax) return listed.length > 0
  const isNamed = (line: string): boolean =>
    mentions(payload, line) || named.some((path) => isBelow(path, line))
  return listed.some(
    (line) => isBelow(real, line) || isBelow(line, real) || isBelow(git, line) || isNamed(line),
  )
}

/** Paths in a text that are followed to where they lead, by the hook itself and by the daemon. */
const clientPathsMax = 64
const daemonPathsMax = 2_000

/**
 * Where the absolute paths in a text lead, whichever way they are spelled: through links, from the
 * home, with another case on disks that ignore it.
 */
function realPathsIn(text: string, most: number): readonly string[] {
  const found = new Set<string>()
  for (const [, home, rest = ''] of text.matchAll(pathInText)) {
    found.add(home === '' ? rest : homedir() + rest)
    if (found.size > most) break
  }
  return [...found].map(realPathOf)
}

const pathEnd = '\\s"\'`,;|&<>()$*?{}\\[\\]=:\\\\'
const pathInText = new RegExp(`(?<=^|[${pathEnd}])(~|\\$HOME|\\$\\{HOME\\}|)(/[^${pathEnd}]*)`, 'g')

/** Where a path leads, or the nearest folder above it that is there. */
function realPathOf(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync.native(at)
    } catch {
      // A file that is to be made, in a folder that may be there.
      if (dirname(at) === at) return at
    }
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}

/** Whether a path stands in a text: `/srv/app` does in `/srv/app/x`, and not in `/srv/app2`. */
function mentions(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    if (!/^[\w-]|^[^\0-\x7f]/.test(text.slice(at + path.length, at + path.length + 1))) return true
  }
  return false
}

/** The guarded folder that a folder belongs to; null: nothing guards it. */
export function guardOf(installs: readonly InstallPlace[], folder: string): GuardedFolder | null {
  const tree = workTreeOf(folder)
  const real = existsSync(folder) ? realpathSync.native(folder) : folder
  const all = projectFolders(installs)
  const above = longest(all.filter((workspace) => isBelow(real, workspace)))
  if (above !== undefined) return { workspace: above, folder: above }
  const near = all.filter(
    (workspace) => tree !== null && workTreeOf(workspace)?.commonDir === tree.commonDir,
  )
  const moved = near.map((workspace) => ({ workspace, folder: folderInTreeOf(workspace, real) }))
  const at = longest(moved.map((one) => one.folder).filter((one) => isBelow(real, one)))
  return moved.find((one) => one.folder === at) ?? moved[0] ?? guardAbove(all, real)
}

/** A folder inside a work tree of a guarded repository, whatever repository it says it is in. */
function guardAbove(workspaces: readonly string[], folder: string): GuardedFolder | null {
  for (const workspace of workspaces) {
    const git = workTreeOf(workspace)?.commonDir
    const roots = git === undefined ? [] : workTreesIn(git)
    const root = longest(roots.filter((one) => isBelow(folder, one)))
    if (root !== undefined) return { workspace, folder: root }
  }
  return null
}

function longest(paths: readonly string[]): string | undefined {
  return paths.reduce<string | undefined>(
    (best, path) => (path.length > (best?.length ?? -1) ? path : best),
    undefined,
  )
}

/** The guarded folder that a text names; null: it names none. */
export function guardNamedIn(
  installs: readonly InstallPlace[],
  text: string,
): GuardedFolder | null {
  const real = realPathsIn(text, daemonPathsMax)
  const named = guardedPaths(installs).filter(
    (path) => mentions(text, path) || real.some((one) => isBelow(one, path)),
  )
  // WHY all of them: a path that leads nowhere any more must not hide another one.
  for (const path of named.toSorted((a, b) => b.length - a.length)) {
    const found = guardOf(installs, path)
    if (found !== null) return found
  }
  return null
}
