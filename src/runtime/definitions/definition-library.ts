/**
 * Finds definitions by the name that an invoke uses: among the given files, then in the folder of
 * the invoking definition.
 * Knows names and files. Must not know what a definition does.
 */
import { dirname } from 'node:path'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { detectDialect } from '../../core/dialects/detect-dialect.ts'
import type { Machine } from '../../core/machine/machine.ts'
import { member, type Node } from '../../core/source/source.ts'
import { PawlError } from '../pawl-error.ts'
import { isDefinitionName, listFiles } from './list-files.ts'
import { readDefinition, type SourceFile } from './read-definition.ts'

/** A definition that has the name that was looked for. */
export type NamedDefinition = {
  readonly file: SourceFile
  readonly root: Node
  /** It is among the files that were named, not only beside one of them. */
  readonly isGiven: boolean
}

export type DefinitionLibrary = {
  /** The machine of that name; undefined when there is none, or when it has errors. */
  readonly machine: (name: string) => Machine | undefined
  /** The definition of that name, whether it has errors or not. */
  readonly definition: (name: string) => NamedDefinition | undefined
  /** Every name there is, for suggestions. */
  readonly names: () => readonly string[]
}

/** Files of a folder that are opened to learn their names. */
const neighboursMax = 500
/** Bytes of such files, all together. */
const neighbourBytesMax = 32 * 1024 * 1024

/** The library of the definition in a file, by the file's full path. */
export type Libraries = (path: string) => DefinitionLibrary

/** Opens libraries that share what they have read; `given` are files by full path. */
export function openLibraries(given: ReadonlyMap<string, SourceFile> = new Map()): Libraries {
  const folders = new Map<string, NamedMap>()
  const compiled = new Map<Node, readonly Machine[]>()
  let givenNames: NamedMap | null = null
  const givenOnes = (): NamedMap => {
    givenNames ??= namesIn(given.values(), 'given')
    return givenNames
  }
  const neighbours = (folder: string): NamedMap => {
    const known = folders.get(folder) ?? namesIn(neighboursOf(folder, given), 'beside')
    folders.set(folder, known)
    return known
  }
  return (path) => {
    // WHY in this order, and only when asked: most definitions invoke nothing, and then
    // their folder is none of our business.
    const definition = (name: string): NamedDefinition | undefined =>
      givenOnes().get(name) ?? neighbours(dirname(path)).get(name)
    const machine = (name: string): Machine | undefined => {
      const found = definition(name)
      if (found === undefined) return undefined
      const machines = compiled.get(found.root) ?? compileDefinition(found.root).machines
      compiled.set(found.root, machines)
      return machines.find((one) => one.name === name) ?? machines[0]
    }
    const names = (): readonly string[] => [
      ...new Set([...givenOnes().keys(), ...neighbours(dirname(path)).keys()]),
    ]
    return { definition, machine, names }
  }
}

type NamedMap = ReadonlyMap<string, NamedDefinition>

function namesIn(files: Iterable<SourceFile>, place: 'given' | 'beside'): NamedMap {
  const named = new Map<string, NamedDefinition>()
  for (const file of files) {
    const { root } = file
    if (root === null) continue
    for (const name of definitionNames(root)) {
      if (!named.has(name)) named.set(name, { file, root, isGiven: place === 'given' })
    }
  }
  return named
}

/**
 * The names a definition can be invoked by: its `id`, its `name`, or the ids of its tasks. The `id`
 * of a process is none: the service that stores it gives it out.
 */
export function definitionNames(root: Node): readonly string[] {
  const { dialect } = detectDialect(root)
  if (dialect === null) return []
  if (dialect === 'process') return stringsAt(root, 'name')
  const context = member(root, 'context')
  const task = context === undefined ? undefined : member(context, 'task')
  const tasks = task === undefined ? [] : task.kind === 'list' ? task.items : [task]
  return [root, ...tasks].flatMap((node) => [stringsAt(node, 'id'), stringsAt(node, 'name')].flat())
}

/** The `id` that a process brings along from where it was stored; null: it has none. */
export function ownIdOf(root: Node): string | null {
  const { dialect } = detectDialect(root)
  return dialect === 'process' ? (stringsAt(root, 'id')[0] ?? null) : null
}

function stringsAt(node: Node, key: string): readonly string[] {
  const found = member(node, key)
  return found?.kind === 'scalar' && typeof found.value === 'string' ? [found.value] : []
}

function neighboursOf(
  folder: string,
  given: ReadonlyMap<string, SourceFile>,
): readonly SourceFile[] {
  const paths = listFiles(folder, { depth: 'flat', isWanted: isDefinitionName })
  const files: SourceFile[] = []
  let bytesCount = 0
  for (const path of paths.slice(0, neighboursMax)) {
    if (given.has(path) || bytesCount > neighbourBytesMax) continue
    const file = readNeighbour(path)
    if (file === null) continue
    bytesCount += file.lines.text.length
    files.push(file)
  }
  return files
}

/** A neighbour nobody asked for may be unreadable; then it has no name. */
function readNeighbour(path: string): SourceFile | null {
  try {
    return readDefinition(path)
  } catch (fault) {
    if (fault instanceof PawlError) return null
    throw fault
  }
}
