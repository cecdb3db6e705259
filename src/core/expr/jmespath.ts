/**
 * JMESPath: parses an expression once, evaluates it on data, and reports what it reads.
 * Knows the library's parser and our interpreter. Must not know Pawl's scopes by name.
 */
import { compile, tokenize } from '@jmespath-community/jmespath'
import type { Json } from '../json.ts'
import { newCache } from './bounded-cache.ts'
import { depthProblem, type Misfit } from './expression-depth.ts'
import type { Evaluated } from './expression-types.ts'
import { callProblem } from './jmespath-functions.ts'
import { type JmespathTree, walkTree } from './jmespath-interpreter.ts'
import { readsOf } from './jmespath-referenced-paths.ts'
import {
  jmespathTypeMismatches,
  type KnowPath,
  type TypeCheckedTree,
} from './jmespath-type-mismatches.ts'
import { libraryErrorReason } from './library-error.ts'
import { compiledMax, newMeter, settleMeter, treeDepthMax } from './meter.ts'
import { anyValue } from './possible-values.ts'

type Compiled =
  | { readonly ok: true; readonly tree: JmespathTree }
  | ({ readonly ok: false } & Misfit)

type ParsedJmespath =
  | {
      readonly ok: true
      readonly reads: readonly string[][]
      readonly bareLiterals: readonly string[]
    }
  | ({ readonly ok: false } & Misfit)

const compiled = newCache<Compiled>(compiledMax, compileText)

/** The value of an expression on a document; a fault is a value, too. */
export function evaluateJmespath(text: string, root: Json): Evaluated {
  const known = compiled.get(text)
  if (!known.ok) return { ok: false, reason: known.reason }
  try {
    return { ok: true, value: settleMeter(walkTree(known.tree, root, newMeter())) }
  } catch (problem) {
    return { ok: false, reason: libraryErrorReason(problem) }
  }
}

/** What an expression reads, or why and where it cannot be read itself. */
export function parseJmespath(text: string): ParsedJmespath {
  const known = compiled.get(text)
  if (!known.ok) return known
  return { ok: true, reads: readsOf(known.tree), bareLiterals: bareLiteralsOf(text) }
}

/** What in an expression can never work, by what is known about the paths that it reads. */
export function doubtJmespath(text: string, know: KnowPath): TypeCheckedTree {
  const known = compiled.get(text)
  return known.ok ? jmespathTypeMismatches(known.tree, know) : { doubts: [], value: anyValue }
}

function compileText(text: string): Compiled {
  const misfit = depthProblem(text)
  if (misfit !== null) return { ok: false, ...misfit }
  const open = openQuoteAt(text)
  if (open >= 0) return { ok: false, reason: 'syntax: a quote is not closed', offset: open }
  const message = syntaxError(text)
  if (message !== null) {
    return { ok: false, reason: plain(message), offset: offsetOf(text, message) }
  }
  const tree = compile(text)
  const reason = treeProblem(tree)
  return reason === null ? { ok: true, tree } : { ok: false, reason, offset: 0 }
}

/** Where a text, a name or a literal begins that does not end, which the library lets pass. */
function openQuoteAt(text: string): number {
  let open = -1
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i]
    if (open >= 0 && char === '\\') i += 1
    else if (open >= 0 && char === text[open]) open = -1
    else if (open < 0 && (char === "'" || char === '"' || char === '`')) open = i
  }
  return open
}

function syntaxError(text: string): string | null {
  try {
    compile(text)
    return null
  } catch (problem) {
    return libraryErrorReason(problem)
  }
}

/**
 * Where the parser gave up. It does not say, but it reads from left to right: the shortest
 * beginning of the text that fails with the same words ends with the token that it disliked.
 */
function offsetOf(text: string, message: string): number {
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (syntaxError(text.slice(0, middle)) === message) high = middle
    else low = middle + 1
  }
  if (message.includes('EOF')) return text.length
  const starts = tokenStarts(text.slice(0, low))
  return starts.findLast((start) => start < low) ?? Math.max(0, low - 1)
}

function tokenStarts(text: string): readonly number[] {
  try {
    return tokenize(text).map((token) => token.start)
  } catch {
    // What cannot be cut into tokens has no better place than its end.
    return []
  }
}

/** The library's words, in our spelling. */
function plain(message: string): string {
  const words = message
    .replace(/^syntax(?: error)?[:,]\s*/i, '')
    .replace(/(?:unexpected token type: |invalid token \()EOF.*/, 'unexpected end')
  const number = /type: Number, value: (-?\d+)|invalid token \(Number\): "(-?\d+)"/.exec(words)
  if (number === null) return `syntax: ${words}`
  const written = number[1] ?? number[2] ?? ''
  return `syntax: write numbers in backticks: \`${written}\``
}

/** Walks without recursion: the tree may be deeper than it should be. */
function treeProblem(tree: JmespathTree): string | null {
  const open: { node: unknown; depth: number }[] = [{ node: tree, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    if (depth > treeDepthMax)
      return `the expression is nested more than ${treeDepthMax} levels deep`
    if (Array.isArray(node)) {
      for (const child of node) open.push({ node: child, depth })
    } else if (isNode(node)) {
      const problem = node.type === 'Function' ? callProblem(node.name, node.children.length) : null
      if (problem !== null) return problem
      if (node.type === 'Literal') continue
      for (const child of Object.values(node)) open.push({ node: child, depth: depth + 1 })
    }
  }
  return null
}

function isNode(value: unknown): value is JmespathTree {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** `true`, `false` and `null` without backticks are names of fields, which nobody means. */
function bareLiteralsOf(text: string): readonly string[] {
  const tokens = tokenize(text)
  const found = tokens.filter((token, i) => {
    const name = String(token.value)
    if (String(token.type) !== 'UnquotedIdentifier') return false
    if (name !== 'true' && name !== 'false' && name !== 'null') return false
    const before = String(tokens[i - 1]?.type)
    const after = String(tokens[i + 1]?.type)
    const isKey = after === 'Colon' && (before === 'Lbrace' || before === 'Comma')
    return before !== 'Dot' && after !== 'Lparen' && !isKey
  })
  return [...new Set(found.map((token) => String(token.value)))]
}
