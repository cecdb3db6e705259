/**
 * Where the files go that a command copies, moves or links. The disk is not read, so the spelling
 * decides whether the target is a folder; if it could be both, both count. A path that ends in `/`
 * means a folder with everything in it.
 */
import { baseName } from './wrappers.ts'

export type Put = {
  /** Null: only known when it runs. */
  readonly sources: readonly (string | null)[]
  readonly target: string
  /** The target is a folder, whatever it looks like. */
  readonly isFolder: boolean
  /** What is put there may be folders: all of them, or those that look like one. */
  readonly deep: 'all' | 'by name' | 'none'
}

/** Every path that may be written. */
export function putTargets({ sources, target, isFolder, deep }: Put): readonly string[] {
  const landed = sources.map((source) => landing(source, target, deep))
  if (isFolder || sources.length > 1 || target.endsWith('/')) return [...new Set(landed)]
  const isDeep = deep === 'all' || (deep === 'by name' && sources.some(mayBeFolder))
  if (isDeep) return [withSlash(target)]
  return looksLikeFile(target) ? [target] : [target, ...landed]
}

/** A path with all that is below it. */
export function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** A name with an ending is taken for a file. */
export function mayBeFolder(path: string | null): boolean {
  return path === null || path.endsWith('/') || !looksLikeFile(path)
}

function looksLikeFile(path: string): boolean {
  return /[^/.]\.[A-Za-z]\w{0,7}$/.test(path)
}

function landing(source: string | null, folder: string, deep: Put['deep']): string {
  const name = source === null ? '' : baseName(source.replace(/\/+$/, ''))
  const isDeep = deep === 'all' || (deep === 'by name' && mayBeFolder(source))
  // A pattern, `.` or a name that only shows later can be anything in there.
  if (/^\.*$/.test(name) || (isDeep && /[*?[]/.test(name))) return withSlash(folder)
  const path = `${withSlash(folder)}${name}`
  return isDeep ? withSlash(path) : path
}
