import { expect, test } from 'vitest'
import { openLruMap } from './lru-map.ts'

test('what is used stays, and what is longest unused makes room', () => {
  const things = openLruMap<number>(100)
  for (let n = 0; n < 10_000; n += 1) {
    things.put(`${n}`, n)
    expect(things.get('7')).toBe(n < 7 ? undefined : 7)
    expect(things.size()).toBeLessThanOrEqual(100)
  }
  for (let n = 9_960; n < 10_000; n += 1) expect(things.get(`${n}`)).toBe(n)
  expect(things.get('9000')).toBeUndefined()
})

test('what is put again is there once, as it is now, until it is dropped', () => {
  const things = openLruMap<number>(4)
  things.put('a', 1)
  things.put('b', 1)
  things.put('a', 2)
  expect([things.get('a'), things.size()]).toEqual([2, 2])
  things.drop('a')
  expect([things.get('a'), things.size()]).toEqual([undefined, 1])
})
