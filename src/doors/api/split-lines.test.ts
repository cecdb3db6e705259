import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLineSplitter } from './split-lines.ts'

test('lines are the same however the bytes arrive', () => {
  const text = fc.array(fc.stringMatching(/^[^\n]*$/), { minLength: 1, maxLength: 10 })
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 9 })), (lines, sizes) => {
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      const cutter = openLineSplitter()
      const seen: string[] = []
      let at = 0
      for (const size of [...sizes, bytes.length]) {
        const cut = cutter.push(bytes.subarray(at, at + size), 1_000)
        seen.push(...(cut ?? []).map((line) => line.toString()))
        at += size
        if (at >= bytes.length) break
      }
      expect(seen).toEqual(lines)
    }),
  )
})

test('a line may be as long as the limit and no longer, whole or in pieces', () => {
  const long = Buffer.from('x'.repeat(10))
  expect(openLineSplitter().push(Buffer.from(`${long}\n`), 10)).toHaveLength(1)
  expect(openLineSplitter().push(Buffer.from(`${long}\n`), 9)).toBeNull()
  const cutter = openLineSplitter()
  expect(cutter.push(long, 15)).toEqual([])
  expect(cutter.push(long, 15)).toBeNull()
})
