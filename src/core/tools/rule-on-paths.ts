/**
 * The rule on where file tools may reach: the workspace, and what the definition adds to it.
 * Knows the paths of a call. Must not know the disk: links are resolved by who read the call.
 */
import type { Call, CallPath, Denial } from '../engine/types.ts'
import { matchesGlob } from '../expr/glob.ts'
import type { PathRule } from '../machine/machine.ts'
import { type From, isBelow, type ResolvedPath, resolvedPaths } from './paths.ts'
import { isFileTool } from './tool-names.ts'

export type PathScope = {
  /** The stage lists its tools; where it does not, only protected paths are held. */
  readonly lists: boolean
  readonly paths: PathRule
  /** Where relative entries of `paths` begin; absent: they reach nothing. */
  readonly workspace?: string
}

/** Denies a file tool that leaves the workspace and what is added to it. */
export function ruleOnPaths(call: Call, scope: PathScope): Denial | null {
  if (!scope.lists || call.isOwn) return null
  const readsResource = call.bookkeeping?.kind === 'servers'
  if (!isFileTool(call) && call.shell === null && !readsResource) return null
  const lost =
    call.reads.find((path) => !isReachable(path, 'read', scope)) ??
    call.writes.find((path) => !isReachable(path, 'write', scope))
  return lost === undefined ? null : denyPath(call, lost, scope)
}

function isReachable(path: CallPath, how: keyof PathRule, scope: PathScope): boolean {
  if (path.inside !== null) return true
  const { read, write } = scope.paths
  // Whoever may write a file may look at what it wrote.
  const added = how === 'read' ? [...read, ...write] : write
  const from = { workspace: scope.workspace ?? nowhere }
  const places = resolvedPaths(path.written, from)
  if (places.length === 0) return false
  return places.every((place) => added.some((entry) => isAdded(place, entry, from)))
}

const nowhere = '/\0'

/** Whether an entry such as `/tmp/out`, `/var/log/*.log`, `~/notes/**` or `../shared` covers it. */
function isAdded(place: ResolvedPath, entry: string, from: From): boolean {
  const wanted = resolvedPaths(entry, from)[0]
  if (wanted === undefined || wanted.length === 0 || wanted[0] === '\0') return false
  if (!/[*?]/.test(entry)) return isBelow(place, wanted)
  return matchesGlob(wanted.join('/'), place.join('/'))
}

function denyPath(call: Call, path: CallPath, { paths }: PathScope): Denial {
  const added = call.reads.includes(path) ? [...paths.read, ...paths.write] : paths.write
  const names = [...new Set(added)].map((entry) => `\`${entry}\``).join(', ')
  const where = names === '' ? 'the workspace' : `the workspace and ${names}`
  const reason = `\`${call.tool}\` may not reach \`${shown(path.written)}\`, only ${where}`
  const hint = 'name a file in the workspace, or ask a person to add the path under `paths`'
  return { code: 'PATH_OUT_OF_SCOPE', reason, hint }
}

function shown(path: string): string {
  const text = path.length > 120 ? `${path.slice(0, 120)}…` : path
  return JSON.stringify(text).slice(1, -1)
}
