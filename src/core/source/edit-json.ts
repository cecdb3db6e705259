/**
 * Inserts values into a JSON text of somebody else and removes them again: comments, order,
 * whitespace and everything else stay as they are. Knows the grammar only.
 */
import type { Json } from '../json.ts'
import { readSource } from './read-source.ts'
import { memberOf, type Node, type Range } from './source.ts'

/** Names of members, and numbers of items, from the root on. */
export type Path = readonly (string | number)[]

type Container = Extract<Node, { kind: 'object' | 'list' }>

/**
 * The text with one more member, in objects that are made where there are none yet.
 * Null: it can't be, because something on the way is no object or the member is there already.
 */
export function addMember(text: string, path: Path, value: Json): string | null {
  return addAt(text, path, value)
}

/** The text with one more item at the end of a list, which is made where there is none yet. */
export function addItem(text: string, path: Path, value: Json): string | null {
  const root = rootOf(text)
  const list = root === null ? null : nodeOn(root, path)
  if (list === null) return addAt(text, path, [value])
  return list.kind === 'list' ? insert(text, list, { key: null, value }) : null
}

/**
 * The text without one value, and without the objects and lists that are empty because of it.
 * Null: there is no such value.
 */
export function removeValue(text: string, path: Path): string | null {
  const root = rootOf(text)
  if (root === null || nodeOn(root, path) === null) return null
  let depth = path.length
  for (; depth > 1; depth -= 1) {
    const around = nodeOn(root, path.slice(0, depth - 1))
    if (around === null || around.kind === 'scalar' || childrenOf(around).length > 1) break
  }
  return removeAlone(text, path.slice(0, depth))
}

/** The text without one value; what stood around it stays, also when it is empty now. */
export function removeAlone(text: string, path: Path): string | null {
  const root = rootOf(text)
  const around = root === null ? null : nodeOn(root, path.slice(0, -1))
  const step = path.at(-1)
  if (around === null || around.kind === 'scalar') return null
  const index = childrenOf(around).findIndex((child, i) => child.key === step || i === step)
  return index < 0 ? null : remove(text, around, index)
}

function rootOf(text: string): Node | null {
  return readSource(text, 'json').root
}

/** The node at a path; null when there is none. */
export function nodeOn(root: Node, path: Path): Node | null {
  let node: Node | undefined = root
  for (const step of path) {
    if (node === undefined) return null
    if (typeof step === 'string') node = memberOf(node, step)?.node
    else node = node.kind === 'list' ? node.items[step] : undefined
  }
  return node ?? null
}

function addAt(text: string, path: Path, value: Json): string | null {
  const root = rootOf(text)
  if (root === null) return null
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const around = nodeOn(root, path.slice(0, depth))
    if (around === null) continue
    const [key, ...rest] = path.slice(depth)
    // Items are not made on the way: nobody could say what comes before them.
    if (typeof key !== 'string' || rest.some((step) => typeof step !== 'string')) return null
    if (around.kind !== 'object' || memberOf(around, key) !== undefined) return null
    const inner = rest.reduceRight<Json>((sum, name) => ({ [name]: sum }), value)
    return insert(text, around, { key, value: inner })
  }
  return null
}

type Child = Range & { readonly key: string | null; readonly valueStart: number }

function childrenOf(node: Container): readonly Child[] {
  if (node.kind === 'list') {
    return node.items.map(({ start, end }) => ({ key: null, start, end, valueStart: start }))
  }
  return node.members.map(({ key, keyStart, node: { start, end } }) => ({
    key,
    start: keyStart,
    end,
    valueStart: start,
  }))
}

type Piece = { readonly key: string | null; readonly value: Json }

