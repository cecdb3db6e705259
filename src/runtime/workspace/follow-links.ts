/**
 * Where the links of a workspace lead: programs read what is there, so it is part of how the
 * workspace is. Knows links. Must not know fingerprints. `pawl-job-list.c` does the same.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { installedFolders, isCache, isInstalled, walk } from './list-files.ts'
import { placeOf } from './stat-files.ts'

const linksMax = 10_000

type Following = {
  readonly root: string
  /** The files of the workspace, sorted. */
  readonly listed: readonly string[]
  /** Where links led so far, one entry per link. */
  readonly targets: string[]
}

/** Begins to follow the links of a folder. */
export function beginFollowing(folder: string, listed: readonly string[]): Following {
  return { root: latin1(realpathSync(folder)), listed, targets: [] }
}

/** What links lead to: files, and folders whose files have to be listed. Null: it is no telling. */
export function followLinks(following: Following, links: readonly string[]): string[] | null {
  const { root, targets } = following
  const found: string[] = []
  for (const link of links) {
    const target = realTarget(placeOf(Buffer.from(root, 'latin1').toString(), link))
    if (targets.length >= linksMax || target === null) return null
    const isNew = target !== '' && !targets.includes(target)
    targets.push(target)
    const counts = isNew && countsAsTarget(following, target)
    if (counts === null) return null
    if (counts) found.push(target)
  }
  return found
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Where a link leads in the end; empty: nowhere. */
function realTarget(link: Buffer): string | null {
  try {
    return realpathSync.native(link, 'latin1')
  } catch (fault) {
    const { code = '' } = fault as NodeJS.ErrnoException
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code) ? '' : null
  }
}

/** Null: the workspace itself is in it, so there is no end to it. */
function countsAsTarget({ root, listed }: Following, target: string): boolean | null {
  const stats = lstatSync(Buffer.from(target, 'latin1'), { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return stats?.isFile() === true
  if (target === root) return false
  if (target === '/' || root.startsWith(`${target}/`)) return null
  if (!target.startsWith(`${root}/`)) return true
  const inside = target.slice(root.length + 1)
  if (isCache(inside) || isInstalled(inside)) return false
  return !listed.some((path) => path.startsWith(`${inside}/`))
}

/** The files in folders: of a submodule all, and of what links lead to what is not installed. */
export function filesInFolder(root: string, folder: string): string[] | null {
  return walk(root, folder, folder.startsWith('/') ? installedFolders : new Set())
}
