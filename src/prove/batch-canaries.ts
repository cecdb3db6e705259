/**
 * Many canaries in one answer of the model. WHY: each turn of a host takes its time, and most
 * canaries need neither a turn of their own nor anything between two calls.
 * Knows canaries. Must not know hosts.
 */
import type { Canary, Trial, Tried } from './canary.ts'

type Batch = {
  /** The batch as one canary, then those that cannot be in it. */
  readonly canaries: readonly Canary[]
  /** What came of each canary of the batch. */
  readonly split: (trial: Trial) => readonly Tried[]
}

/** Puts all canaries of a single turn into one. */
export function batchCanaries(id: string, canaries: readonly Canary[]): Batch {
  const isSingle = ({ turns, lane }: Canary): boolean => turns.length === 1 && lane === undefined
  const singles = canaries.filter(isSingle)
  const parts = singles.map((canary) => ({ canary, tools: canary.turns[0]?.tools ?? [] }))
  // INVARIANT: what has landed stays so; a later canary may put back what it needs itself.
  const landed = new Set<Canary>()
  const look = (): void => {
    for (const one of singles) if (one.hasLanded()) landed.add(one)
  }
  const whole: Canary = {
    id,
    turns: [{ tools: parts.flatMap(({ tools }) => tools) }],
    hasLanded: () => {
      look()
      return landed.size > 0
    },
  }
  const split = ({ tried }: Trial): readonly Tried[] => {
    look()
    const batch = tried.find((one) => one.id === id)
    let at = 0
    return parts.map(({ canary, tools }) => {
      const told = (batch?.told ?? []).slice(at, at + tools.length)
      at += tools.length
      return { id: canary.id, told, hasLanded: landed.has(canary) || outcomeOf(told, batch) }
    })
  }
  return { canaries: [whole, ...canaries.filter((one) => !isSingle(one))], split }
}

/**
 * WHY null where nothing was said about it alone: some hosts drop the calls after one that was
 * denied. One that says nothing about all of them has made them, and ended its turn in between.
 */
function outcomeOf(told: Tried['told'], batch: Tried | undefined): false | null {
  if (batch === undefined || batch.hasLanded === null) return null
  const isDropped = told.includes(null) && batch.told.some((text) => text !== null)
  return isDropped ? null : false
}
