/**
 * How often the same call may fail, with nothing changed in between, before Pawl steps in.
 * Knows numbers. Must not know how failures are counted.
 */
export type RepeatLimits = {
  /** After as many failures the agent is told, once, what to do instead. */
  readonly tellAfter: number
  /** After as many, a person is asked about each further one. */
  readonly askAfter: number
  /** After as many, it is denied. */
  readonly holdAfter: number
  /** A failure is forgotten when as much time has passed without another one. */
  readonly windowMs: number
}

export const repeatDefaults: RepeatLimits = {
  tellAfter: 3,
  askAfter: 8,
  holdAfter: 16,
  windowMs: 15 * 60_000,
}

/** The limits of all policies that set some, the strictest of each; the rest is as by default. */
export function strictestRepeats(set: readonly Partial<RepeatLimits>[]): RepeatLimits {
  if (set.length === 0) return repeatDefaults
  const strictest = (
    field: keyof RepeatLimits,
    choose: (...values: readonly number[]) => number,
  ): number => {
    const values = set.flatMap((one) => one[field] ?? [])
    return values.length === 0 ? repeatDefaults[field] : choose(...values)
  }
  return {
    tellAfter: strictest('tellAfter', Math.min),
    askAfter: strictest('askAfter', Math.min),
    holdAfter: strictest('holdAfter', Math.min),
    windowMs: strictest('windowMs', Math.max),
  }
}
