/**
 * Converts a file of another product: cuts out its definitions, says what was changed and what was
 * lost, and checks that each is what that product has. The entry point of this folder.
 */
import { compileDefinition } from '../dialects/compile-definition.ts'
import { detectDialect } from '../dialects/detect-dialect.ts'
import type { DialectName } from '../machine/machine.ts'
import type { SourceFormat } from '../source/read-source.ts'
import { member, type Node } from '../source/source.ts'
import { convertKruxosPolicy } from './kruxos-policy.ts'
import type { ConvertedFile, ConvertedPart, ProductName, ProductNote } from './product.ts'
import { notesOnSyllable, notesOnWorkflow } from './product-notes.ts'
import { cutOut, partsMax, unwrapDefinitions, type WrappedNode } from './unwrap.ts'

export type ProductSource = {
  readonly text: string
  readonly root: Node
  readonly format: SourceFormat
  /** The name of the file, without its extension. */
  readonly name: string
}

const dialectOf: Readonly<Record<Exclude<ProductName, 'kruxos'>, DialectName>> = {
  statewright: 'workflow',
  cloudclawer: 'process',
  syllable: 'steps',
}

/** The parts of a file for Pawl, and what became of the rest. */
export function convertProduct(product: ProductName, source: ProductSource): ConvertedFile {
  if (product === 'kruxos') return convertKruxosPolicy(source)
  const dialect = dialectOf[product]
  const isOne = (node: Node): boolean => detectDialect(node).dialect === dialect
  const found = unwrapDefinitions(source.root, isOne)
  const notes: ProductNote[] = []
  const parts: ConvertedPart[] = []
  for (const wrapped of found.slice(0, partsMax)) {
    if (isOne(wrapped.node)) parts.push(partOf(product, source, wrapped))
    else notes.push(foreign(wrapped.node, dialect))
  }
  if (found.length > partsMax) {
    const what = `the file has more than ${partsMax} definitions`
    notes.push({ kind: 'lost', pointer: '', what, effect: 'split it, and convert the rest' })
  }
  return { parts, notes }
}

function foreign({ pointer }: Node, dialect: DialectName): ProductNote {
  const words: Readonly<Record<DialectName, string>> = {
    workflow: 'workflow with `states` that have `on`',
    process: 'process with `states` that have questions',
    steps: 'step workflow',
  }
  const what = `this is not a ${words[dialect]}`
  return { kind: 'lost', pointer, what, effect: 'it is left out' }
}

function partOf(
  product: Exclude<ProductName, 'kruxos'>,
  { text, root, format, name }: ProductSource,
  { node, beside }: WrappedNode,
): ConvertedPart {
  const isWhole = node === root
  const notes: ProductNote[] = []
  if (!isWhole) {
    const what = 'the definition is extracted from the document that contains it'
    notes.push({ kind: 'changed', pointer: node.pointer, what, effect: 'it becomes its own file' })
  }
  for (const one of beside) notes.push(besideNote(one.key, one.node))
  notes.push(...(product === 'syllable' ? notesOnSyllable(node) : []))
  notes.push(...(product === 'statewright' ? notesOnWorkflow(node) : []))
  return {
    name: isWhole ? name : (nameOf(node) ?? name),
    text: isWhole ? text : cutOut(text, node),
    format,
    isUnchanged: isWhole,
    notes,
  }
}

function besideNote(key: string, node: Node): ProductNote {
  const { pointer } = node
  if (key === 'upstream_servers') {
    const count = node.kind === 'list' ? node.items.length : 0
    const what = `${count} MCP server${count === 1 ? '' : 's'} to put behind the gateway`
    const effect = 'add them to the settings of your host, then run `pawl init --gateway`'
    return { kind: 'lost', pointer, what, effect }
  }
  const effect = 'it is a note of the product that stored the definition'
  return { kind: 'lost', pointer, what: `\`${key}\` is not part of the definition`, effect }
}

/** What the definition calls itself. */
function nameOf(node: Node): string | null {
  const { machines } = compileDefinition(node)
  if (machines[0] !== undefined) return machines[0].name
  for (const key of ['name', 'id']) {
    const named = member(node, key)
    if (named?.kind === 'scalar' && typeof named.value === 'string') return named.value
  }
  return null
}
