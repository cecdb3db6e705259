/** A seeded random source: the same seed gives the same commands everywhere. */

export type Random = {
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <T>(choices: readonly T[]) => T
  /** True in `percent` of 100 throws. */
  readonly chance: (percent: number) => boolean
}

/** Mulberry32: small, fast, and good enough to wander through a grammar. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (choices) => {
      const chosen = choices[below(choices.length)]
      if (chosen === undefined) throw new Error('nothing to pick from')
      return chosen
    },
    chance: (percent) => next() * 100 < percent,
  }
}
