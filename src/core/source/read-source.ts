/**
 * Parses an author's text, JSON or YAML, into a tree with positions. The entry point for
 * definitions. Never throws; everything wrong is a finding with its position.
 */
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import type { Json } from '../json.ts'
import {
  jsonBytesMax,
  sourceDepthMax,
  sourceMembersMax,
  sourceNodesMax,
  tooLarge,
  utf8Bytes,
  yamlBytesMax,
} from './limits.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'
import { type Node, sourceOf } from './source.ts'
import { badText, keyProblem, type SourceReading } from './text-rules.ts'

export type SourceFormat = 'json' | 'yaml'
export type { SourceReading }

/** The tree of a text. Without a format it is JSON when it begins with `{` or `[`, else YAML. */
export function readSource(text: string, format?: SourceFormat): SourceReading {
  const kind = format ?? guessFormat(text)
  const bytesMax = kind === 'json' ? jsonBytesMax : yamlBytesMax
  const bytes = utf8Bytes(text, bytesMax)
  if (bytes > bytesMax) {
    const limit = `the limit for ${kind.toUpperCase()} is ${bytesMax}`
    const message = `the text has ${bytes} bytes; ${limit}`
    return { root: null, findings: [tooLarge('', 0, message)] }
  }
  const odd = oddCharacter(text)
  if (odd !== null) return { root: null, findings: [odd] }
  return kind === 'json' ? readJson(text) : readYaml(text)
}

/** JSON when the first thing after blanks and comments opens an object or a list. */
export function guessFormat(text: string): SourceFormat {
  // WHY a loop and no expression: a text of a million blanks must not be looked at twice.
  let at = 0
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0xfeff || code === 32 || (code >= 9 && code <= 13)) {
      at += 1
      continue
    }
    const close = text.startsWith('//', at) ? '\n' : text.startsWith('/*', at) ? '*/' : ''
    if (close === '') return text[at] === '{' || text[at] === '[' ? 'json' : 'yaml'
    const end = text.indexOf(close, at + 2)
    // WHY: an open comment has no reading in YAML either, and JSON says what is wrong.
    if (end < 0) return 'json'
    at = end + close.length
  }
}

/** The tree of a value that came without text, held to the same limits and names. */
export function readValue(value: Json): SourceReading {
  const findings: Finding[] = []
  const tooBig = measure(value)
  if (tooBig !== null) return { root: null, findings: [tooBig] }
  const root = sourceOf(value)
  const work: Node[] = [root]
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (node.kind === 'list') work.push(...node.items)
    if (node.kind === 'scalar' && typeof node.value === 'string') {
      const bad = badText(node.value)
      if (bad !== null) findings.push(finding('SYNTAX_INVALID', node.pointer, bad))
    }
    if (node.kind !== 'object') continue
    for (const one of node.members) {
      work.push(one.node)
      const place = { pointer: node.pointer, offset: -1, seen: new Set<string>() }
      const problem = keyProblem(one.key, place)
      if (problem !== null) findings.push(finding('RESERVED_NAME', node.pointer, problem))
    }
  }
  return { root, findings }
}

function measure(value: Json): Finding | null {
  const work: { value: Json; depth: number }[] = [{ value, depth: 0 }]
  let count = 0
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    count += 1
    if (count > sourceNodesMax)
      return tooLarge('', -1, `the value has more than ${sourceNodesMax} parts`)
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth >= sourceDepthMax) {
      return tooLarge('', -1, `values are nested more than ${sourceDepthMax} levels deep`)
    }
    const parts = Object.values(next.value) as Json[]
    if (parts.length > sourceMembersMax) {
      return tooLarge('', -1, `more than ${sourceMembersMax} members in one value`)
    }
    for (const part of parts) work.push({ value: part, depth: next.depth + 1 })
  }
  return null
}

function oddCharacter(text: string): Finding | null {
  const nul = text.indexOf('\0')
  const half = text.search(/\p{Surrogate}/u)
  const at = nul >= 0 && (half < 0 || nul < half) ? nul : half
  if (at < 0) return null
  const words = badText(text.slice(at, at + 1)) ?? { message: 'invalid character', hint: '' }
  return { ...finding('SYNTAX_INVALID', '', words), offset: at }
}
