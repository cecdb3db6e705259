import fc from 'fast-check'
import { expect, test } from 'vitest'
import { equalJson, type Json } from '../json.ts'
import { newCache } from './bounded-cache.ts'
import { charge, equalMetered, newMeter, resultCharsMax, settleMeter, workMax } from './meter.ts'

test('a meter gives what it has and not more', () => {
  const meter = newMeter()
  charge(meter, workMax)
  expect(() => charge(meter, 1)).toThrow(/too much work/)
})

test('a settled value is the same value without prototypes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const settled = settleMeter(value as Json)
      expect(equalJson(settled, value as Json)).toBe(true)
    }),
  )
  expect(Object.getPrototypeOf(settleMeter({ a: 1 }))).toBeNull()
})

test('what JSON cannot write is not a result', () => {
  expect(() => settleMeter(Number.NaN)).toThrow(/finite/)
  expect(() => settleMeter([Number.POSITIVE_INFINITY])).toThrow(/finite/)
  expect(Object.is(settleMeter(-0), 0)).toBe(true)
})

test('a value with shared parts counts them every time', () => {
  let value: Json = 'x'
  for (let i = 0; i < 60; i += 1) value = [value, value]
  expect(() => settleMeter(value)).toThrow(/larger than/)
  expect(() => settleMeter('x'.repeat(resultCharsMax))).toThrow(/larger than/)
})

test('a comparison of values with shared parts ends', () => {
  const made = (): Json => {
    let value: Json = 'x'
    for (let i = 0; i < 60; i += 1) value = [value, value]
    return value
  }
  expect(() => equalMetered(made(), made(), newMeter())).toThrow(/too much work/)
})

test('metered equality is equality', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const [a, b] = [left as Json, right as Json]
      expect(equalMetered(a, b, newMeter())).toBe(equalJson(a, b))
      expect(equalMetered(a, structuredClone(a), newMeter())).toBe(true)
    }),
  )
})

test('a cache makes a thing once and forgets what was used longest ago', () => {
  const made: string[] = []
  const cache = newCache(2, (key) => {
    made.push(key)
    return key.toUpperCase()
  })
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(cache.get)).toEqual(['A', 'B', 'A', 'C', 'A', 'B'])
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})
