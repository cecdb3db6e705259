/**
 * Changes one value of an author's text, JSON or YAML: comments, order and everything else stay.
 * Knows the two grammars. Must not know dialects.
 */
import { parseDocument } from 'yaml'
import { equalJson, type Json } from '../json.ts'
import { addItem, addMember, nodeOn, type Path, removeAlone } from './edit-json.ts'
import { guessFormat, readSource } from './read-source.ts'
import { plainValue, type Range } from './source.ts'

const lineCharsMax = 100

/** The text with a value put at a path; null: there is no such place. */
export function putValue(text: string, path: Path, value: Json): string | null {
  const format = guessFormat(text)
  const { root } = readSource(text, format)
  const node = root === null ? null : nodeOn(root, path)
  if (typeof value === 'string' && node?.kind === 'scalar' && isShort(value)) {
    const put = respell(text, [node], value)
    if (holds(put, path, value)) return put
  }
  if (format === 'yaml') {
    return inYaml(text, (document) => document.setIn(path, document.createNode(value)))
  }
  if (node !== null) {
    return `${text.slice(0, node.start)}${JSON.stringify(value)}${text.slice(node.end)}`
  }
  return addMember(text, path, value)
}

/** The text with one more item at the end of a list; null: there is no place for it. */
export function pushValue(text: string, path: Path, value: Json): string | null {
  if (guessFormat(text) === 'json') return addItem(text, path, value)
  return inYaml(text, (document) => {
    if (document.getIn(path) === undefined) document.setIn(path, document.createNode([value]))
    else document.addIn(path, document.createNode(value))
  })
}

/** The text without a value; null: there is none. */
export function dropValue(text: string, path: Path): string | null {
  if (guessFormat(text) === 'json') return removeAlone(text, path)
  return inYaml(text, (document) => {
    if (!document.deleteIn(path)) throw new Error('nothing is there')
  })
}

/** The text with one word in place of those that stand there, names of members as well. */
export function respell(text: string, places: readonly Range[], to: string): string {
  // WHY by their beginning: what an alias stands for is one place that is met twice.
  const once = new Map(places.map((place) => [place.start, place]))
  const backwards = [...once.values()].sort((a, b) => b.start - a.start)
  return backwards.reduce((sum, { start, end }) => {
    const isQuoted = /^["']/.test(sum.slice(start, end))
    const word = isQuoted || !isPlain(to) ? JSON.stringify(to) : to
    return `${sum.slice(0, start)}${word}${sum.slice(end)}`
  }, text)
}

/** A word that YAML takes for a text without quotes, wherever it stands. */
function isPlain(word: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(word) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(word)
}

/** A text that may stand on the line where another one stood. */
function isShort(value: string): boolean {
  return value.length <= lineCharsMax && !/[\r\n]/.test(value)
}

function holds(text: string, path: Path, value: Json): boolean {
  const { root } = readSource(text)
  const node = root === null ? null : nodeOn(root, path)
  return node?.kind === 'scalar' && node.value === value
}

type YamlDocument = ReturnType<typeof parseDocument>

function inYaml(text: string, change: (document: YamlDocument) => void): string | null {
  // WHY read first: our own limits hold before the library does anything.
  if (readSource(text, 'yaml').root === null) return null
  const style = {
    lineWidth: lineCharsMax,
    indent: /\n( {1,8})[^\s#]/.exec(text)?.[1]?.length ?? 2,
    indentSeq: !/(?:^|\n)( *)[^\s#-][^\n]*:\n\1- /.test(text),
  }
  try {
    const document = parseDocument(text)
    const before = document.toString(style)
    change(document)
    return keepLines(text, before, document.toString(style))
  } catch {
    // The library throws where the way to a place leads through something else.
    return null
  }
}

/**
 * The library writes the whole text in its own way: of what it wrote, only the lines that the
 * change is about are taken, if the others stand in the same rows.
 */
function keepLines(text: string, before: string, after: string): string {
  const [own, was, now] = [text.split('\n'), before.split('\n'), after.split('\n')]
  if (own.length !== was.length) return after
  let head = 0
  while (head < was.length && was[head] === now[head]) head += 1
  let tail = 0
  const room = Math.min(was.length, now.length) - head
  while (tail < room && was.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const kept = [
    ...own.slice(0, head),
    ...now.slice(head, now.length - tail),
    ...own.slice(own.length - tail),
  ].join('\n')
  return equalJson(plainOf(kept), plainOf(after)) ? kept : after
}

function plainOf(text: string): Json {
  const { root } = readSource(text, 'yaml')
  return root === null ? null : plainValue(root)
}
