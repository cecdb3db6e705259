/**
 * The author's text as a tree that remembers positions. Knows text and JSON values. Must not know
 * dialects.
 * Nothing here is recursive: a tree made from a value may be deeper than the stack.
 */
import type { Finding } from '../finding.ts'
import { joinPointer, stepsOf } from '../finding.ts'
import type { Json } from '../json.ts'
import { emptyRecord } from '../json.ts'

export { excerpt, type LineIndex, lineIndex, positionAt } from './position.ts'

export type Scalar = null | boolean | number | string

/** One value of the author's file. Offsets count UTF-16 units from the beginning of the text. */
export type Node = {
  readonly pointer: string
  /** Where the value begins and ends in the text; -1 when it came without text. */
  readonly start: number
  readonly end: number
} & (
  | { readonly kind: 'scalar'; readonly value: Scalar }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly SourceMember[] }
)

export type SourceMember = {
  readonly key: string
  readonly keyStart: number
  readonly keyEnd: number
  readonly node: Node
}

/** Line and column, both from 1, as editors count them. */
export type Position = { readonly line: number; readonly column: number }

/** A stretch of the text; `end` is the offset behind its last character. */
export type Range = { readonly start: number; readonly end: number }

const nothingLeftOut: ReadonlySet<Node> = new Set()

/** The plain value of a node without some members; objects come without a prototype. */
export function plainValue(node: Node, leftOut: ReadonlySet<Node> = nothingLeftOut): Json {
  const box: Json[] = []
  const work: { from: Node; into: Json[] | Record<string, Json>; key: string | number }[] = [
    { from: node, into: box, key: 0 },
  ]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { from, into, key } = next
    const slot = into as Record<string | number, Json>
    if (from.kind === 'scalar') {
      slot[key] = from.value
    } else if (from.kind === 'list') {
      const list: Json[] = new Array(from.items.length).fill(null)
      slot[key] = list
      for (const [i, item] of from.items.entries()) work.push({ from: item, into: list, key: i })
    } else {
      const record = emptyRecord<Json>()
      slot[key] = record
      for (const one of from.members) {
        if (leftOut.has(one.node)) continue
        // WHY: the key is set now so that the members keep the author's order.
        record[one.key] = null
        work.push({ from: one.node, into: record, key: one.key })
      }
    }
  }
  return box[0] as Json
}

/** The value under a key of an object; undefined for any other node. */
export function member(node: Node, key: string): Node | undefined {
  return memberOf(node, key)?.node
}

/** The member under a key, with the place of the key itself. */
export function memberOf(node: Node, key: string): SourceMember | undefined {
  if (node.kind !== 'object') return undefined
  if (node.members.length < indexedFrom) return node.members.find((one) => one.key === key)
  let index = indexes.get(node)
  if (index === undefined) {
    index = new Map()
    for (const one of node.members) if (!index.has(one.key)) index.set(one.key, one)
    indexes.set(node, index)
  }
  return index.get(key)
}

/** From this many members on, an object is looked up by an index. */
const indexedFrom = 16
const indexes = new WeakMap<Node, Map<string, SourceMember>>()

/** The node at a JSON pointer; null when there is none. */
export function nodeAt(root: Node, pointer: string): Node | null {
  const found = walk(root, pointer)
  return found.isWhole ? found.node : null
}

/**
 * Where a finding is about, in the text: its key, its value, or the nearest thing around it that
 * exists. Null when the tree came without text.
 *
 * A value with parts is shown by its key: in YAML it begins a line below its name.
 */
export function positionOf(root: Node | null, finding: Finding): Range | null {
  if (finding.offset !== undefined) return { start: finding.offset, end: finding.offset + 1 }
  if (root === null) return null
  const found = walk(root, finding.pointer)
  if (found.node.start < 0) return null
  if (finding.saying !== undefined) {
    const text = textInside(found.node, finding.saying)
    if (text !== null) return { start: text.start, end: text.end }
  }
  const key = found.member
  const isKeyMeant = finding.atKey === true ? found.isWhole : found.node.kind !== 'scalar'
  if (isKeyMeant && key !== null) return { start: key.keyStart, end: key.keyEnd }
  return { start: found.node.start, end: found.node.end }
}

/** The first text of that wording inside a value; null: there is none. */
function textInside(node: Node, wording: string): Node | null {
  const work = [node]
  for (const one of work) {
    if (one.kind === 'scalar' && one.value === wording) return one
    if (one.kind === 'list') work.push(...one.items)
    if (one.kind === 'object') for (const { node: part } of one.members) work.push(part)
  }
  return null
}

/** A tree for a value that came without text, e.g. through an interface. */
export function sourceOf(value: Json): Node {
  const box: Node[] = []
  const work: { from: Json; pointer: string; put: (node: Node) => void }[] = [
    { from: value, pointer: '', put: (node) => box.push(node) },
  ]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { from, pointer, put } = next
    const place = { pointer, start: -1, end: -1 }
    if (typeof from !== 'object' || from === null) {
      put({ ...place, kind: 'scalar', value: from })
      continue
    }
    const isList = Array.isArray(from)
    const items: Node[] = []
    const members: SourceMember[] = []
    if (isList) put({ ...place, kind: 'list', items })
    else put({ ...place, kind: 'object', members })
    // WHY backwards: the last one pushed is the first one worked on, and order must be kept.
    for (const [key, part] of Object.entries(from).reverse() as [string, Json][]) {
      const keep = isList
        ? (node: Node) => items.push(node)
        : (node: Node) => members.push({ key, keyStart: -1, keyEnd: -1, node })
      work.push({ from: part, pointer: joinPointer(pointer, key), put: keep })
    }
  }
  return box[0] as Node
}

type Walked = { node: Node; member: SourceMember | null; isWhole: boolean }

function walk(root: Node, pointer: string): Walked {
  let found: Walked = { node: root, member: null, isWhole: true }
  for (const key of stepsOf(pointer)) {
    const under = memberOf(found.node, key)
    if (under !== undefined) {
      found = { node: under.node, member: under, isWhole: true }
      continue
    }
    const item = found.node.kind === 'list' ? found.node.items[Number(key)] : undefined
    if (item === undefined) return { ...found, isWhole: false }
    found = { node: item, member: null, isWhole: true }
  }
  return found
}
