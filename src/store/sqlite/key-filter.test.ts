import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyOf, openKeyFilter, openKeyList } from './key-filter.ts'

test('whatever was added may be there', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      for (const filter of [openKeyFilter(), openKeyList()]) {
        for (const text of texts) filter.add(keyOf(text))
        expect(texts.every((text) => filter.mayHave(keyOf(text)))).toBe(true)
      }
    }),
  )
})

test('a list has the keys that were added, each once, until it is cleared', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.array(fc.integer()), (keys, others) => {
      const list = openKeyList()
      for (const key of [...keys, ...keys]) list.add(key)
      // The keys 0 and 1 are the same to it.
      const known = new Set(keys.map((key) => key || 1))
      expect(list.size()).toBe(known.size)
      for (const key of others) expect(list.mayHave(key)).toBe(known.has(key || 1))
      list.clear()
      expect([list.size(), keys.some(list.mayHave)]).toEqual([0, false])
    }),
  )
})

test('of what was not added, nearly nothing may be there', () => {
  const filter = openKeyFilter()
  const ids = (from: number) => Array.from({ length: 10_000 }, (_, n) => `toolu_r_1_${from + n}`)
  const mayHave = (id: string) => filter.mayHave(keyOf(id))
  expect(ids(0).filter(mayHave)).toHaveLength(0)
  for (const id of ids(0)) filter.add(keyOf(id))
  expect(ids(10_000).filter(mayHave).length).toBeLessThan(500)
})
