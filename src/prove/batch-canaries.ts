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
  const whole: Canary = {
    id,
    turns: [{ tools: parts.flatMap(({ tools }) => tools) }],
    hasLanded: () => singles.some((one) => one.hasLanded()),
  }
  const split = ({ tried }: Trial): readonly Tried[] => {
    const batch = tried.find((one) => one.id === id)
    let at = 0
    return parts.map(({ canary, tools }) => {
      const told = (batch?.told ?? []).slice(at, at + tools.length)
      at += tools.length
      return { id: canary.id, told, hasLanded: outcomeOf({ canary, told, batch }) }
    })
  }
  return { canaries: [whole, ...canaries.filter((one) => !isSingle(one))], split }
}

type Part = {
  readonly canary: Canary
  readonly told: Tried['told']
  readonly batch: Tried | undefined
}

/**
 * WHY null where nothing was said about it alone: some hosts drop the calls after one that was
 * denied. One that says nothing about all of them has made them, and ended its turn in between.
 */
function outcomeOf({ canary, told, batch }: Part): boolean | null {
  if (canary.hasLanded()) return true
  if (batch === undefined || batch.hasLanded === null) return null
  const isDropped = told.includes(null) && batch.told.some((text) => text !== null)
  return isDropped ? null : false
}
