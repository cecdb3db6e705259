/**
 * Parses JSON, with comments and trailing commas allowed, into a tree with positions. Knows the
 * grammar only. The scanner is jsonc-parser's; the parser is a loop with its own stack, because
 * the library's is recursive and a deep text would overflow it.
 */
import { createScanner } from 'jsonc-parser'
import type { Finding } from '../finding.ts'
import { finding, joinPointer } from '../finding.ts'
import {
  findingsMax,
  sourceDepthMax,
  sourceMembersMax,
  sourceNodesMax,
  tooLarge,
} from './limits.ts'
import type { Node, SourceMember } from './source.ts'
import { badText, isKept, keyProblem, type SourceReading } from './text-rules.ts'

// WHY numbers: the library declares these as const enums, which single-file compilation can't read.
const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  unknown: 16,
  eof: 17,
} as const

type Container = { pointer: string; start: number; end: number } & (
  | { kind: 'object'; members: SourceMember[]; keys: Set<string> }
  | { kind: 'list'; items: Node[] }
)

/** What may come next. */
type Expect = 'value' | 'value or ]' | 'key or }' | ': ' | ', or end' | 'nothing'

type Key = { text: string; start: number; end: number; isKept: boolean }

type Parser = {
  readonly text: string
  readonly scanner: ReturnType<typeof createScanner>
  readonly stack: Container[]
  readonly findings: Finding[]
  expect: Expect
  key: Key | null
  root: Node | null
  nodesCount: number
}

/** The tree of a JSON text; null with an error when it can't be read. */
export function readJson(text: string): SourceReading {
  const parser: Parser = {
    text,
    // WHY: a byte order mark is no white space to the scanner; a blank keeps every offset.
    scanner: createScanner(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text, false),
    stack: [],
    findings: [],
    expect: 'value',
    key: null,
    root: null,
    nodesCount: 0,
  }
  for (;;) {
    const kind: number = parser.scanner.scan()
    const error = scanProblem(parser) ?? step(parser, kind)
    if (error !== null) return { root: null, findings: [...parser.findings, error] }
    if (kind === token.eof) return { root: parser.root, findings: parser.findings }
  }
}

function step(parser: Parser, kind: number): Finding | null {
  if (kind >= token.lineComment && kind < token.unknown) return null
  switch (parser.expect) {
    case 'value':
      return takeValue(parser, kind)
    case 'value or ]':
      return kind === token.closeBracket ? close(parser) : takeValue(parser, kind)
    case 'key or }':
      return kind === token.closeBrace ? close(parser) : takeKey(parser, kind)
    case ': ':
      if (kind !== token.colon) return unexpected(parser, '`:` after the name')
      parser.expect = 'value'
      return null
    case ', or end':
      return takeSeparator(parser, kind)
    case 'nothing':
      return kind === token.eof ? null : unexpected(parser, 'nothing more')
  }
}

function takeValue(parser: Parser, kind: number): Finding | null {
  const { scanner } = parser
  switch (kind) {
    case token.openBrace:
    case token.openBracket:
      return open(parser, kind)
    case token.null:
      return putScalar(parser, null)
    case token.true:
      return putScalar(parser, true)
    case token.false:
      return putScalar(parser, false)
    case token.string: {
      const value = scanner.getTokenValue()
      noteBadText(parser, value)
      return putScalar(parser, value)
    }
    case token.number: {
      const value = Number(scanner.getTokenValue())
      if (Number.isFinite(value)) return putScalar(parser, value === 0 ? 0 : value)
      return syntax(parser, { message: 'the number is too large', hint: 'write a smaller one' })
    }
    default:
      return unexpected(parser, 'a value')
  }
}

/** An error, but no end of reading: a case may send such a text, to see it refused. */
function noteBadText(parser: Parser, value: string): void {
  const bad = badText(value)
  if (bad === null || parser.findings.length >= findingsMax) return
  const offset = parser.scanner.getTokenOffset()
  parser.findings.push({ ...finding('SYNTAX_INVALID', nextPointer(parser), bad), offset })
}

function takeKey(parser: Parser, kind: number): Finding | null {
  if (kind !== token.string) return unexpected(parser, 'a name in double quotes')
  const top = parser.stack.at(-1)
  const { scanner } = parser
  const text = scanner.getTokenValue()
  const start = scanner.getTokenOffset()
  const bad = badText(text)
  if (bad !== null) return syntax(parser, bad)
  if (top?.kind !== 'object') return null
  const problem = keyProblem(text, { pointer: top.pointer, offset: start, seen: top.keys })
  if (problem !== null && parser.findings.length < findingsMax) parser.findings.push(problem)
  top.keys.add(text)
  parser.key = { text, start, end: start + scanner.getTokenLength(), isKept: isKept(problem) }
  parser.expect = ': '
  return null
}

