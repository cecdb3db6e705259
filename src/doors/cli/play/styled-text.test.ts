import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { cellsOf } from '../../../core/draw/label-text.ts'
import { linesOf } from './stream-lines.ts'
import { hang, printLines, styledLine, styledSpan, wrap } from './styled-text.ts'

test('words are put into lines that fit; line ends and indents of the author stay', () => {
  expect(wrap('one two three\n\n  - four five', 9)).toEqual([
    'one two',
    'three',
    '',
    '  - four',
    '  five',
  ])
})

test('a word that is wider than a line is broken, wide signs count twice', () => {
  const lines = wrap(`${'x'.repeat(25)} ${'漢'.repeat(12)}`, 10)
  expect(lines.join('').replaceAll(' ', '')).toBe('x'.repeat(25) + '漢'.repeat(12))
  for (const one of lines) expect(cellsOf(one)).toBeLessThanOrEqual(10)
})

test('a text hangs behind its head, or is indented less', () => {
  const text = (lines: ReturnType<typeof hang>) => printLines(lines, { hasColour: false })
  const head = [styledSpan('head: ')]
  expect(text(hang('aaaa bbbb cccc dddd', { head, width: 22 }))).toBe(
    'head: aaaa bbbb cccc\n      dddd\n',
  )
  expect(text(hang('aaaa bbbb cccc dddd', { head, width: 22, indent: 2 }))).toBe(
    'head: aaaa bbbb cccc\n  dddd\n',
  )
})

test('colours are there only where they are wanted, and texts can not bring their own', () => {
  const lines = [styledLine('a\u001b[31mb\u202e', 'bad')]
  expect(printLines(lines, { hasColour: false })).toBe('a�[31mb�\n')
  expect(printLines(lines, { hasColour: true })).toBe('\u001b[31ma�[31mb�\u001b[0m\n')
})

async function read(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const found: string[] = []
  for await (const one of linesOf(Readable.from(chunks), 10)) found.push(one)
  return found
}

test('lines are found across chunks and letters are not torn apart', async () => {
  const bytes = Buffer.from('é\r\n')
  expect(await read('a', 'b\nc\n', '\nd')).toEqual(['ab', 'c', '', 'd'])
  expect(await read(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(['é'])
  expect(await read()).toEqual([])
})

test('a line without end is not kept whole', async () => {
  const [only, next] = await read('x'.repeat(8), 'x'.repeat(8), 'x'.repeat(8), '\ny\n')
  expect(only?.length).toBeLessThan(30)
  expect(only?.length).toBeGreaterThan(10)
  expect(next).toBe('y')
})
