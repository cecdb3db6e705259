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

/** The size of the edit that an input describes; null: it does not say. */
export function sizeOfEdit(input: JsonObject): number | null {
  const edits = own(input, 'edits')
  if (edits !== undefined) return sumOf(edits, sizeOfReplacement)
  const files = own(input, 'files')
  if (Array.isArray(files)) return sumOf(files, sizeOfWrite)
  return sizeOfReplacement(input)
}

/** The size of a whole file, cell or inserted text; null: the input does not say. */
function sizeOfWrite(input: JsonObject): number | null {
  const text = textUnder(input, wholeKeys)
  return text === null ? null : countLines(text)
}

function sizeOfReplacement(input: JsonObject): number | null {
  const before = textUnder(input, oldKeys)
  const after = textUnder(input, newKeys)
  if (before !== null && after !== null) {
    return sizeOfChange(countLines(before), countLines(after))
  }
  // An insertion names a line instead of a text to replace.
  if (after !== null && typeof own(input, 'insert_line') === 'number') return countLines(after)
  return before === null && after === null ? sizeOfWrite(input) : null
}

function sumOf(parts: Json, size: (part: JsonObject) => number | null): number | null {
  if (!Array.isArray(parts)) return null
  let sum = 0
  for (const part of parts) {
    const fields = asObject(part)
    const lines = fields === null ? null : size(fields)
    if (lines === null) return null
    sum += lines
  }
  return sum
}

function textUnder(input: JsonObject, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = own(input, key)
    if (value !== undefined) return typeof value === 'string' ? value : null
  }
  return null
}
