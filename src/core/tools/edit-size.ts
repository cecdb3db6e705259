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

/** What the keys of an input say about its texts: how many lines each has; null: it is no text. */
type Texts = Record<TextKind, (number | null)[]>
type TextKind = 'before' | 'after' | 'whole'

const kinds: ReadonlyMap<string, TextKind> = new Map([
  ...oldKeys.map((key) => [key, 'before'] as const),
  ...newKeys.map((key) => [key, 'after'] as const),
  ...wholeKeys.map((key) => [key, 'whole'] as const),
])

/**
 * The size of the edit that an input describes: the largest under any key that could carry one,
 * because nobody knows which of them the tool looks at; null: it does not say.
 */
export function sizeOfEdit(input: JsonObject): number | null {
  const sizes = sizesOfPart(input)
  for (const key of ['edits', 'files']) {
    const parts = own(input, key) ?? null
    if (parts !== null) sizes.push(sumOf(parts))
  }
  return largest(sizes)
}

/** The largest of several; null: there are none, or one of them is unknown. */
function largest(sizes: readonly (number | null)[]): number | null {
  let most: number | null = null
  for (const size of sizes) {
    if (size === null) return null
    most = Math.max(most ?? 0, size)
  }
  return most
}

/** The sizes of one replacement, and of a whole file, cell or inserted text. */
function sizesOfPart(input: JsonObject): (number | null)[] {
  const texts: Texts = { before: [], after: [], whole: [] }
  for (const [key, value] of Object.entries(input)) {
    const kind = value === null ? undefined : kinds.get(key)
    if (kind !== undefined) texts[kind].push(typeof value === 'string' ? countLines(value) : null)
  }
  const { before, after, whole } = texts
  if (before.length + after.length === 0) return whole
  return [...whole, sizeOfReplacement(input, texts)]
}

function sizeOfReplacement(input: JsonObject, { before, after }: Texts): number | null {
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
    const lines = fields === null ? null : largest(sizesOfPart(fields))
    if (lines === null) return null
    sum += lines
  }
  return sum
}
