/**
 * The paths that a tool's input names, under the keys that hosts and servers really use.
 * Knows keys. Must not know where the paths lead.
 */
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'
import { alternativesOf, pathProblem } from './paths.ts'

/** Paths one call may name. */
const callPathsMax = 1000

type Keys = ReadonlyMap<string, number>
const inOrder = (keys: readonly string[]): Keys => new Map(keys.map((key, at) => [key, at]))

const pathKeys = inOrder([
  ...['file_path', 'filePath', 'filepath', 'notebook_path', 'notebookPath', 'path', 'file'],
  ...['filename', 'target_file', 'targetFile', 'target_notebook', 'absolute_path', 'image_path'],
  ...['relative_workspace_path', 'dir_path', 'directory', 'dir', 'target_directory'],
  ...['source', 'destination', 'old_path', 'new_path', 'oldPath', 'newPath'],
])
const listKeys = inOrder(['paths', 'files', 'file_paths', 'filePaths'])
const directoryKeys = inOrder([
  ...['workdir', 'cwd', 'working_directory', 'working_dir', 'dir_path', 'directory'],
])

/** The keys of an input that are among these, in the order of these. */
// WHY from the side of the input: it has two or three, and each of so many would be looked for.
function keysOf(input: JsonObject, keys: Keys): readonly string[] {
  const found = Object.keys(input).filter((key) => keys.has(key))
  if (found.length < 2) return found
  return found.sort((a, b) => (keys.get(a) as number) - (keys.get(b) as number))
}

export type NamedPath = { readonly paths: readonly string[]; readonly problem: string | null }

/** Every path an input names. */
export function pathsIn(input: JsonObject): NamedPath {
  const paths: string[] = []
  for (const key of keysOf(input, pathKeys)) {
    const value = input[key]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') return { paths, problem: `\`${key}\` is not a string` }
    paths.push(value)
  }
  for (const key of keysOf(input, listKeys)) {
    const value = input[key]
    if (value === undefined || value === null) continue
    const listed = listOf(value)
    if (listed === null) return { paths, problem: `\`${key}\` is not a list of paths` }
    paths.push(...listed)
  }
  if (paths.length > callPathsMax) return { paths: [], problem: `more than ${callPathsMax} paths` }
  return { paths, problem: firstProblem(paths) }
}

/** The directories that the patterns of a search begin in; `**` may stand for nothing. */
export function patternsIn(input: JsonObject, keys: readonly string[]): NamedPath {
  const paths: string[] = []
  for (const key of keys) {
    const value = own(input, key)
    if (value === undefined || value === null) continue
    const patterns = typeof value === 'string' ? [value] : listOf(value)
    if (patterns === null || patterns.length > callPathsMax) {
      return { paths, problem: `\`${key}\` is not a string or a list of strings` }
    }
    for (const pattern of patterns) paths.push(...alternativesOf(pattern).map(directoryOf))
  }
  return { paths, problem: firstProblem(paths) }
}

/** The directory in which a call wants its command to run; null: it names none. */
export function directoryIn(input: JsonObject): { path: string | null; problem: string | null } {
  for (const key of keysOf(input, directoryKeys)) {
    const value = input[key]
    if (value === undefined || value === null || value === '') continue
    if (typeof value !== 'string') return { path: null, problem: `\`${key}\` is not a string` }
    return { path: value, problem: pathProblem(value) }
  }
  return { path: null, problem: null }
}

function listOf(value: Json): readonly string[] | null {
  if (!Array.isArray(value)) return null
  const paths = value.map((item) => (typeof item === 'string' ? item : pathOfItem(item)))
  return paths.every((path) => path !== null) ? paths : null
}

function pathOfItem(item: Json): string | null {
  const fields = asObject(item)
  const path = fields === null ? undefined : (own(fields, 'path') ?? own(fields, 'file_path'))
  return typeof path === 'string' ? path : null
}

function directoryOf(pattern: string): string {
  const segments = pattern.split('/').filter((segment) => segment !== '**')
  return segments.map((segment) => (/[*?[]/.test(segment) ? 'x' : segment)).join('/') || '.'
}

function firstProblem(paths: readonly string[]): string | null {
  for (const path of paths) {
    const problem = pathProblem(path)
    if (problem !== null) return problem
  }
  return null
}