function insert(text: string, around: Container, piece: Piece): string {
  const style = styleOf(text)
  const close = around.end - 1
  const last = childrenOf(around).at(-1)
  // What stands in front of the closing bracket, without the blanks before it.
  const before = text.slice(0, close).trimEnd()
  const isBroken = style.unit !== null && (last === undefined || spansLines(text, around))
  if (!isBroken) {
    const put = pieceText(piece, null, '')
    if (last === undefined) return `${before}${put}${text.slice(close)}`
    const blank = /\s/.test(text[around.start + 1] ?? '') ? ' ' : ''
    const isOpen = commaAfter(text, last.end, close) === null
    const head = `${text.slice(0, last.end)}${isOpen ? ',' : ''}`
    const tail = `${isOpen ? '' : ','}${text.slice(before.length)}`
    return `${head}${before.slice(last.end)}${blank}${put}${tail}`
  }
  const unit = style.unit ?? ''
  const outer = indentAt(text, around.start)
  const inner = last === undefined ? outer + unit : (ownIndent(text, last.start) ?? outer + unit)
  const put = `${style.newline}${inner}${pieceText(piece, style, inner)}`
  if (last === undefined) {
    return `${before}${put}${style.newline}${outer}${text.slice(close)}`
  }
  const comma = commaAfter(text, last.end, close)
  const head = comma === null ? `${text.slice(0, last.end)},` : text.slice(0, last.end)
  // A text that ends its lists with a comma goes on doing so.
  const end = comma === null ? '' : ','
  const rest = text.slice(before.length)
  const isLineBroken = /[\r\n]/.test(rest.slice(0, close - before.length))
  const tail = isLineBroken ? rest : `${style.newline}${outer}${text.slice(close)}`
  return `${head}${before.slice(last.end)}${put}${end}${tail}`
}

function remove(text: string, around: Container, index: number): string {
  const children = childrenOf(around)
  const child = children[index] as Child
  const previous = children[index - 1]
  const next = children[index + 1]
  const limit = next?.start ?? around.end - 1
  const comma = commaAfter(text, child.end, limit)
  const start = text.slice(0, child.start).trimEnd().length
  const end = comma === null ? child.end : comma + 1
  const rest = text.slice(end)
  if (children.length === 1) {
    const inside = `${text.slice(around.start + 1, start)}${text.slice(end, around.end - 1)}`
    const kept = inside.trim() === '' ? '' : inside
    return `${text.slice(0, around.start + 1)}${kept}${text.slice(around.end - 1)}`
  }
  if (comma !== null || previous === undefined) return `${text.slice(0, start)}${rest}`
  const before = commaAfter(text, previous.end, child.start)
  if (before === null) return `${text.slice(0, start)}${rest}`
  return `${text.slice(0, before)}${text.slice(before + 1, Math.max(before + 1, start))}${rest}`
}

/** Where the comma behind a value stands, past blanks and comments; null: there is none. */
function commaAfter(text: string, from: number, limit: number): number | null {
  for (let at = from; at < limit; ) {
    if (text[at] === ',') return at
    const end = text.startsWith('//', at) ? '\n' : text.startsWith('/*', at) ? '*/' : ''
    if (end === '') at += 1
    else {
      const found = text.indexOf(end, at + 2)
      if (found < 0) return null
      at = found + end.length
    }
  }
  return null
}

type Style = { readonly newline: string; readonly unit: string | null }

/** How a text breaks and indents its lines; no unit: it stands on one line. */
function styleOf(text: string): Style {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const body = text.trim()
  if (!/[\r\n]/.test(body) && body !== '{}') return { newline, unit: null }
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return { newline, unit }
}

function spansLines(text: string, { start, end }: Range): boolean {
  return /[\r\n]/.test(text.slice(start, end))
}

/** The blanks at the beginning of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const line = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? ''
}

/** The same, when nothing else stands before the offset on its line. */
function ownIndent(text: string, offset: number): string | null {
  const indent = indentAt(text, offset)
  const before = text[offset - indent.length - 1]
  return before === '\n' || before === '\r' ? indent : null
}

function pieceText({ key, value }: Piece, style: Style | null, indent: string): string {
  const isBroken = style !== null && style.unit !== null
  const colon = isBroken ? ': ' : ':'
  const name = key === null ? '' : `${JSON.stringify(key)}${colon}`
  if (!isBroken) return `${name}${JSON.stringify(value)}`
  const lines = JSON.stringify(value, null, style.unit ?? '').split('\n')
  return `${name}${lines.join(`${style.newline}${indent}`)}`
}
