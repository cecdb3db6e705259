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

/** Also many that want the same place. */
const keys = fc.array(
  fc
    .oneof(
      fc.integer(),
      fc.integer({ min: -300, max: 300 }).map((n) => n * 1_024),
    )
    .map((key) => key || 1),
  { minLength: 1, maxLength: 300, size: 'max' },
)

test('a list has the keys that were added, however many, each once, until they are moved', () => {
  fc.assert(
    fc.property(keys, keys, (added, others) => {
      const list = openKeyList()
      for (const key of [...added, ...added]) list.add(key)
      const known = new Set(added)
      expect(list.size()).toBe(known.size)
      for (const key of [...added, ...others]) expect(list.mayHave(key)).toBe(known.has(key))
      const filter = openKeyFilter()
      list.moveTo(filter)
      expect([list.size(), added.some(list.mayHave)]).toEqual([0, false])
      expect(added.every(filter.mayHave)).toBe(true)
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
