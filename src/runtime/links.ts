/**
 * Links on the disk: a call that names a link is judged by its own name and by what is behind.
 * Knows the file system. Must not know rules.
 */
import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Call, CallPath } from '../core/engine/types.ts'

/** Links that are followed on the way to one file, as the system itself does. */
const linksMax = 40

/** The call with the files behind the names it uses, beside those names. */
export function throughLinks(call: Call): Call {
  if (call.reads.length + call.writes.length + call.edits.length === 0) return call
  const { workspace } = call
  const disk = openDisk()
  const behind = (path: CallPath): readonly CallPath[] => behindOn(disk, path, workspace)
  const both = (path: CallPath): readonly CallPath[] => [path, ...behind(path)]
  // A file counts once, whatever names it has: under its own.
  const edits = call.edits.map((path) => {
    return behind({ written: path, inside: path })[0]?.inside ?? path
  })
  return {
    ...call,
    reads: call.reads.flatMap(both),
    writes: call.writes.flatMap(both),
    edits: [...new Set(edits)],
  }
}

/** What is behind a path, where that is another file; else nothing. */
function behindOn(
  disk: Disk,
  { written, inside }: CallPath,
  workspace: string,
): readonly CallPath[] {
  const named = inside === null ? written : join(workspace, inside)
  if (!isAbsolute(named)) return []
  const real = disk(named)
  if (real === null) return []
  const within = insideOf(real, disk(workspace) ?? workspace)
  if (within === inside && (inside !== null || real === resolve(named))) return []
  return [{ written: real, inside: within }]
}

/** WHY the real workspace: the folder itself may be reached through a link. */
function insideOf(path: string, workspace: string): string | null {
  const near = relative(workspace, path)
  if (near === '') return '.'
  if (isAbsolute(near) || near === '..' || near.startsWith(`..${sep}`)) return null
  return near.split(sep).join('/')
}

/** Real paths as they are during one call: each is looked up once. */
type Disk = (path: string) => string | null

function openDisk(): Disk {
  const known = new Map<string, string | null>()
  return (path) => {
    const found = known.get(path)
    if (found !== undefined) return found
    const real = realPath(path)
    known.set(path, real)
    return real
  }
}

/**
 * The path without links, whether the file exists or not; null: it cannot be told.
 * WHY not `realpath`: a link to a file that does not exist yet creates it there.
 */
export function realPath(path: string): string | null {
  let rest = resolve(path).split(sep).filter(Boolean)
  let real: string = sep
  for (let count = 0; rest.length > 0; ) {
    const [name = '', ...more] = rest
    const next = join(real, name)
    const target = linkAt(next)
    // Behind what is not there nothing is.
    if (target === 'missing') return join(next, ...more)
    if (target === null) {
      real = next
      rest = more
      continue
    }
    count += 1
    if (count > linksMax) return null
    const start = isAbsolute(target.to) ? target.to : join(dirname(next), target.to)
    rest = [...start.split(sep).filter(Boolean), ...more]
    real = sep
  }
  return real
}

/** Where a link leads; null: it is none, or nothing that could be looked at. */
function linkAt(path: string): { readonly to: string } | 'missing' | null {
  try {
    // WHY not by exception: most calls name files that do not exist yet, and throwing is slow.
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return 'missing'
    return stats.isSymbolicLink() ? { to: readlinkSync(path) } : null
  } catch {
    // What may not be looked at cannot be opened either.
    return null
  }
}
