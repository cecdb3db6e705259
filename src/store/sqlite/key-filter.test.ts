import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openKeyFilter } from './key-filter.ts'

test('whatever was added may be there', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const filter = openKeyFilter()
      for (const text of texts) filter.add(text)
      expect(texts.every(filter.mayHave)).toBe(true)
    }),
  )
})

test('of what was not added, nearly nothing may be there', () => {
  const filter = openKeyFilter()
  const ids = (from: number) => Array.from({ length: 10_000 }, (_, n) => `toolu_r_1_${from + n}`)
  expect(ids(0).filter(filter.mayHave)).toHaveLength(0)
  for (const id of ids(0)) filter.add(id)
  expect(ids(10_000).filter(filter.mayHave).length).toBeLessThan(500)
})
