import { expect, test } from 'vitest'
import { stripAnsi } from './strip-ansi.ts'

const escapeSign = String.fromCharCode(27)

test('colours, titles and cursor movements of a terminal are no text', () => {
  const bell = String.fromCharCode(7)
  const said = `#[1;31mred#[0m #]0;title${bell}plain #[2Kend`.replaceAll('#', escapeSign)
  expect(stripAnsi(said)).toBe('red plain end')
})

test('a line that was written over shows what was written last', () => {
  expect(stripAnsi('10 %\r50 %\r100 %\ndone\r\nnext\n')).toBe('100 %\ndone\nnext\n')
})
