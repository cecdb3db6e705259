import { expect, test } from 'vitest'
import { nearestName, quotedList } from './name-suggestions.ts'

test('a slip of a letter or two, of case or of style finds the name that was meant', () => {
  const known = ['planning', 'code_review', 'done']
  expect(nearestName('planing', known)).toBe('planning')
  expect(nearestName('Planning', known)).toBe('planning')
  expect(nearestName('codeReview', known)).toBe('code_review')
  expect(nearestName('dine', known)).toBe('done')
})

test('the nearest of several is taken', () => {
  expect(nearestName('tests', ['toast', 'test', 'texts-2'])).toBe('test')
})

test('what is far from every name is a slip of none', () => {
  expect(nearestName('ghost', ['planning', 'done', 'a'])).toBeUndefined()
  expect(nearestName('a', ['b', 'z'])).toBeUndefined()
  expect(nearestName('x', [])).toBeUndefined()
})

test('long names are compared by their beginning, in bounded time', () => {
  const long = 'x'.repeat(100_000)
  expect(nearestName(`${long}y`, [long])).toBe(long)
})

test('lists are short', () => {
  expect(quotedList([])).toBe('')
  expect(quotedList(['a'])).toBe('`a`')
  expect(quotedList(['a', 'b', 'c'])).toBe('`a`, `b` and `c`')
  expect(quotedList(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('`a`, `b`, `c`, `d` and 2 more')
})
