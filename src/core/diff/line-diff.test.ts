/** A diff gives both texts back, and is as short as it can be. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, diffHunks, diffLines } from './line-diff.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 24 })
const textOf = (list: readonly string[]) => list.map((one) => `${one}\n`).join('')
const side = (diff: readonly DiffLine[], other: 'add' | 'del') =>
  textOf(diff.filter(({ kind }) => kind !== other).map(({ text }) => text))

test('the lines that stay and go are the old text, those that stay and come the new one', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const diff = diffLines(textOf(a), textOf(b))
      expect(side(diff, 'add')).toBe(textOf(a))
      expect(side(diff, 'del')).toBe(textOf(b))
    }),
  )
})

/** The longest common subsequence, by the book. */
function commonCount(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number) => table[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const row = table[i] as number[]
      row[j] = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1))
    }
  }
  return at(a.length, b.length)
}

test('no shorter diff exists', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const same = diffLines(textOf(a), textOf(b)).filter(({ kind }) => kind === 'same')
      expect(same).toHaveLength(commonCount(a, b))
    }),
  )
})

test('hunks hold every change, at the right line, with at most three lines around', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const diff = diffLines(textOf(a), textOf(b))
      const hunks = diffHunks(diff)
      const changed = (list: readonly DiffLine[]) => list.filter(({ kind }) => kind !== 'same')
      expect(hunks.flatMap((hunk) => changed(hunk.lines))).toEqual(changed(diff))
      for (const { oldStart, newStart, lines: own } of hunks) {
        const old = own.filter(({ kind }) => kind !== 'add').map(({ text }) => text)
        const fresh = own.filter(({ kind }) => kind !== 'del').map(({ text }) => text)
        expect(a.slice(oldStart - 1, oldStart - 1 + old.length)).toEqual(old)
        expect(b.slice(newStart - 1, newStart - 1 + fresh.length)).toEqual(fresh)
        const isSame = own.map(({ kind }) => kind === 'same')
        expect(isSame.indexOf(false)).toBeLessThanOrEqual(3)
        expect(isSame.toReversed().indexOf(false)).toBeLessThanOrEqual(3)
      }
    }),
  )
})

test('two long texts with nothing in common are all of the one, then all of the other', () => {
  const [a, b] = ['a', 'b'].map((name) => Array.from({ length: 3_000 }, (_, i) => `${name}${i}`))
  const diff = diffLines(textOf(a ?? []), textOf(b ?? []))
  expect(diff[0]).toEqual({ kind: 'del', text: 'a0' })
  expect(diff).toHaveLength(6_000)
})
