/**
 * Git repositories with several work trees: which one a folder belongs to, and the same folder in
 * the others. Reads what git keeps about its work trees; starts no program.
 * WHY not by the path: an agent that was started in another work tree of a repository would be
 * free of what holds the repository.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { realFolder } from './folders.ts'

/** One work tree, and the folder of git that all work trees of its repository share. */
export type WorkTree = { readonly root: string; readonly commonDir: string }

/** Work trees of one repository that are looked at. */
const workTreesMax = 4_096
/** Folders above one another that are looked at. */
const levelsMax = 128
/** Git writes one path into such a file. */
const linkBytesMax = 8 * 1024

/** The work tree that a folder is in; null: it is in none. */
export function workTreeOf(folder: string): WorkTree | null {
  let root = realFolder(folder)
  for (let level = 0; level < levelsMax; level += 1) {
    const commonDir = commonDirAt(join(root, '.git'))
    if (commonDir !== null) return { root, commonDir }
    if (dirname(root) === root) return null
    root = dirname(root)
  }
  return null
}

/** The folder that work trees share, from the `.git` of one of them; null: it is none. */
function commonDirAt(dotGit: string): string | null {
  const stats = statOf(dotGit)
  if (stats === undefined) return null
  // An empty folder of that name is no repository, and must not hide the one above it.
  if (stats.isDirectory()) return statOf(join(dotGit, 'HEAD')) ? realFolder(dotGit) : null
  const named = /^gitdir: (.+)$/m.exec(linkText(dotGit) ?? '')?.[1]
  if (named === undefined) return null
  const own = resolve(dirname(dotGit), named.trim())
  const shared = linkText(join(own, 'commondir'))
  return realFolder(shared === null ? own : resolve(own, shared.trim()))
}

/** The roots of all work trees of a repository, the main one first. */
export function workTreesIn(commonDir: string): readonly string[] {
  const main = mainRootOf(commonDir)
  const linked = namesIn(join(commonDir, 'worktrees')).flatMap((name) => {
    const folder = join(commonDir, 'worktrees', name)
    const dotGit = linkText(join(folder, 'gitdir'))?.trim()
    // Seen from there, if git was told to use relative paths.
    return dotGit ? [realFolder(dirname(resolve(folder, dotGit)))] : []
  })
  return [...new Set([...(main === null ? [] : [main]), ...linked])]
}

/** The root of the main work tree; null: the repository has none, or nobody knows where. */
function mainRootOf(commonDir: string): string | null {
  return basename(commonDir) === '.git' ? dirname(commonDir) : null
}

/** The same folder in every work tree of its repository, its own first; without git: itself. */
export function sameFolders(folder: string): readonly string[] {
  const own = realFolder(folder)
  const tree = workTreeOf(own)
  if (tree === null) return [own]
  const inside = relative(tree.root, own)
  const others = workTreesIn(tree.commonDir).map((root) => join(root, inside))
  return [...new Set([own, ...others])]
}

/**
 * A folder as it is in the work tree of another folder; itself where both are in the same one, or
 * in different repositories.
 * WHY only what git lists: a `.git` file can name any repository, and then be written by anybody.
 */
export function folderInTreeOf(folder: string, other: string): string {
  const [tree, wanted] = [workTreeOf(folder), workTreeOf(other)]
  if (tree === null || wanted === null || tree.commonDir !== wanted.commonDir) return folder
  if (tree.root === wanted.root || !workTreesIn(tree.commonDir).includes(wanted.root)) return folder
  return join(wanted.root, relative(tree.root, realFolder(folder)))
}

/**
 * A folder as it is in the main work tree of its repository, and itself. A bare repository has no
 * main one: there every work tree counts, because nobody knows which one people keep.
 */
export function foldersOfRecord(folder: string): readonly string[] {
  const tree = workTreeOf(folder)
  if (tree === null) return [folder]
  const main = mainRootOf(tree.commonDir)
  if (main === null) return [...new Set([...sameFolders(folder), folder])]
  return [...new Set([join(main, relative(tree.root, realFolder(folder))), folder])]
}

function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // A file where a folder should be, or nothing that may be looked at: no repository.
    return undefined
  }
}

function linkText(path: string): string | null {
  const stats = statOf(path)
  // WHY looked at first: reading a pipe would never end, and a large file takes the memory.
  if (stats === undefined || !stats.isFile() || stats.size > linkBytesMax) return null
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Git keeps no such file here.
    return null
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, workTreesMax)
  } catch {
    // No other work trees.
    return []
  }
}
