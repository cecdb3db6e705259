/**
 * Symlinks: a call that names one is judged by its own path and by the target.
 * Knows the file system. Must not know rules.
 */
import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { Call, CallPath, ReadCommands } from '../../core/engine/types.ts'

/** Links that are followed on the way to one file, as the system itself does. */
const linksMax = 40

/** The call with the files behind the names it uses, beside those names. */
export function resolveSymlinks(call: Call): Call {
  const { workspace, looks } = call
  const looked = looks?.commands.flatMap((look) => look.reads) ?? []
  if (call.reads.length + call.writes.length + call.edits.length + looked.length === 0) return call
  const behind = (path: CallPath): readonly CallPath[] => behindOn(path, workspace)
  const isPlain = (path: CallPath): boolean => behind(path).length === 0
  // Nearly every call has no link in it, and stays what it is.
  if (
    call.reads.every(isPlain) &&
    call.writes.every(isPlain) &&
    looked.every(isPlain) &&
    call.edits.every((path) => isPlain({ written: path, inside: path }))
  ) {
    return call
  }
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
    ...(looks === undefined ? {} : { looks: looksBehind(looks, both) }),
  }
}

function looksBehind(
  looks: ReadCommands,
  both: (path: CallPath) => readonly CallPath[],
): ReadCommands {
  const commands = looks.commands.map((look) => ({ ...look, reads: look.reads.flatMap(both) }))
  return { ...looks, commands }
}

/** What is behind a path, where that is another file; else nothing. */
function behindOn({ written, inside }: CallPath, workspace: string): readonly CallPath[] {
  // WHY not `join`: what is inside is written without detours already.
  const named = inside === null ? written : `${workspace}${sep}${inside}`
  if (!isAbsolute(named)) return []
  const real = realPath(named)
  if (real === null) return []
  const within = insideOf(real, realPath(workspace) ?? resolve(workspace))
  if (within === inside && (inside !== null || real === resolve(named))) return []
  return [{ written: real, inside: within }]
}

/**
 * WHY the real workspace: the folder itself may be reached through a link.
 * WHY not `relative`: both are whole paths already, and this is asked for every path of every call.
 */
function insideOf(path: string, workspace: string): string | null {
  if (path === workspace) return '.'
  const folder = workspace.endsWith(sep) ? workspace : workspace + sep
  if (!path.startsWith(folder)) return null
  const inside = path.slice(folder.length)
  return sep === '/' ? inside : inside.split(sep).join('/')
}

/** What was seen of the disk since the program was last called; null: nothing. */
let seen: Seen | null = null
type Seen = {
  readonly founds: Map<string, LinkTarget>
  readonly reals: Map<string, string | null>
}
/** Paths that are remembered at most. */
const seenMax = 10_000

/**
 * All calls that are judged in one go see the disk as it was when the first of them looked.
 * INVARIANT: forgotten before anything more is heard from outside, so that no agent that has heard
 * a verdict is judged by what was seen before it. WHY `nextTick`: it comes after all promises that
 * are settled now, and before whatever the system brings; `setImmediate` would come too late.
 */
function seenNow(): Seen {
  if (seen !== null && seen.founds.size + seen.reals.size < seenMax) return seen
  if (seen === null) process.nextTick(forgetSeen)
  seen = { founds: new Map(), reals: new Map() }
  return seen
}

function forgetSeen(): void {
  seen = null
}

/**
 * The path without links, whether the file exists or not; null: it cannot be told.
 * WHY not `realpath`: a link to a file that does not exist yet creates it there.
 */
export function realPath(path: string): string | null {
  const { reals, founds } = seenNow()
  const before = reals.get(path)
  if (before !== undefined) return before
  const real = findReal(resolve(path), (at) => {
    const known = founds.get(at)
    if (known !== undefined) return known
    const found = linkAt(at)
    founds.set(at, found)
    return found
  })
  reals.set(path, real)
  return real
}

type Look = (path: string) => LinkTarget

function findReal(whole: string, look: Look): string | null {
  // Nearly every path has no link in it, and stays what it is.
  for (let end = 1; end > 0 && end < whole.length; ) {
    const next = whole.indexOf(sep, end)
    const found = look(next === -1 ? whole : whole.slice(0, next))
    // Behind what is not there nothing is.
    if (found === 'missing') return whole
    if (found !== null) return followLinks(whole, look)
    end = next + 1
  }
  return whole
}

function followLinks(whole: string, look: Look): string | null {
  let rest = whole.split(sep).filter(Boolean)
  let real: string = sep
  for (let count = 0; rest.length > 0; ) {
    const [name = '', ...more] = rest
    const next = join(real, name)
    const found = look(next)
    if (found === 'missing') return join(next, ...more)
    if (found === null) {
      real = next
      rest = more
      continue
    }
    count += 1
    if (count > linksMax) return null
    const start = isAbsolute(found.to) ? found.to : join(dirname(next), found.to)
    rest = [...start.split(sep).filter(Boolean), ...more]
    real = sep
  }
  return real
}

/** Where a link leads; null: it is none, or nothing that could be looked at. */
type LinkTarget = { readonly to: string } | 'missing' | null

function linkAt(path: string): LinkTarget {
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
