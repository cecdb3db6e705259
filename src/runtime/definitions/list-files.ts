/**
 * Finds the files of a folder that may contain definitions or cases.
 * Knows names and folders. Must not open a file.
 */
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../error-code.ts'
import { PawlError } from '../pawl-error.ts'
import { formatOf } from './read-definition.ts'

/** Files that one folder may give, at any depth. */
const folderFilesMax = 10_000
/** Folders inside each other. */
const folderDepthMax = 32
/** Names looked at in one walk, wanted or not. */
const folderNamesMax = 200_000

type Listing = {
  readonly depth: 'deep' | 'flat'
  readonly isWanted: (name: string) => boolean
}

/** Whether a name says that the file holds cases. */
export function isCasesName(name: string): boolean {
  return /\.cases\.(jsonc?|ya?ml)$/i.test(name)
}

/** Whether a name says that the file may hold a definition. */
export function isDefinitionName(name: string): boolean {
  return formatOf(name) !== undefined && !isCasesName(name)
}

/** Whether a name says that the file may be read at all. */
export function isSourceName(name: string): boolean {
  return formatOf(name) !== undefined
}

/**
 * The files of a folder, in an order that does not depend on the system. Folders of dependencies,
 * folders whose name begins with a dot, and links to folders are left out.
 */
export function listFiles(folder: string, listing: Listing): readonly string[] {
  const found: string[] = []
  const work: { path: string; depth: number }[] = [{ path: folder, depth: 0 }]
  let namesCount = 0
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { path, depth } = next
    const entries = entriesOf(path, folder)
    namesCount += entries.length
    if (namesCount > folderNamesMax) throw tooMany(folder, `${folderNamesMax} names`)
    for (const entry of entries) {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) {
        const isOut = entry.name === 'node_modules' || entry.name.startsWith('.')
        const isDeep = listing.depth === 'deep' && depth < folderDepthMax
        if (isDeep && !isOut) work.push({ path: inside, depth: depth + 1 })
      } else if (listing.isWanted(entry.name) && isRegular(entry, inside)) {
        found.push(inside)
        if (found.length > folderFilesMax) throw tooMany(folder, `${folderFilesMax} files`)
      }
    }
  }
  return found.sort()
}

function entriesOf(path: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (cause) {
    // A folder that went away meanwhile holds nothing any more.
    if (path !== folder && errorCodeOf(cause) === 'ENOENT') return []
    const message = `cannot list the folder \`${path}\``
    const hint = `the system says ${errorCodeOf(cause)}; name the files instead`
    throw new PawlError('FILE_UNREADABLE', message, { hint, cause })
  }
}

function isRegular(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function tooMany(folder: string, what: string): PawlError {
  const message = `the folder \`${folder}\` has more than ${what}`
  return new PawlError('FILE_UNREADABLE', message, { hint: 'name a smaller folder or the files' })
}
