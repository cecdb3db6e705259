/** Who may import whom: modules, libraries, neighbours, and no cycles. */
import type { Rules } from '../tidy.ts'
import type { Import, Source } from './parse.ts'

/** One thing that is against a rule. */
export type Complaint = {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

/** Imports of one file that point in a forbidden direction. Tests may look anywhere. */
export function checkImports(source: Source, rules: Rules): readonly Complaint[] {
  if (source.isTest || !/^(src|dashboard)\//.test(source.path)) return []
  return source.imports.flatMap((one) => {
    const words =
      one.file === null
        ? judgeForeign(source, one, rules)
        : (judgeRoom(source.path, one.file, rules) ?? judgeNeighbour(source.path, one.file, rules))
    if (words === null) return []
    const [rule, message] = words
    return [{ file: source.path, line: one.line, rule, message }]
  })
}

type Words = readonly [rule: string, message: string] | null

function judgeRoom(from: string, to: string, rules: Rules): Words {
  const room = rules.rooms.find((one) => from.startsWith(one.folder))
  if (room === undefined) return ['room', 'this folder is no room: add it to the table']
  if (to.startsWith(room.folder) || room.mayUse.some((folder) => to.startsWith(folder))) return null
  return ['room', `\`${room.folder}\` may not import \`${to}\``]
}

function judgeNeighbour(from: string, to: string, rules: Rules): Words {
  for (const { folder, apart, shared } of rules.neighbours) {
    const mine = childOf(folder, from)
    const theirs = childOf(folder, to)
    if (mine === null || theirs === null || mine === theirs) continue
    if (shared.includes(theirs)) continue
    if (apart !== null && !(apart.includes(mine) && apart.includes(theirs))) continue
    return ['neighbour', `\`${folder}${mine}\` may not import its neighbour \`${theirs}\``]
  }
  return null
}

// The folder directly inside `folder` that holds the path; null when it is not in one.
function childOf(folder: string, path: string): string | null {
  if (!path.startsWith(folder)) return null
  const parts = path.slice(folder.length).split('/')
  return parts.length > 1 ? (parts[0] ?? null) : null
}

function judgeForeign(source: Source, one: Import, rules: Rules): Words {
  const isPure = source.path.startsWith(rules.pureFolder)
  if (one.library === null) {
    return isPure ? ['pure', `core may not import \`${one.specifier}\``] : null
  }
  const library = rules.libraries.find((entry) => entry.name === one.library)
  if (library === undefined) {
    const isDev = rules.devLibraries.includes(one.library)
    const why = isDev ? 'is for tests and scripts' : 'is in no table: a new library needs an ADR'
    return ['library', `\`${one.library}\` ${why}`]
  }
  if (library.places.some((place) => source.path.startsWith(place))) return null
  return ['library', `\`${library.name}\` may be imported in ${library.places.join(', ')} only`]
}

/** Files that need each other in a circle. Imports of types alone do not count. */
export function findCycles(sources: readonly Source[]): readonly Complaint[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const done = new Set<string>()
  const complaints: Complaint[] = []
  const visit = (source: Source, trail: readonly string[]): void => {
    if (done.has(source.path)) return
    for (const one of source.imports) {
      const next = one.isTypeOnly || one.file === null ? undefined : byPath.get(one.file)
      if (next === undefined) continue
      const path = [...trail, source.path]
      const begin = path.indexOf(next.path)
      if (begin < 0) visit(next, path)
      else complaints.push(cycle(source.path, one.line, [...path.slice(begin), next.path]))
    }
    done.add(source.path)
  }
  for (const source of sources) visit(source, [])
  return complaints
}

function cycle(file: string, line: number, path: readonly string[]): Complaint {
  return { file, line, rule: 'cycle', message: `a circle of imports: ${path.join(' → ')}` }
}
