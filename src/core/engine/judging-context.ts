/**
 * What a run is judged by besides its own state: the runs above it, what those below it have used,
 * and the meters that all of them share.
 */
import { own } from '../json.ts'
import type { Machine, Policy } from '../machine/machine.ts'
import type { Meters } from '../policy/meters.ts'
import {
  addHeld,
  heldByCall,
  holdingIn,
  holdOf,
  nothingHeld,
  type Then,
} from './budget-reservations.ts'
import type { SessionPast } from './session-past.ts'
import type { Costs, FamilyContext, HeldAmounts, RunState, RunUsage } from './types.ts'

type Relative = {
  readonly runId: string
  readonly parentId: string | null
  readonly machine: Machine
  readonly state: RunState
}
type Relatives = { readonly members: readonly Relative[]; readonly meters: Meters }

const nothingUsed: RunUsage = { callsCount: 0, costMicroUsd: 0 }

type Now = {
  readonly policies: readonly Policy[]
  readonly at: number
  readonly session?: SessionPast | undefined
}

/** The surroundings of one member of a family. */
export function judgingContextOf(
  family: Relatives,
  member: Relative,
  { policies, at, session }: Now,
): FamilyContext {
  const { meters, members } = family
  const now = { dearest: dearestOf(members, member), at }
  const more = { ...heldOn(members, now), ...(session === undefined ? {} : { session }) }
  const states = members.map(({ state }) => state)
  if (members.length === 1) {
    return { policies, above: [], below: nothingUsed, meters, states, ...more }
  }
  const usage = usageOf(members, now)
  const own = usage.get(member.runId) ?? nothingUsed
  const above = ancestorsOf(members, member).map(({ runId, machine }) => {
    return { machine, ...(usage.get(runId) ?? nothingUsed) }
  })
  const below = {
    callsCount: own.callsCount - member.state.callsCount,
    costMicroUsd: own.costMicroUsd - member.state.costMicroUsd,
    held: without(own.held, heldByCall(member.state, now)),
  }
  return { policies, above, below, meters, states, dearest: now.dearest, ...more }
}

function without({ microUsd, unknown }: HeldAmounts = nothingHeld, part: HeldAmounts): HeldAmounts {
  return { microUsd: microUsd - part.microUsd, unknown: unknown - part.unknown }
}

/** What calls have cost in any run of the family. */
function dearestOf(members: readonly Relative[], { state }: Relative): Costs {
  if (members.length === 1) return state.dearest ?? {}
  const dearest: Record<string, number> = {}
  for (const { state: one } of members) {
    for (const [tool, microUsd] of Object.entries(one.dearest ?? {})) {
      dearest[tool] = Math.max(own(dearest, tool) ?? 0, microUsd)
    }
  }
  return dearest
}

function heldOn(members: readonly Relative[], now: Then): Pick<FamilyContext, 'held'> {
  const held: Record<string, HeldAmounts> = {}
  let isAny = false
  for (const { state } of members) {
    for (const call of holdingIn(state)) {
      const hold = holdOf(call, now)
      if (hold === nothingHeld) continue
      isAny = true
      for (const meter of call.meters ?? []) {
        held[meter] = addHeld(own(held, meter) ?? nothingHeld, hold)
      }
    }
  }
  return isAny ? { held } : {}
}

/** Of each run with all below it. INVARIANT: a child comes after its parent. */
function usageOf(members: readonly Relative[], now: Then): ReadonlyMap<string, RunUsage> {
  const usage = new Map<string, RunUsage>()
  for (const { runId, state } of members) {
    const { callsCount, costMicroUsd } = state
    usage.set(runId, { callsCount, costMicroUsd, held: heldByCall(state, now) })
  }
  for (const { runId, parentId } of members.toReversed()) {
    const used = usage.get(runId)
    const parent = parentId === null ? undefined : usage.get(parentId)
    if (parentId === null || used === undefined || parent === undefined) continue
    usage.set(parentId, {
      callsCount: parent.callsCount + used.callsCount,
      costMicroUsd: parent.costMicroUsd + used.costMicroUsd,
      held: addHeld(parent.held ?? nothingHeld, used.held ?? nothingHeld),
    })
  }
  return usage
}

/** The nearest first. A child comes after its parent, so one look back over the list is enough. */
function ancestorsOf(members: readonly Relative[], member: Relative): readonly Relative[] {
  const ancestors: Relative[] = []
  let wanted = member.parentId
  for (const one of members.toReversed()) {
    if (one.runId !== wanted) continue
    ancestors.push(one)
    wanted = one.parentId
  }
  return ancestors
}
