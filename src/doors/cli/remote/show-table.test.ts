/** Lists in columns, and times in words. */
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Io } from '../io.ts'
import { styledLine, styledSpan } from '../play/styled-text.ts'
import { momentText, spanText, tableText } from './show-table.ts'

const io: Io = {
  out: () => undefined,
  err: () => undefined,
  hasColour: false,
  isTerminal: false,
  columns: 80,
  cwd: '/',
  input: Readable.from([]),
}

test('columns are as wide as they must be, long texts are cut, the last one never', () => {
  const long = 'x'.repeat(60)
  const text = tableText(
    ['a', 'b'],
    [
      [styledSpan(long), styledSpan(long)],
      [styledSpan('é漢'), styledSpan('z')],
    ],
    io,
  )
  const [head, first, second] = text.split('\n')
  expect(head).toBe(`a${' '.repeat(41)}b`)
  expect(first).toBe(`${'x'.repeat(39)}…  ${long}`)
  expect(second).toBe(`é漢${' '.repeat(39)}z`)
})

test('a text that would steer the terminal or tear the table does neither', () => {
  const text = tableText(['a'], [styledLine('one\u001b[2J\ntwo')], io)
  expect(text.split('\n')).toHaveLength(3)
  expect(text).not.toContain('\u001b')
})

test('times are told in their largest unit, moments with their day unless it is today', () => {
  const times = [0, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, -120_000]
  expect(times.map(spanText)).toEqual(['0s', '59s', '1m', '59m', '1h', '1d', '2m'])
  const noon = new Date(2026, 2, 11, 12, 3, 4).getTime()
  expect(momentText(noon, noon + 1_000)).toBe('12:03:04')
  expect(momentText(noon, noon + 86_400_000)).toBe('2026-03-11 12:03:04')
})
