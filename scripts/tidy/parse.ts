/**
 * Reads a source file into what the rules ask about: its tree, its comments, its imports.
 * Knows the parser (oxc, which vite brings). Must not know any rule.
 */
import { posix } from 'node:path'
import { parseSync } from 'vite'

export type AstNode = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export type Comment = { readonly line: number; readonly text: string; readonly isBlock: boolean }

export type Import = {
  readonly line: number
  readonly specifier: string
  /** The file meant, from the root; null for libraries and Node's own modules. */
  readonly file: string | null
  /** The package meant; null for files and Node's own modules. */
  readonly library: string | null
  readonly isTypeOnly: boolean
}

export type Source = {
  readonly path: string
  readonly text: string
  readonly isTest: boolean
  readonly program: AstNode
  readonly comments: readonly Comment[]
  readonly imports: readonly Import[]
  /** The line, from 1, of an offset. */
  readonly lineOf: (offset: number) => number
}

/** A node with what holds it and under which key. */
export type Visit = {
  readonly node: AstNode
  readonly parent: AstNode | null
  readonly key: string
}

/** Parses a file; one that cannot be parsed is a bug of whoever asks. */
export function parseSource(file: { readonly path: string; readonly text: string }): Source {
  const { program, comments, errors } = parseSync(file.path, file.text)
  if (errors.length > 0) throw new Error(`cannot parse ${file.path}: ${errors[0]?.message}`)
  const lineOf = lineFinder(file.text)
  const tree = program as unknown as AstNode
  return {
    path: file.path,
    text: file.text,
    isTest: /\.(test|contract)\.ts$/.test(file.path) || file.path.startsWith('test/'),
    program: tree,
    comments: comments.map((comment) => ({
      line: lineOf(comment.start),
      text: comment.value,
      isBlock: comment.type === 'Block',
    })),
    imports: walk(tree).flatMap(({ node }) => readImport(node, file.path, lineOf)),
    lineOf,
  }
}

/** Every node of a tree, parents first. */
export function walk(root: AstNode): readonly Visit[] {
  const visits: Visit[] = []
  const queue: Visit[] = [{ node: root, parent: null, key: '' }]
  for (let visit = queue.pop(); visit !== undefined; visit = queue.pop()) {
    visits.push(visit)
    for (const [key, value] of Object.entries(visit.node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) queue.push({ node: child, parent: visit.node, key })
      }
    }
  }
  return visits.sort((a, b) => a.node.start - b.node.start || b.node.end - a.node.end)
}

/** Whether a value is a node of the tree. */
export function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The nodes under a key that holds a list. */
export function nodesOf(node: AstNode, key: string): readonly AstNode[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const after = starts.findIndex((start) => start > offset)
    return after < 0 ? starts.length : after
  }
}

const importing = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
])

function readImport(node: AstNode, from: string, lineOf: Source['lineOf']): readonly Import[] {
  if (!importing.has(node.type) || !isNode(node.source)) return []
  const specifier = node.source.value
  if (typeof specifier !== 'string') return []
  const isFile = specifier.startsWith('.')
  const isLibrary = !isFile && !specifier.startsWith('node:')
  return [
    {
      line: lineOf(node.start),
      specifier,
      file: isFile ? posix.join(posix.dirname(from), specifier) : null,
      library: isLibrary ? packageOf(specifier) : null,
      isTypeOnly: isTypeOnly(node),
    },
  ]
}

function isTypeOnly(node: AstNode): boolean {
  if (node.type === 'TSImportType') return true
  if (node.importKind === 'type' || node.exportKind === 'type') return true
  const specifiers = nodesOf(node, 'specifiers')
  return (
    specifiers.length > 0 &&
    specifiers.every((one) => one.importKind === 'type' || one.exportKind === 'type')
  )
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}
