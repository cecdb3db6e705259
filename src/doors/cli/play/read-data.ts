/**
 * Reads the data of an input line: one JSON object, or `key=value` pairs. Knows text only.
 * A value is JSON if it parses as JSON, otherwise text.
 */
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject, emptyRecord } from '../../../core/json.ts'

export type Trouble = { readonly message: string; readonly hint: string }
export type Data =
  | { readonly ok: true; readonly data: JsonObject }
  | { readonly ok: false; readonly trouble: Trouble }

/** Whether a text begins like data. */
export function looksLikeData(text: string): boolean {
  return text.startsWith('{') || pairStart.test(text)
}

const pairStart = /^[^\s={}"'[\]]+=/

/** The data in a text; `textKeys` are kept as text although they look like numbers, say. */
export function readData(text: string, textKeys: ReadonlySet<string> = new Set()): Data {
  const rest = text.trim()
  if (rest.startsWith('{')) return readObject(rest)
  const data = emptyRecord<Json>()
  let at = 0
  while (at < rest.length) {
    const key = pairStart.exec(rest.slice(at))?.[0].slice(0, -1)
    if (key === undefined) return trouble(...noPair(rest.slice(at), Object.keys(data).at(-1)))
    if (Object.hasOwn(data, key)) return trouble(`\`${key}\` is given twice`, 'give it once')
    const value = readValue(rest, at + key.length + 1, textKeys.has(key) ? 'text' : 'any')
    if (typeof value === 'string') return trouble(`the value of \`${key}\` ${value}`, quoteHint)
    data[key] = value.value
    at = value.end
    while (at < rest.length && /\s/.test(rest[at] as string)) at += 1
  }
  return { ok: true, data }
}

const quoteHint = 'put values with spaces in quotes: key="two words"'

function trouble(message: string, hint: string): Data {
  return { ok: false, trouble: { message, hint } }
}

function readObject(text: string): Data {
  const parsed = parseJsonValue(text)
  const object = asObject(parsed)
  if (object !== null) return { ok: true, data: object }
  return trouble('this looks like JSON but is not a valid object', 'check the quotes and commas')
}

function noPair(rest: string, before: string | undefined): [string, string] {
  const word = rest.split(/\s/)[0] ?? rest
  const hint = before === undefined ? 'write key=value, or a JSON object' : quoteHint
  return [`\`${word}\` is not key=value`, hint]
}

type Value = { readonly value: Json; readonly end: number }

/** The value that begins at an offset, or what is wrong with it. */
function readValue(text: string, start: number, kind: 'text' | 'any'): Value | string {
  const first = text[start]
  if (first === '"') return readQuoted(text, start)
  if (first === "'") {
    const end = text.indexOf("'", start + 1)
    return end < 0 ? 'has no closing quote' : { value: text.slice(start + 1, end), end: end + 1 }
  }
  if (first === '{' || first === '[') return readNested(text, start)
  const found = /\s/.exec(text.slice(start))
  const end = found === null ? text.length : start + found.index
  const raw = text.slice(start, end)
  const parsed = kind === 'text' ? undefined : parseJsonValue(raw)
  return { value: parsed === undefined ? raw : parsed, end }
}

function readQuoted(text: string, start: number): Value | string {
  const end = stringEnd(text, start)
  if (end < 0) return 'has no closing quote'
  const parsed = parseJsonValue(text.slice(start, end))
  return typeof parsed === 'string' ? { value: parsed, end } : 'has an invalid escape sequence'
}

/** The offset behind a quoted text; -1 when it does not end. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return -1
}

function readNested(text: string, start: number): Value | string {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      const end = stringEnd(text, at)
      if (end < 0) return 'has no closing quote'
      at = end - 1
    } else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    if (depth > 0) continue
    const parsed = parseJsonValue(text.slice(start, at + 1))
    return parsed === undefined ? 'is not valid JSON' : { value: parsed, end: at + 1 }
  }
  return 'has no closing bracket'
}

/** A text as JSON; undefined when it is none. */
export function parseJsonValue(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Not JSON is an answer here, not a fault: the caller takes the text as it stands.
    return undefined
  }
}
