import { expect, test } from 'vitest'
import { finding } from '../finding.ts'
import type { Json } from '../json.ts'
import { readSource } from './read-source.ts'
import {
  excerpt,
  lineIndex,
  member,
  nodeAt,
  plainValue,
  positionAt,
  positionOf,
  sourceOf,
} from './source.ts'

test('a value becomes a tree and the same value again', () => {
  const value: Json = { a: [1, 'x', null, { 'b/c': true }], z: {}, e: [] }
  const tree = sourceOf(value)
  expect(plainValue(tree)).toEqual(value)
  expect(Object.keys(plainValue(tree) as object)).toEqual(['a', 'z', 'e'])
  expect(nodeAt(tree, '/a/3/b~1c')).toMatchObject({
    kind: 'scalar',
    value: true,
    start: -1,
    end: -1,
  })
})

test('a value deeper than the stack becomes a tree without a fault', () => {
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as Json
  let depth = 0
  for (let node = sourceOf(deep); node.kind === 'list' && node.items[0]; node = node.items[0])
    depth += 1
  expect(depth).toBe(19_999)
  let plain = plainValue(sourceOf(deep))
  for (depth = 0; Array.isArray(plain) && plain.length > 0; plain = plain[0] as Json) depth += 1
  expect(depth).toBe(19_999)
})

test('a pointer finds its node, and nothing else', () => {
  const tree = sourceOf({ a: [{ '': 1, '~': 2 }], '0': 'zero' })
  expect(nodeAt(tree, '')).toBe(tree)
  expect(nodeAt(tree, '/a/0/')).toMatchObject({ value: 1 })
  expect(nodeAt(tree, '/a/0/~0')).toMatchObject({ value: 2 })
  expect(nodeAt(tree, '/0')).toMatchObject({ value: 'zero' })
  expect(nodeAt(tree, '/a/1')).toBeNull()
  expect(nodeAt(tree, '/a/x')).toBeNull()
  expect(nodeAt(tree, '/toString')).toBeNull()
  expect(member(tree, 'constructor')).toBeUndefined()
})

test('members are found in large objects too', () => {
  const many = sourceOf(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])))
  expect(member(many, 'k77')).toMatchObject({ value: 77 })
  expect(member(many, 'toString')).toBeUndefined()
})

test('a finding is placed on its value, on its key, or on what is nearest to it', () => {
  const text = '{"a": {"bee": 1}}'
  const { root } = readSource(text)
  const shown = (pointer: string, atKey: boolean) => {
    const place = atKey ? ({ pointer, atKey: true } as const) : pointer
    const range = positionOf(root, finding('SCHEMA_INVALID', place, { message: 'm' }))!
    return text.slice(range.start, range.end)
  }
  expect(shown('/a/bee', false)).toBe('1')
  expect(shown('/a/bee', true)).toBe('"bee"')
  expect(shown('/a/gone/deeper', true)).toBe('{"bee": 1}')
  expect(shown('', true)).toBe(text)
  const bare = finding('SCHEMA_INVALID', '/a', { message: 'm' })
  expect(positionOf(sourceOf({ a: 1 }), bare)).toBeNull()
  expect(positionOf(null, bare)).toBeNull()
  expect(positionOf(null, { ...bare, offset: 3 })).toEqual({ start: 3, end: 4 })
})

test('lines end with LF, CRLF or CR, and columns count from one', () => {
  const text = 'ab\ncd\r\ne\rf'
  const at = (offset: number) => positionAt(text, offset)
  expect(at(0)).toEqual({ line: 1, column: 1 })
  expect(at(2)).toEqual({ line: 1, column: 3 })
  expect(at(3)).toEqual({ line: 2, column: 1 })
  expect(at(7)).toEqual({ line: 3, column: 1 })
  expect(at(9)).toEqual({ line: 4, column: 1 })
  expect(at(99)).toEqual({ line: 4, column: 2 })
  expect(at(-5)).toEqual({ line: 1, column: 1 })
  expect(positionAt(lineIndex(text), 4)).toEqual({ line: 2, column: 2 })
})

test('an excerpt marks what is meant below its line', () => {
  const text = '{\n\t"initail": "a"\n}\n'
  const start = text.indexOf('"initail"')
  expect(excerpt(text, { start, end: start + 9 })).toBe('2 | \t"initail": "a"\n  | \t^^^^^^^^^')
})

test('an excerpt of a long place shows a few lines, and of a long line a part', () => {
  const lines = excerpt('a\nb\nc\nd\ne', { start: 0, end: 9 })
  expect(lines).toBe('1 | a\n  | ^\n2 | b\n  | ^\n3 | c\n  | ^\n  | …')
  const long = `${'x'.repeat(5000)}HERE${'y'.repeat(5000)}`
  const [line, marks] = excerpt(long, { start: 5000, end: 5004 }).split('\n') as [string, string]
  expect(line.length).toBeLessThan(120)
  expect(line.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('HERE')
})

test('an excerpt lets no control character through to a terminal', () => {
  const shown = excerpt('a \u001b[31m b', { start: 0, end: 1 })
  expect(shown).not.toContain('\u001b')
})
