/**
 * A promise of the runtime that a schedule found broken.
 */
export class Broken extends Error {}

/** Holds a claim about the world; what does not hold ends the schedule. */
export function hold(claim: boolean, otherwise: () => string): asserts claim {
  if (!claim) throw new Broken(otherwise())
}
