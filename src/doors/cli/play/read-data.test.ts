import { expect, test } from 'vitest'
import { readData } from './read-data.ts'

function dataOf(text: string, ...textKeys: string[]): unknown {
  const read = readData(text, new Set(textKeys))
  return read.ok ? { ...read.data } : read.trouble.message
}

test('values are JSON where they can be read so, else text', () => {
  expect(dataOf('a=1 b=true c=null d=pass e=1.2.3 f=')).toEqual({
    a: 1,
    b: true,
    c: null,
    d: 'pass',
    e: '1.2.3',
    f: '',
  })
})

test('quotes hold spaces together, in both kinds', () => {
  expect(dataOf(String.raw`a="x \"y\" = z" b='it is "so"' c="92"`)).toEqual({
    a: 'x "y" = z',
    b: 'it is "so"',
    c: '92',
  })
})

test('lists and objects may stand behind a key, with brackets in their texts', () => {
  expect(dataOf('a={"b": [1, "]}"]} c=[ 2 ]')).toEqual({ a: { b: [1, ']}'] }, c: [2] })
})

test('a whole object is read as JSON', () => {
  expect(dataOf(' {"a": {"b": 1}} ')).toEqual({ a: { b: 1 } })
})

test('keys that take text keep what looks like a number', () => {
  expect(dataOf('phone=0123 count=3', 'phone')).toEqual({ phone: '0123', count: 3 })
  expect(dataOf('phone=123 name="7"', 'phone', 'name')).toEqual({ phone: '123', name: '7' })
})

test('a value may have `=` in it', () => {
  expect(dataOf('url=http://x/?a=b')).toEqual({ url: 'http://x/?a=b' })
})

test.each([
  ['a=Ann Smith', '`Smith` is not key=value'],
  ['pass', '`pass` is not key=value'],
  ['a="open', 'the value of `a` has no closing quote'],
  ["a='open", 'the value of `a` has no closing quote'],
  ['a="\\x"', 'the value of `a` has an invalid escape sequence'],
  ['a=[1, 2', 'the value of `a` has no closing bracket'],
  ['a={b}', 'the value of `a` is not valid JSON'],
  ['a=1 a=2', '`a` is given twice'],
  ['{"a": 1', 'this looks like JSON but is not a valid object'],
  ['{"a": 1} b=2', 'this looks like JSON but is not a valid object'],
])('%s is explained', (text, message) => {
  expect(dataOf(text)).toBe(message)
})

test('names that every object inherits are plain keys', () => {
  const read = readData('__proto__=1 constructor=2')
  expect(read.ok && Object.keys(read.data)).toEqual(['__proto__', 'constructor'])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})
