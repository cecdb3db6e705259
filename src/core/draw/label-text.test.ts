import { expect, test } from 'vitest'
import { cellsOf, listNames, oneLine, shortenText, wrapText } from './label-text.ts'

const rule = { widthMax: 10, linesMax: 2, measure: cellsOf }

test('line breaks, control characters and direction marks do not survive', () => {
  expect(oneLine(' a\nb\r\n\u2028c\u0000\t d\u202E\u200B ')).toBe('a b c d')
  expect(oneLine('\uD800 and \uFFFE')).toBe('\uFFFD and \uFFFD')
})

test('shortening counts characters, not halves of them', () => {
  expect(shortenText('abcdef', 6)).toBe('abcdef')
  expect(shortenText('abcdefg', 6)).toBe('abcde…')
  expect(shortenText('😀😀😀😀', 3)).toBe('😀😀…')
})

test('a list tells how many names it left out', () => {
  expect(listNames(['Read', 'Grep', 'Glob'], 40)).toBe('Read, Grep, Glob')
  expect(listNames(['Read', 'Grep', 'Glob', 'Edit'], 14)).toBe('Read, Grep +2')
  expect(listNames([], 10)).toBe('')
})

test('text wraps at words, breaks a word that is too wide, and marks what is cut', () => {
  expect(wrapText('one two three', rule)).toEqual(['one two', 'three'])
  expect(wrapText('abcdefghijklmno', rule)).toEqual(['abcdefghij', 'klmno'])
  expect(wrapText('one two three four five', rule)).toEqual(['one two', 'three fou…'])
  expect(wrapText('', rule)).toEqual([])
})

test('wide signs take two columns and accents none', () => {
  expect(cellsOf('日本')).toBe(4)
  expect(cellsOf('e\u0301')).toBe(1)
})