function takeSeparator(parser: Parser, kind: number): Finding | null {
  const isObject = parser.stack.at(-1)?.kind === 'object'
  if (kind === token.comma) {
    parser.expect = isObject ? 'key or }' : 'value or ]'
    return null
  }
  if (kind === (isObject ? token.closeBrace : token.closeBracket)) return close(parser)
  return unexpected(parser, isObject ? '`,` or `}`' : '`,` or `]`')
}

function open(parser: Parser, kind: number): Finding | null {
  const start = parser.scanner.getTokenOffset()
  const place = { pointer: nextPointer(parser), start, end: start + 1 }
  if (parser.stack.length >= sourceDepthMax) {
    const message = `values are nested more than ${sourceDepthMax} levels deep`
    return tooLarge(place.pointer, start, message)
  }
  const isObject = kind === token.openBrace
  const made: Container = isObject
    ? { ...place, kind: 'object', members: [], keys: new Set() }
    : { ...place, kind: 'list', items: [] }
  const error = put(parser, made)
  parser.stack.push(made)
  parser.expect = isObject ? 'key or }' : 'value or ]'
  return error
}

function close(parser: Parser): null {
  const done = parser.stack.pop()
  if (done !== undefined) done.end = parser.scanner.getPosition()
  parser.expect = parser.stack.length === 0 ? 'nothing' : ', or end'
  return null
}

function putScalar(parser: Parser, value: null | boolean | number | string): Finding | null {
  const start = parser.scanner.getTokenOffset()
  const end = parser.scanner.getPosition()
  const error = put(parser, { pointer: nextPointer(parser), start, end, kind: 'scalar', value })
  parser.expect = parser.stack.length === 0 ? 'nothing' : ', or end'
  return error
}

function put(parser: Parser, node: Node): Finding | null {
  const top = parser.stack.at(-1)
  parser.nodesCount += 1
  if (parser.nodesCount > sourceNodesMax) {
    return tooLarge(node.pointer, node.start, `the text has more than ${sourceNodesMax} values`)
  }
  if (top === undefined) {
    parser.root = node
    return null
  }
  const count = top.kind === 'object' ? top.keys.size : top.items.length
  if (count > sourceMembersMax) {
    const what = top.kind === 'object' ? 'members' : 'items'
    return tooLarge(top.pointer, node.start, `more than ${sourceMembersMax} ${what} in one value`)
  }
  if (top.kind === 'list') top.items.push(node)
  else if (parser.key?.isKept) {
    const { text: key, start: keyStart, end: keyEnd } = parser.key
    top.members.push({ key, keyStart, keyEnd, node })
  }
  return null
}

function nextPointer(parser: Parser): string {
  const top = parser.stack.at(-1)
  if (top === undefined) return ''
  if (top.kind === 'list') return joinPointer(top.pointer, top.items.length)
  return joinPointer(top.pointer, parser.key?.text ?? '')
}

const scanProblems: Readonly<Record<number, { message: string; hint: string }>> = {
  1: { message: 'a comment is not closed', hint: 'end it with `*/`' },
  2: { message: 'a string is not closed on its line', hint: 'end it with `"`, or write `\\n`' },
  3: { message: 'the number is incomplete', hint: 'write digits after `.` and `e`' },
  4: { message: 'a `\\u` escape needs four hex digits', hint: 'e.g. `\\u00e9`' },
  5: { message: 'unknown escape in a string', hint: 'write a backslash as `\\\\`' },
  6: {
    message: 'a string contains a control character',
    hint: 'write it as an escape, e.g. `\\t`',
  },
}

function scanProblem(parser: Parser): Finding | null {
  const words = scanProblems[parser.scanner.getTokenError() as number]
  return words === undefined ? null : syntax(parser, words)
}

function unexpected(parser: Parser, wanted: string): Finding {
  const { scanner, text, stack } = parser
  const start = scanner.getTokenOffset()
  const seen = text.slice(start, scanner.getPosition())
  if (start >= text.length) {
    const top = stack.at(-1)
    if (top === undefined) return syntax(parser, { message: 'the text is empty', hint: '' })
    const opener = top.kind === 'object' ? '{' : '['
    const where = top.pointer === '' ? 'the first one' : `the value of \`${top.pointer}\``
    const message = `unexpected end of text: expected ${wanted}`
    return syntax(parser, { message, hint: `a \`${opener}\` is not closed: ${where}` })
  }
  const shown = seen.length > 30 ? `${seen.slice(0, 30)}…` : seen
  const hint = seen.startsWith("'") ? 'JSON strings need double quotes' : ''
  return syntax(parser, { message: `unexpected \`${shown}\`: expected ${wanted}`, hint })
}

function syntax(parser: Parser, words: { message: string; hint: string }): Finding {
  const offset = Math.min(parser.scanner.getTokenOffset(), parser.text.length)
  const pointer = parser.stack.at(-1)?.pointer ?? ''
  return { ...finding('SYNTAX_INVALID', pointer, words), offset }
}
