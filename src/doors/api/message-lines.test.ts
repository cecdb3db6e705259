import { expect, test } from 'vitest'
import { openMessageLines } from './message-lines.ts'

function cut(lineBytesMax: number, ...pieces: readonly string[]): readonly string[] {
  const taken: string[] = []
  const push = openMessageLines(lineBytesMax, (line) => void taken.push(String(line)))
  for (const piece of pieces) push(Buffer.from(piece))
  return taken
}

test('lines come whole, however the bytes are cut', () => {
  expect(cut(9, 'a\nb', 'c\n\nd', 'e', '\nf')).toEqual(['a', 'bc', '', 'de'])
})

test('a line that is too long is said once, before its end, and the next one is read', () => {
  expect(cut(3, 'abcd')).toEqual(['too long'])
  expect(cut(3, 'ab', 'cd', 'ef', 'gh\nij\n')).toEqual(['too long', 'ij'])
  expect(cut(3, 'abcd\nabc\nabcde\nx\n')).toEqual(['too long', 'abc', 'too long', 'x'])
})
