import { expect, test } from 'vitest'
import { addItem, addMember, removeValue } from './edit-json.ts'

const put = { a: [1] }

test.each([
  ['an empty object', '{}\n', '{\n  "k": {\n    "a": [\n      1\n    ]\n  }\n}\n'],
  ['one line', '{"x":1}', '{"x":1,"k":{"a":[1]}}'],
  ['one line with blanks', '{ "x": 1 }', '{ "x": 1, "k":{"a":[1]} }'],
  ['tabs', '{\n\t"x": 1\n}\n', '{\n\t"x": 1,\n\t"k": {\n\t\t"a": [\n\t\t\t1\n\t\t]\n\t}\n}\n'],
  [
    'a remark behind the last value',
    '{\n  "x": 1 // why\n}',
    '{\n  "x": 1, // why\n  "k": {\n    "a": [\n      1\n    ]\n  }\n}',
  ],
  [
    'a comma behind the last value',
    '{\n  "x": 1, // why\n}',
    '{\n  "x": 1, // why\n  "k": {\n    "a": [\n      1\n    ]\n  },\n}',
  ],
  [
    'a remark alone',
    '{\n  // nothing yet\n}',
    '{\n  // nothing yet\n  "k": {\n    "a": [\n      1\n    ]\n  }\n}',
  ],
  [
    'lines that end as on Windows',
    '{\r\n  "x": 1\r\n}\r\n',
    '{\r\n  "x": 1,\r\n  "k": {\r\n    "a": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n',
  ],
])('a member is put behind the others and taken out again: %s', (_, before, after) => {
  expect(addMember(before, ['k'], put)).toBe(after)
  expect(removeValue(after, ['k'])).toBe(before)
})

test('a place for it may be there and empty', () => {
  expect(addMember('{"h":{}}', ['h', 'k'], 1)).toBe('{"h":{"k":1}}')
  expect(addItem('{"h":[ ]}', ['h'], 1)).toBe('{"h":[1]}')
  expect(addItem('{"h":[1,]}', ['h'], 2)).toBe('{"h":[1,2,]}')
})

test('objects on the way are made, and go away with what was put into them', () => {
  const before = '{\n  "x": 1\n}\n'
  const after = addItem(before, ['hooks', 'Stop'], 'a') as string
  expect(JSON.parse(after)).toEqual({ x: 1, hooks: { Stop: ['a'] } })
  expect(removeValue(after, ['hooks', 'Stop', 0])).toBe(before)
})

test('an item is put behind the others of its list', () => {
  const before = '{\n  "l": [\n    1 // one\n  ]\n}\n'
  const after = addItem(before, ['l'], 2) as string
  expect(after).toBe('{\n  "l": [\n    1, // one\n    2\n  ]\n}\n')
  expect(removeValue(after, ['l', 1])).toBe(before)
})

test.each([
  ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
  ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
  ['[1, 2, 3]', [1], '[1, 3]'],
  ['{\n  "a": 1, // one\n  "b": 2 // two\n}', ['b'], '{\n  "a": 1 // one // two\n}'],
  ['{"a":{"b":[1,2]}}', ['a', 'b', 0], '{"a":{"b":[2]}}'],
])('of %s, %j is taken out', (text, path, left) => {
  expect(removeValue(text, path)).toBe(left)
})

test('what can not be put there is not', () => {
  expect(addMember('{"k":1}', ['k'], 2)).toBeNull()
  expect(addMember('{"k":1}', ['k', 'l'], 2)).toBeNull()
  expect(addItem('{"k":{}}', ['k'], 2)).toBeNull()
  expect(addMember('{"k":', ['l'], 2)).toBeNull()
  expect(removeValue('{"k":1}', ['l'])).toBeNull()
})
