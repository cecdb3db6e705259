/**
 * A clock that never goes back: usage that was counted stays counted if somebody changes the
 * system clock, and time never stands still.
 */

export type Clock = { readonly now: () => number }

type Sources = {
  /** The wall clock in ms. */
  readonly wall: () => number
  /** A clock that only ever goes forward, in ms from anywhere. */
  readonly steady: () => number
  /** The latest moment that is on record; time goes on from there. */
  readonly notBefore: number
}

/**
 * Follows the wall clock while that goes forward; when it is set back, goes on at the pace of the
 * steady one until the wall clock has caught up.
 */
export function openClock({ wall, steady, notBefore }: Sources): Clock {
  let last = notBefore
  let lastSteady = steady()
  return {
    now: () => {
      const steadyNow = steady()
      last = Math.max(Math.floor(wall()), last + Math.max(0, Math.floor(steadyNow - lastSteady)))
      lastSteady = steadyNow
      return last
    },
  }
}
