/**
 * The part of a budget that open calls reserve while their cost is unknown: their estimate, or the
 * most that a call of the same tool has cost, whichever is more; otherwise it is unknown. With
 * `hasRoom` this limits what a budget can be exceeded by to the cost of one call.
 */
import { own } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import type { Limited } from '../policy/limits.ts'
import type {
  CostEstimate,
  Costs,
  FamilyContext,
  HeldAmounts,
  OpenCall,
  Reserve,
  RunState,
} from './types.ts'

/** How long money is held for a call that nobody reports. */
const reserveMs = 15 * 60_000

export const nothingHeld: HeldAmounts = { microUsd: 0, unknown: 0 }

/** A moment, and what calls have cost until then. */
export type Then = { readonly at: number; readonly dearest: Costs }

/** What the open calls of a run hold then. */
export function heldByCall(state: RunState, then: Then): HeldAmounts {
  let held = nothingHeld
  for (const call of holdingIn(state)) held = addHeld(held, holdOf(call, then))
  return held
}

/** The open calls of a run among which some hold money. */
export function holdingIn({ openCalls, holdsCount = 0 }: RunState): readonly OpenCall[] {
  return holdsCount === 0 ? [] : openCalls
}

export function addHeld(a: HeldAmounts, b: HeldAmounts): HeldAmounts {
  if (b === nothingHeld) return a
  return { microUsd: a.microUsd + b.microUsd, unknown: a.unknown + b.unknown }
}

/** What one open call holds; a call that was never reported holds nothing after a while. */
export function holdOf({ tool, reserve }: OpenCall, { dearest, at }: Then): HeldAmounts {
  if (reserve === undefined || at >= reserve.until) return nothingHeld
  const microUsd = moreOf(reserve.microUsd, own(dearest, tool))
  return microUsd === null ? { microUsd: 0, unknown: 1 } : { microUsd, unknown: 0 }
}

type Judged = {
  readonly around: FamilyContext
  readonly estimateMicroUsd?: number
}

/** What a call wants of budgets before it is made. */
export function wishOf(
  { around, estimateMicroUsd }: Judged,
  state: RunState,
  tool: string,
): CostEstimate {
  // WHY a word is no more than that: the tool may have cost more all the same.
  const known = own(around.dearest ?? state.dearest ?? {}, tool)
  const microUsd = moreOf(estimateMicroUsd ?? null, known)
  return { microUsd, saidMicroUsd: estimateMicroUsd ?? 0 }
}

function moreOf(said: number | null, known: number | undefined): number | null {
  return said === null || known === undefined ? (said ?? known ?? null) : Math.max(said, known)
}

type Holding = {
  readonly machine: Machine
  readonly around: FamilyContext
  readonly at: number
  /** The rules of policies whose limits the call counts on. */
  readonly limited: readonly Limited[]
  readonly estimateMicroUsd?: number
}

/** What is written down with a call that is let through; null: it holds nothing. */
export function reserveFor(
  holding: Holding,
  { microUsd, saidMicroUsd }: CostEstimate,
): Reserve | null {
  const { machine, around, at, limited, estimateMicroUsd } = holding
  const until = at + reserveMs
  if (saidMicroUsd > 0) return { microUsd, until }
  if (estimateMicroUsd === 0 && microUsd === 0) return null
  const isCapped =
    [{ machine }, ...around.above].some((run) => run.machine.limits.microUsdMax !== null) ||
    limited.some(({ rule }) => rule.budget !== null)
  return isCapped ? { microUsd: null, until } : null
}
