/**
 * Counts and sums over a rolling window, or for ever, that cost the same however many calls there
 * were. Plain data, total, and frozen with the events: it judges nothing.
 */

export type Tally = {
  /** Null: nothing is ever forgotten, and there are no ticks. */
  readonly windowMs: number | null
  /** Of all ticks that are kept. */
  readonly calls: number
  /** In millionths. */
  readonly amount: number
  /** Oldest first. */
  readonly ticks: readonly TallyTick[]
}
export type TallyTick = { readonly at: number; readonly calls: number; readonly amount: number }

export type TallyUse = { readonly calls: number; readonly amount: number }

/** Moments one tally remembers; beyond it, each pair is counted at the later of the two. */
export const tallyTicksMax = 512

const noTicks: readonly TallyTick[] = []

function emptyTally(windowMs: number | null): Tally {
  return { windowMs, calls: 0, amount: 0, ticks: noTicks }
}

type Counted = TallyUse & { readonly at: number; readonly windowMs: number | null }

/** The tally after one more call, or several of one moment. */
export function addToTally(before: Tally | undefined, added: Counted): Tally {
  const { calls, amount, windowMs } = added
  const tally = before ?? emptyTally(windowMs)
  if (windowMs === null) return changed(tally, { calls, amount })
  const last = tally.ticks.at(-1)
  // WHY the later: a clock that was set back must not forget a call earlier.
  const at = last === undefined ? added.at : Math.max(added.at, last.at)
  const expired = expiredAt(tally, at)
  const kept = tally.ticks.slice(expired.ticks)
  if (last !== undefined && last.at === at && kept.length > 0) {
    kept[kept.length - 1] = { at, calls: last.calls + calls, amount: last.amount + amount }
  } else kept.push({ at, calls, amount })
  const ticks = kept.length > tallyTicksMax ? paired(kept) : kept
  return {
    windowMs,
    calls: tally.calls - expired.calls + calls,
    amount: bounded(tally.amount - expired.amount + amount),
    ticks,
  }
}

/** Takes back what was counted at a moment; what has left the window is gone already. */
export function takeFromTally(tally: Tally | undefined, taken: TallyTick): Tally | undefined {
  if (tally === undefined) return undefined
  const { at, calls, amount } = taken
  if (tally.windowMs === null) return changed(tally, { calls: -calls, amount: -amount })
  const index = tickAt(tally, at)
  const tick = tally.ticks[index]
  if (tick === undefined) return tally
  const less = { calls: Math.min(calls, tick.calls), amount: Math.min(amount, tick.amount) }
  const ticks = tally.ticks.slice()
  ticks[index] = { ...tick, calls: tick.calls - less.calls, amount: tick.amount - less.amount }
  return { ...changed(tally, { calls: -less.calls, amount: -less.amount }), ticks }
}

/** Corrects by a number, also a negative one, what was counted at a moment before. */
export function addAmount(
  tally: Tally | undefined,
  { at, amount }: Pick<TallyTick, 'at' | 'amount'>,
): Tally | undefined {
  if (tally === undefined) return undefined
  if (tally.windowMs === null) return changed(tally, { calls: 0, amount })
  const index = tickAt(tally, at)
  const tick = tally.ticks[index]
  if (tick === undefined) return tally
  const more = Math.max(amount, -tick.amount)
  const ticks = tally.ticks.slice()
  ticks[index] = { ...tick, amount: bounded(tick.amount + more) }
  return { ...changed(tally, { calls: 0, amount: more }), ticks }
}

/** Where a call of this moment was counted; -1: it has left the window. */
function tickAt({ ticks, windowMs }: Tally, at: number): number {
  const last = ticks.at(-1)
  // WHY: its tick may be gone, and a later one is that of another call.
  if (last === undefined || at <= last.at - (windowMs ?? 0)) return -1
  return ticks.findIndex((tick) => tick.at >= at)
}

function changed(tally: Tally, { calls, amount }: TallyUse): Tally {
  return {
    ...tally,
    calls: Math.max(0, tally.calls + calls),
    amount: Math.max(0, bounded(tally.amount + amount)),
  }
}

function bounded(amount: number): number {
  return Math.min(amount, Number.MAX_SAFE_INTEGER)
}

/** Neighbours as one, at the later moment: so nothing is forgotten too early. */
function paired(ticks: readonly TallyTick[]): readonly TallyTick[] {
  const pairs: TallyTick[] = []
  for (let index = 0; index < ticks.length; index += 2) {
    const first = ticks[index] as TallyTick
    const { at, calls, amount } = ticks[index + 1] ?? { at: first.at, calls: 0, amount: 0 }
    pairs.push({ at, calls: first.calls + calls, amount: first.amount + amount })
  }
  return pairs
}

/** What has left the window at a moment; half open: the oldest edge is outside. */
function expiredAt({ ticks, windowMs }: Tally, at: number): TallyUse & { readonly ticks: number } {
  let [count, calls, amount] = [0, 0, 0]
  for (const tick of windowMs === null ? noTicks : ticks) {
    if (tick.at > at - (windowMs ?? 0)) break
    count += 1
    calls += tick.calls
    amount += tick.amount
  }
  return { ticks: count, calls, amount }
}

/** Tallies of several logs as one; undefined: there is none. */
export function mergeTallies(tallies: readonly Tally[]): Tally | undefined {
  const [first, second] = tallies
  if (first === undefined || second === undefined) return first
  return {
    windowMs: first.windowMs,
    calls: tallies.reduce((sum, { calls }) => sum + calls, 0),
    amount: bounded(tallies.reduce((sum, { amount }) => sum + amount, 0)),
    ticks: tallies.flatMap(({ ticks }) => ticks).toSorted((one, other) => one.at - other.at),
  }
}

/** What counts at a moment. */
export function usedAt(tally: Tally | undefined, at: number): TallyUse {
  if (tally === undefined) return { calls: 0, amount: 0 }
  const expired = expiredAt(tally, at)
  return { calls: tally.calls - expired.calls, amount: tally.amount - expired.amount }
}

/** When enough has left the window that no more than this counts; null: never, or not known. */
export function roomFrom(tally: Tally | undefined, most: TallyUse): number | null {
  if (tally === undefined || tally.windowMs === null) return null
  let { calls, amount } = tally
  for (const tick of tally.ticks) {
    calls -= tick.calls
    amount -= tick.amount
    if (calls <= most.calls && amount <= most.amount) return tick.at + tally.windowMs
  }
  return null
}
