/**
 * The number of lines of an edit, counted the same way for every tool and format: the larger of
 * the new text and the difference. A final line break does not add a line.
 * Knows texts and the keys under which hosts pass them. Must not know limits.
 */
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'

const oldKeys = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text'] as const
const newKeys = ['new_string', 'newString', 'new_str', 'newText', 'new_text'] as const
const wholeKeys = [
  ...['content', 'contents', 'file_text', 'fileText', 'text', 'new_source', 'newSource'],
  ...['code_edit', 'insert_text'],
] as const

/** The lines of a text, as an editor counts them. */
export function countLines(text: string): number {
  let lines = 0
  let isOpen = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    isOpen = char !== 10 && char !== 13
    if (isOpen) continue
    lines += 1
    if (char === 13 && text.charCodeAt(i + 1) === 10) i += 1
  }
  return isOpen ? lines + 1 : lines
}

/** The size of replacing a text by another. */
export function sizeOfChange(before: number, after: number): number {
  return Math.max(after, Math.abs(after - before))
}

/**
 * The size of the edit that an input describes: the largest under any key that could carry one,
 * because nobody knows which of them the tool looks at; null: it does not say.
 */
export function sizeOfEdit(input: JsonObject): number | null {
  const lists = ['edits', 'files'].flatMap((key) => {
    const parts = own(input, key) ?? null
    return parts === null ? [] : [sumOf(parts)]
  })
  const sizes = hasText(input) ? [...lists, sizeOfPart(input)] : lists
  return largest(sizes)
}

function hasText(input: JsonObject): boolean {
  return [...oldKeys, ...newKeys, ...wholeKeys].some((key) => (own(input, key) ?? null) !== null)
}

/** The largest of several; null: there are none, or one of them is unknown. */
function largest(sizes: readonly (number | null)[]): number | null {
  return sizes.length === 0 || sizes.includes(null) ? null : Math.max(...(sizes as number[]))
}

/** The size of one replacement, or of a whole file, cell or inserted text. */
function sizeOfPart(input: JsonObject): number | null {
  const before = linesUnder(input, oldKeys)
  const after = linesUnder(input, newKeys)
  const whole = linesUnder(input, wholeKeys)
  const sizes = whole.length === 0 ? [] : [largest(whole)]
  if (before.length + after.length > 0) sizes.push(sizeOfReplacement(input, before, after))
  return largest(sizes)
}

type Lines = readonly (number | null)[]

function sizeOfReplacement(input: JsonObject, before: Lines, after: Lines): number | null {
  const most = largest(after)
  const removed = largest(before)
  if (most === null) return null
  if (removed !== null) return sizeOfChange(removed, most)
  // An insertion names a line instead of a text to replace.
  const isInserted = before.length === 0 && typeof own(input, 'insert_line') === 'number'
  return isInserted ? most : null
}

function sumOf(parts: Json): number | null {
  if (!Array.isArray(parts)) return null
  let sum = 0
  for (const part of parts) {
    const fields = asObject(part)
    const lines = fields === null ? null : sizeOfPart(fields)
    if (lines === null) return null
    sum += lines
  }
  return sum
}

/** The lines of each text that is there; null: it is no text. */
function linesUnder(input: JsonObject, keys: readonly string[]): Lines {
  return keys.flatMap((key) => {
    const value = own(input, key) ?? null
    if (value === null) return []
    return [typeof value === 'string' ? countLines(value) : null]
  })
}
