/** Values of options: what is JSON, what is text, and what is refused. */
import { expect, test } from 'vitest'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { readCount, readObject, readPairs, readSeconds } from './read-values.ts'

test('a value is JSON where it can be read so, else the text as it stands', () => {
  const pairs = readPairs('--var', [
    'a=1',
    'b=two words',
    'c={"d": [null]}',
    'e=null',
    'f=',
    'g=x=y',
  ])
  expect(pairs).toEqual({ a: 1, b: 'two words', c: { d: [null] }, e: null, f: '', g: 'x=y' })
  expect(readPairs('--var', ['a=1', 'a=2'])).toEqual({ a: 2 })
})

test('a name that every object inherits is a name like any other', () => {
  const pairs = readPairs('--var', ['__proto__={"a":1}', 'constructor=2'])
  expect(Object.entries(pairs)).toEqual([
    ['__proto__', { a: 1 }],
    ['constructor', 2],
  ])
})

test('what is no pair, object, number or time is refused', () => {
  for (const act of [
    () => readPairs('--var', ['a']),
    () => readPairs('--var', ['=1']),
    () => readObject('--data', '[1]'),
    () => readObject('--data', '{"a":'),
    () => readSeconds('wait', 'soon'),
    () => readSeconds('wait', '-1'),
    () => readCount('runs', { name: 'limit', value: '1.5', max: 9 }),
    () => readCount('runs', { name: 'limit', value: '10', max: 9 }),
  ]) {
    expect(act).toThrow(PawlError)
  }
  expect(readObject('--data', 'a=1')).toEqual({ a: 1 })
  expect(readSeconds('wait', '0.5')).toBe(500)
})
