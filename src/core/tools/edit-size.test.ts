import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { countLines, sizeOfEdit } from './edit-size.ts'

const lines = (count: number, end = '\n') =>
  Array.from({ length: count }, (_, i) => `line ${i}`).join(end)

test.each([
  ['', 0],
  ['\n', 1],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['a\r\nb\r\n', 2],
  ['a\rb', 2],
  ['a\r\rb', 3],
  ['\r\n\r\n', 2],
  ['a\n\n', 2],
] as const)('%j has %i lines', (text, count) => {
  expect(countLines(text)).toBe(count)
})

const sizes: readonly (readonly [string, JsonObject, number | null])[] = [
  ['the new text', { old_string: 'x', new_string: lines(6) }, 6],
  ['a replacement as long as before', { old_string: lines(5), new_string: lines(5) }, 5],
  ['a deletion', { old_string: lines(6), new_string: '' }, 6],
  ['a shrinking edit', { old_string: lines(9), new_string: lines(2) }, 7],
  ['the keys of opencode', { oldString: 'x', newString: lines(3) }, 3],
  ['a written file', { content: `${lines(4)}\n` }, 4],
  ['an empty file', { content: '' }, 0],
  ['CRLF once', { old_string: 'x', new_string: lines(20, '\r\n') }, 20],
  [
    'the sum of a multiple edit',
    {
      edits: [
        { old_string: 'a', new_string: lines(2) },
        { old_string: 'b', new_string: lines(3) },
      ],
    },
    5,
  ],
  ['the edits of a file server', { path: 'a', edits: [{ oldText: 'a', newText: lines(4) }] }, 4],
  [
    'several files',
    {
      files: [
        { path: 'a', content: lines(2) },
        { path: 'b', content: 'x' },
      ],
    },
    3,
  ],
  ['a cell', { notebook_path: 'n', new_source: lines(7) }, 7],
  ['an insertion', { path: 'a', insert_line: 3, new_str: lines(2) }, 2],
  ['nothing without the old text', { new_string: 'y' }, null],
  ['nothing without the new text', { old_string: 'y' }, null],
  ['nothing where the text is no text', { old_string: 'x', new_string: 7 }, null],
  ['nothing where a part is damaged', { edits: [{ old_string: 'a', new_string: 'b' }, 3] }, null],
  ['nothing where the parts are no list', { edits: 'x' }, null],
  ['nothing of inherited keys', JSON.parse('{"__proto__": {"content": "x"}}'), null],
]

test.each(sizes)('the size of an edit is %s', (_, input, size) => {
  expect(sizeOfEdit(input)).toBe(size)
})
