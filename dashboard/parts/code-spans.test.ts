/** The colours of a diff: every character stays, and each side is read as a program of its own. */
import { expect, test } from 'vitest'
import { colourCode } from './code-languages.ts'
import { colourDiff } from './code-spans.ts'

const lines = [
  { kind: 'same', text: 'export function add(a, b) {' },
  { kind: 'del', text: '  return a - b // `no' },
  { kind: 'add', text: '  return `a` /* two' },
  { kind: 'add', text: '  lines */ + "b"' },
  { kind: 'same', text: '}' },
  { kind: 'same', text: '' },
] as const

test('every character is there once, in its place', () => {
  for (const extension of ['ts', 'py', 'md', 'sh', 'json', 'rs', 'none']) {
    const pieces = colourDiff(lines, extension, colourCode)
    expect(pieces.map((one) => one.map(({ text }) => text).join(''))).toEqual(
      lines.map(({ text }) => text),
    )
    for (const [index, line] of pieces.entries()) {
      for (const { begin, text } of line) {
        expect(lines[index]?.text.slice(begin, begin + text.length)).toBe(text)
      }
    }
  }
})

test('keywords, strings and comments have their colours, also over two lines', () => {
  const named = colourDiff(lines, 'ts', colourCode).map((line) =>
    line.flatMap(({ text, name }) => (name === null ? [] : [`${name} ${text}`])),
  )
  expect(named[0]).toContain('tok-keyword function')
  expect(named[1]).toContain('tok-comment // `no')
  expect(named[2]).toContain('tok-comment /* two')
  expect(named[3]).toContain('tok-comment   lines */')
  expect(named[3]).toContain('tok-string "b"')
})

test('a language that is not known has no colours, and neither has a text that is too long', () => {
  expect(colourCode('a = 1', 'xyz')).toEqual([])
  expect(colourCode('x '.repeat(200_000), 'ts')).toEqual([])
})

test('a text that is hard to read is given up, and so are all after many of them', () => {
  expect(colourCode('const a = 1', 'ts')).not.toEqual([])
  for (let i = 0; i < 30; i += 1) expect(colourCode('([{'.repeat(30_000), 'ts')).toEqual([])
  expect(colourCode('const a = 1', 'ts')).toEqual([])
})
