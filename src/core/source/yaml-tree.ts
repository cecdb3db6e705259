/**
 * Turns the YAML library's document into our tree, with aliases and merges expanded, within
 * limits. Recursive, one call per level; deeper texts than `depthMax` are rejected first.
 */
import { type Alias, isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml'
import type { Finding, FindingWords } from '../finding.ts'
import { finding, joinPointer } from '../finding.ts'
import {
  findingsMax,
  sourceDepthMax,
  sourceMembersMax,
  sourceNodesMax,
  tooLarge,
} from './limits.ts'
import type { Node, Scalar, SourceMember } from './source.ts'
import { badText, isKept, keyProblem, type SourceReading, shortened } from './text-rules.ts'

type Build = {
  /** Finished values by anchor; null while the anchored value itself is being read. */
  readonly anchors: Map<string, Node | null>
  readonly findings: Finding[]
  nodesCount: number
  /** Why reading stopped. */
  failure: Finding | null
}

type Spot = { readonly pointer: string; readonly depth: number }

/** The tree of a document's contents; null with an error when there is something JSON has not. */
export function treeOf(contents: ParsedNode): SourceReading {
  const build: Build = { anchors: new Map(), findings: [], nodesCount: 0, failure: null }
  const root = convert(build, contents, { pointer: '', depth: 0 })
  if (build.failure === null) return { root, findings: build.findings }
  return { root: null, findings: [...build.findings, build.failure] }
}

function convert(build: Build, from: unknown, spot: Spot): Node | null {
  const start = startOf(from)
  const isDeep = isMap(from) || isSeq(from)
  if (!hasRoom(build, spot, { start, levels: isDeep ? 1 : 0 })) return null
  if (isAlias(from)) return writeOut(build, from as Alias.Parsed, spot)
  const anchor = isScalar(from) || isMap(from) || isSeq(from) ? from.anchor : undefined
  if (anchor !== undefined) build.anchors.set(anchor, null)
  const made = convertPlain(build, from, spot)
  if (anchor !== undefined && made !== null) build.anchors.set(anchor, made)
  return made
}

function convertPlain(build: Build, from: unknown, spot: Spot): Node | null {
  const start = startOf(from)
  if (isScalar(from) || isMap(from) || isSeq(from)) {
    const bad = tagProblem(from.tag)
    if (bad !== null) return fail(build, spot.pointer, { ...bad, offset: start })
  }
  if (isScalar(from)) return convertScalar(build, from, spot)
  if (isSeq(from)) {
    const items: Node[] = []
    if (from.items.length > sourceMembersMax) return failSize(build, spot.pointer, start)
    for (const [i, item] of from.items.entries()) {
      const node = convert(build, item, {
        pointer: joinPointer(spot.pointer, i),
        depth: spot.depth + 1,
      })
      if (node === null) return null
      items.push(node)
    }
    const end = from.flow === true ? endOf(from) : (items.at(-1)?.end ?? endOf(from))
    return { pointer: spot.pointer, start, end, kind: 'list', items }
  }
  if (isMap(from)) return convertMap(build, from, spot)
  const words = {
    message: 'a value of an unknown kind',
    hint: 'write a string, number, list or object',
  }
  return fail(build, spot.pointer, { ...words, offset: start })
}

function convertScalar(build: Build, from: { value: unknown }, spot: Spot): Node | null {
  const { value } = from
  const place = { pointer: spot.pointer, start: startOf(from), end: endOf(from) }
  const offset = place.start
  if (typeof value === 'string') {
    const bad = badText(value)
    if (bad !== null) return fail(build, spot.pointer, { ...bad, offset })
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const words = { message: 'the number is not finite', hint: 'write a number with digits' }
    return fail(build, spot.pointer, { ...words, offset })
  }
  if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) {
    const words = { message: 'a value that JSON does not have', hint: 'put it in quotes' }
    return fail(build, spot.pointer, { ...words, offset })
  }
  return { ...place, kind: 'scalar', value: value === 0 ? 0 : (value as Scalar) }
}

function convertMap(build: Build, from: YAMLMap, spot: Spot): Node | null {
  const { pointer } = spot
  const start = startOf(from)
  if (from.items.length > sourceMembersMax) return failSize(build, pointer, start)
  const seen = new Set<string>()
  const members: SourceMember[] = []
  const merges: unknown[] = []
  for (const pair of from.items) {
    if (isMergeKey(pair.key)) {
      merges.push(pair.value)
      continue
    }
    const key = keyText(build, pair.key, spot)
    if (key === null) return null
    const keyStart = startOf(pair.key)
    const problem = keyProblem(key, { pointer, offset: keyStart, seen })
    if (problem !== null && build.findings.length < findingsMax) build.findings.push(problem)
    seen.add(key)
    const inner = { pointer: joinPointer(pointer, key), depth: spot.depth + 1 }
    const node = pair.value === null ? nothing(inner, pair.key) : convert(build, pair.value, inner)
    if (node === null) return null
    if (isKept(problem)) members.push({ key, keyStart, keyEnd: endOf(pair.key), node })
  }
  const lastEnd = members.reduce((last, one) => Math.max(last, one.node.end, one.keyEnd), start)
  for (const merge of merges) if (!mergeInto(build, members, { merge, spot })) return null
  const end = from.flow === true ? endOf(from) : lastEnd
  return { pointer, start, end, kind: 'object', members }
}

