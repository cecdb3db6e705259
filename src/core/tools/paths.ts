/**
 * Where a path leads, as text: every way in which a tool might read it.
 * Knows text only: no disk is asked. Links are resolved by the caller, who judges both names.
 * WHY several readings: whether `..\x`, `%2e%2e/x` or a full-width `．．／x` leaves depends on the
 * tool that opens it. A path counts as inside only if it is inside however it is read.
 */
import { pathCharsMax } from '../expr/glob.ts'

/** Where relative paths begin. `cwd` is a directory the call itself names; null: the workspace. */
export type From = { readonly workspace: string; readonly cwd?: string | null }

/** The segments of an absolute path. The first may be one of the marks below. */
export type ResolvedPath = readonly string[]

// INVARIANT: no path that is looked at contains NUL, so no directory can be called like a mark.
/** Stands for somebody's home, which core cannot know. */
export const homeMark = '\0home'
/** Stands for a variable, a remote host or anything else that only the tool can resolve. */
export const unknownMark = '\0unknown'

const lonelySurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Why a text cannot be a path, or null. */
export function pathProblem(path: string): string | null {
  if (path.trim() === '') return 'a path is empty'
  if (path.length > pathCharsMax) return `a path is longer than ${pathCharsMax} characters`
  if (path.includes('\0')) return 'a path contains a NUL character'
  if (lonelySurrogate.test(path)) return 'a path contains half a character'
  return null
}

/** The path relative to the workspace, `.` for the workspace itself; null when it may leave. */
export function insideOf(path: string, from: From): string | null {
  const base = baseNameOf(from.workspace)
  const places = resolvedPaths(path, from)
  if (places.length === 0 || !places.every((place) => isBelow(place, base))) return null
  // WHY: devices and open files are no files of the workspace, even where that is the whole disk.
  if (places.some((place) => specialRoots.has(place[0] ?? ''))) return null
  return places[0]?.slice(base.length).join('/') || '.'
}

/** The path from the root, where it is certain; null: it is not. */
export function absoluteOf(path: string, from: From): string | null {
  const [place, ...others] = resolvedPaths(path, from)
  if (place === undefined || others.length > 0) return null
  return place.some((segment) => segment.startsWith('\0')) ? null : `/${place.join('/')}`
}

const specialRoots: ReadonlySet<string> = new Set(['dev', 'proc', 'sys'])

/** Whether a place is a directory or lies below it; the boundary is at the separator. */
export function isBelow(place: ResolvedPath, base: ResolvedPath): boolean {
  return base.length <= place.length && base.every((segment, i) => place[i] === segment)
}

/** The workspace as a place. */
export function baseNameOf(workspace: string): ResolvedPath {
  return resolve(isDrive(workspace) ? posixOf(workspace) : workspace, [])
}

/** Every place a path may mean, as written first; none: it cannot be a path. */
export function resolvedPaths(path: string, from: From): readonly ResolvedPath[] {
  if (pathProblem(path) !== null) return []
  return readingsOf(path).map((text) => (text.includes('\0') ? [unknownMark] : placeOf(text, from)))
}

function placeOf(path: string, { workspace, cwd }: From): ResolvedPath {
  const onDrive = isDrive(workspace)
  // Nearly every path begins at the root, and then it is nothing of what follows.
  if (!onDrive && /^\/(?![/\\])/.test(path)) return resolve(path, [])
  if (isDrive(path)) return onDrive ? resolve(posixOf(path), []) : [unknownMark]
  const text = onDrive ? path.replaceAll('\\', '/') : path
  if (/^(?:\/\/|\\\\)[^/\\]/.test(text)) return [unknownMark]
  const address = /^([a-z][a-z0-9+.-]+):\/\/(.*)$/is.exec(text)
  if (address !== null) return placeOfAddress(address[1] ?? '', address[2] ?? '')
  const home = /^~[^/]*(?:\/|$)/.exec(text)
  // A single segment such as `~draft.txt` is a name; `~` and `~ann/` are homes.
  if (home !== null && (text === '~' || text.includes('/'))) {
    return [homeMark, ...resolve(text.slice(home[0].length), [], unknownMark)]
  }
  const variable = /^(?:\$\{?([A-Z_][A-Z0-9_]*)\}?|%([A-Z_][A-Z0-9_]*)%)(?:[/\\]|$)/.exec(text)
  if (variable !== null) {
    const name = variable[1] ?? variable[2] ?? ''
    const root = name.startsWith('PAWL') ? [unknownMark, '.pawl'] : [unknownMark]
    return [...root, ...resolve(text.slice(variable[0].length), [])]
  }
  if (/^(?:\$\(|`)/.test(text)) return [unknownMark, ...resolve(text, [])]
  if (text.startsWith('/')) return resolve(text, [])
  return resolve(text, startOf(workspace, cwd ?? null))
}

function startOf(workspace: string, cwd: string | null): ResolvedPath {
  return cwd === null ? baseNameOf(workspace) : placeOf(cwd, { workspace })
}

function placeOfAddress(scheme: string, rest: string): ResolvedPath {
  const local = /^(?:localhost)?(\/.*)$/is.exec(rest)
  if (scheme.toLowerCase() !== 'file' || local === null) return [unknownMark]
  return resolve(local[1] ?? '', [])
}

/**
 * Segments from a starting place on. Above the root there is only the root, as POSIX has it;
 * above a mark nobody knows what there is.
 */
function resolve(path: string, start: ResolvedPath, above?: string): ResolvedPath {
  const segments = [...start]
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.length === 0 && above !== undefined) segments.push(above)
      else if (!segments.at(-1)?.startsWith('\0')) segments.pop()
      else segments.push(unknownMark)
    } else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

function isDrive(path: string): boolean {
  return /^[A-Za-z]:(?:[\\/]|$)/.test(path)
}

function posixOf(path: string): string {
  return `/${path.charAt(0).toLowerCase()}:${path.slice(2).replaceAll('\\', '/')}`
}

const invisible = /\p{Cf}|\p{Cc}|\u034F|[\u115F\u1160\u3164\uFFA0]/gu
const encoded = /%(?:2e|2f|5c|00)/gi
const plainPath = /^(?!.*(?: \/|\/ | $))(?! )[\x20-\x24\x26-\x5b\x5d-\x7e]*$/

const rewritings: readonly ((text: string) => string)[] = [
  (text) => text.normalize('NFKC').replace(invisible, ''),
  (text) =>
    text.replace(encoded, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))),
  (text) => text.replaceAll('\\', '/'),
  (text) =>
    text
      .split('/')
      .map((segment) => segment.trim())
      .join('/'),
]

/** The text as written, then every combination of what tools do to such texts: at most 16. */
function readingsOf(path: string): readonly string[] {
  if (plainPath.test(path)) return [path]
  const texts = new Set([path])
  for (const rewrite of rewritings) for (const text of [...texts]) texts.add(rewrite(text))
  return [...texts]
}

/** How many texts braces may stand for; beyond that the text is taken as it is. */
const alternativesMax = 64

/** The texts that `{a,b}` in a pattern stands for. */
export function alternativesOf(pattern: string): readonly string[] {
  let texts: string[] = [pattern]
  for (let round = 0; round < alternativesMax; round++) {
    const next = texts.flatMap(expandOnce)
    if (next.length === texts.length || next.length > alternativesMax) return texts
    texts = next
  }
  return texts
}

function expandOnce(text: string): string[] {
  const found = /\{([^{},]*,[^{}]*)\}/.exec(text)
  if (found === null) return [text]
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  return (found[1] ?? '').split(',').map((one) => before + one + after)
}
