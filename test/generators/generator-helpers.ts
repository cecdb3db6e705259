/**
 * Small helpers that every generator shares. Plans hold plain numbers; a number becomes a name
 * only when the names are known, so that fast-check can shrink each part by itself.
 */
import fc from 'fast-check'

/** The member a number stands for. */
export function pick<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length]
  if (found === undefined) throw new Error('bug: picked from an empty list')
  return found
}

/** A number that stands for a member of a list not known yet. */
export const some = fc.nat(1_000)

/** True about once in `oneIn`. */
export function rarely(oneIn: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 1, max: oneIn }).map((number) => number === oneIn)
}

/** A value `of` times as often as nothing. */
export function maybe<T>(arb: fc.Arbitrary<T>, of = 1): fc.Arbitrary<T | undefined> {
  return fc.option(arb, { nil: undefined, freq: of + 1 })
}

/** A value about once in four times. */
export function seldom<T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const nothing: fc.Arbitrary<T | undefined> = fc.constant(undefined)
  return fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: arb })
}

/** The object without the members that are undefined: what an author would write. */
export function written<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries) as T
}
