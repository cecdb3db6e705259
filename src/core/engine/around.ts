/**
 * What a run of a family is judged by beside itself: the runs above it, what those below it
 * have used, and the meters that all of them share.
 */
import type { Machine, Policy } from '../machine/machine.ts'
import type { Meters } from '../policy/meters.ts'
import type { Around, RunState, RunUsage } from './types.ts'

type Relative = {
  readonly runId: string
  readonly parentId: string | null
  readonly machine: Machine
  readonly state: RunState
}
type Relatives = { readonly members: readonly Relative[]; readonly meters: Meters }

const nothingUsed: RunUsage = { callsCount: 0, costMicroUsd: 0 }

type Now = { readonly policies: readonly Policy[]; readonly at: number }

/** The surroundings of one member of a family. */
export function aroundMember(family: Relatives, member: Relative, { policies, at }: Now): Around {
  const { meters, members } = family
  const reserved = reservedOn(members, at)
  if (members.length === 1) return { policies, above: [], below: nothingUsed, meters, ...reserved }
  const usage = usageOf(members, at)
  const own = usage.get(member.runId) ?? nothingUsed
  const above = ancestorsOf(members, member).map(({ runId, machine }) => {
    return { machine, ...(usage.get(runId) ?? nothingUsed) }
  })
  const below = {
    callsCount: own.callsCount - member.state.callsCount,
    costMicroUsd: own.costMicroUsd - member.state.costMicroUsd,
    reservedMicroUsd: (own.reservedMicroUsd ?? 0) - reservedIn(member.state, at),
  }
  return { policies, above, below, meters, ...reserved }
}

/** Money that the open calls of a run hold now. */
export function reservedIn({ openCalls }: RunState, at: number): number {
  let microUsd = 0
  for (const { reserve } of openCalls) {
    if (reserve !== undefined && at < reserve.until) microUsd += reserve.microUsd
  }
  return microUsd
}

function reservedOn(members: readonly Relative[], at: number): Pick<Around, 'reserved'> {
  const reserved: Record<string, number> = {}
  let isAny = false
  for (const { reserve, meters = [] } of members.flatMap(({ state }) => state.openCalls)) {
    if (reserve === undefined || at >= reserve.until) continue
    isAny = true
    for (const meter of meters) reserved[meter] = (reserved[meter] ?? 0) + reserve.microUsd
  }
  return isAny ? { reserved } : {}
}

/** Of each run with all below it. INVARIANT: a child comes after its parent. */
function usageOf(members: readonly Relative[], at: number): ReadonlyMap<string, RunUsage> {
  const usage = new Map<string, RunUsage>()
  for (const { runId, state } of members) {
    const { callsCount, costMicroUsd } = state
    usage.set(runId, { callsCount, costMicroUsd, reservedMicroUsd: reservedIn(state, at) })
  }
  for (const { runId, parentId } of members.toReversed()) {
    const used = usage.get(runId)
    const parent = parentId === null ? undefined : usage.get(parentId)
    if (parentId === null || used === undefined || parent === undefined) continue
    usage.set(parentId, {
      callsCount: parent.callsCount + used.callsCount,
      costMicroUsd: parent.costMicroUsd + used.costMicroUsd,
      reservedMicroUsd: (parent.reservedMicroUsd ?? 0) + (used.reservedMicroUsd ?? 0),
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