/** `name:` without a value is null, and stands where its name ends. */
function nothing(spot: Spot, key: unknown): Node {
  const at = endOf(key)
  return { pointer: spot.pointer, start: at, end: at, kind: 'scalar', value: null }
}

/** `<<: *base`: what the object itself says wins, then the earlier merge. */
function mergeInto(
  build: Build,
  members: SourceMember[],
  what: { merge: unknown; spot: Spot },
): boolean {
  const { merge, spot } = what
  const sources = isSeq(merge) ? merge.items : [merge]
  const seen = new Set(members.map((one) => one.key))
  for (const source of sources) {
    const node = convert(build, source, spot)
    if (node === null) return false
    if (node.kind !== 'object') {
      const words = {
        message: '`<<` needs an object, or a list of objects',
        hint: 'e.g. `<<: *base`',
      }
      fail(build, spot.pointer, { ...words, offset: startOf(source) })
      return false
    }
    for (const one of node.members) {
      if (seen.has(one.key)) continue
      seen.add(one.key)
      members.push(one)
    }
    if (members.length > sourceMembersMax) {
      failSize(build, spot.pointer, startOf(source))
      return false
    }
  }
  return true
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === undefined || key.type === 'PLAIN')
}

function keyText(build: Build, key: unknown, spot: Spot): string | null {
  if (isScalar(key) && key.anchor === undefined && tagProblem(key.tag) === null) {
    // WHY the source: `1.0`, `~` and `0x1` are names as they are written, not as numbers.
    const text = key.value === null ? (key.source ?? '') : (key.source ?? String(key.value))
    const isEmpty = text === '' && typeof key.value !== 'string'
    const bad = isEmpty ? { message: 'a key is missing before `:`', hint: '' } : badText(text)
    if (bad === null) return text
    fail(build, spot.pointer, { ...bad, offset: startOf(key) })
    return null
  }
  const words = {
    message: 'a key must be a plain string',
    hint: 'no lists, objects, anchors or tags',
  }
  fail(build, spot.pointer, { ...words, offset: startOf(key) })
  return null
}

/** The anchored value once more, with pointers of the place where the alias stands. */
function writeOut(build: Build, alias: Alias.Parsed, spot: Spot): Node | null {
  const start = startOf(alias)
  const known = build.anchors.get(alias.source)
  if (known === undefined || known === null) {
    const name = `\`*${shortened(alias.source)}\``
    const message = known === null ? `${name} refers to itself` : `${name} has no anchor before it`
    const hint = `write \`&${shortened(alias.source)}\` before the value it refers to`
    return fail(build, spot.pointer, { message, hint, offset: start })
  }
  const copy = copied(build, known, { ...spot, offset: start })
  return copy === null ? null : { ...copy, start, end: endOf(alias) }
}

function copied(build: Build, node: Node, spot: Spot & { offset: number }): Node | null {
  const { pointer, offset } = spot
  if (!hasRoom(build, spot, { start: offset, levels: node.kind === 'scalar' ? 0 : 1 })) return null
  const depth = spot.depth + 1
  if (node.kind === 'scalar') return { ...node, pointer }
  if (node.kind === 'list') {
    const items: Node[] = []
    for (const [i, item] of node.items.entries()) {
      const copy = copied(build, item, { pointer: joinPointer(pointer, i), depth, offset })
      if (copy === null) return null
      items.push(copy)
    }
    return { ...node, pointer, items }
  }
  const members: SourceMember[] = []
  for (const one of node.members) {
    const copy = copied(build, one.node, { pointer: joinPointer(pointer, one.key), depth, offset })
    if (copy === null) return null
    members.push({ ...one, node: copy })
  }
  return { ...node, pointer, members }
}

type IndentQuery = { readonly start: number; readonly levels: 0 | 1 }

function hasRoom(build: Build, spot: Spot, wanted: IndentQuery): boolean {
  const offset = wanted.start
  build.nodesCount += 1
  if (build.nodesCount > sourceNodesMax) {
    const message = `the text has more than ${sourceNodesMax} values after expanding aliases`
    build.failure ??= tooLarge(spot.pointer, offset, message)
  } else if (spot.depth + wanted.levels > sourceDepthMax) {
    const message = `values are nested more than ${sourceDepthMax} levels deep`
    build.failure ??= tooLarge(spot.pointer, offset, message)
  }
  return build.failure === null
}

const plainTags = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq'])

function tagProblem(tag: string | undefined): FindingWords | null {
  if (tag === undefined) return null
  const isPlain = tag.startsWith('tag:yaml.org,2002:') && plainTags.has(tag.slice(18))
  if (isPlain) return null
  return { message: `the tag \`${shortened(tag)}\` is not supported`, hint: 'remove the tag' }
}

function fail(build: Build, pointer: string, words: FindingWords & { offset: number }): null {
  build.failure ??= { ...finding('SYNTAX_INVALID', pointer, words), offset: words.offset }
  return null
}

function failSize(build: Build, pointer: string, offset: number): null {
  build.failure ??= tooLarge(pointer, offset, `more than ${sourceMembersMax} members in one value`)
  return null
}

type Ranged = { readonly range?: readonly number[] | null | undefined }

function startOf(node: unknown): number {
  return ((node as Ranged | null)?.range ?? [])[0] ?? 0
}

function endOf(node: unknown): number {
  return ((node as Ranged | null)?.range ?? [])[1] ?? 0
}
