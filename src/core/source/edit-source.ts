/**
 * Changes one value of an author's text, JSON or YAML: comments, order and everything beside stay.
 * Knows the two grammars. Must not know dialects.
 */
import { parseDocument } from 'yaml'
import type { Json } from '../json.ts'
import { addItem, addMember, nodeOn, type Path, removeValue } from './edit-json.ts'
import { guessFormat, readSource } from './read-source.ts'

const lineCharsMax = 100

/** The text with a value put at a path; null: there is no such place. */
export function putValue(text: string, path: Path, value: Json): string | null {
  if (guessFormat(text) === 'yaml') {
    return inYaml(text, (document) => document.setIn(path, document.createNode(value)))
  }
  const { root } = readSource(text, 'json')
  const node = root === null ? null : nodeOn(root, path)
  if (node !== null) {
    return `${text.slice(0, node.start)}${JSON.stringify(value)}${text.slice(node.end)}`
  }
  return addMember(text, path, value)
}

/** The text with one more item at the end of a list; null: there is no place for it. */
export function pushValue(text: string, path: readonly string[], value: Json): string | null {
  if (guessFormat(text) === 'json') return addItem(text, path, value)
  return inYaml(text, (document) => {
    if (document.getIn(path) === undefined) document.setIn(path, document.createNode([value]))
    else document.addIn(path, document.createNode(value))
  })
}

/** The text without a value; null: there is none. */
export function dropValue(text: string, path: Path): string | null {
  if (guessFormat(text) === 'json') return removeValue(text, path)
  return inYaml(text, (document) => {
    if (!document.deleteIn(path)) throw new Error('nothing is there')
  })
}

type YamlDocument = ReturnType<typeof parseDocument>

function inYaml(text: string, change: (document: YamlDocument) => void): string | null {
  // WHY read first: our own limits hold before the library does anything.
  if (readSource(text, 'yaml').root === null) return null
  try {
    const document = parseDocument(text)
    change(document)
    return document.toString({ lineWidth: lineCharsMax })
  } catch {
    // The library throws where the way to a place leads through something else.
    return null
  }
}
