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

/** The surroundings of one member of a family. */
export function aroundMember(
  family: Relatives,
  member: Relative,
  policies: readonly Policy[],
): Around {
  const { meters, members } = family
  if (members.length === 1) return { policies, above: [], below: nothingUsed, meters }
  const usage = usageOf(members)
  const own = usage.get(member.runId) ?? member.state
  const above = ancestorsOf(members, member).map(({ runId, machine }) => {
    return { machine, ...(usage.get(runId) ?? nothingUsed) }
  })
  const below = {
    callsCount: own.callsCount - member.state.callsCount,
    costMicroUsd: own.costMicroUsd - member.state.costMicroUsd,
  }
  return { policies, above, below, meters }
}

/** Of each run with all below it. INVARIANT: a child comes after its parent. */
function usageOf(members: readonly Relative[]): ReadonlyMap<string, RunUsage> {
  const usage = new Map<string, RunUsage>()
  for (const { runId, state } of members) {
    usage.set(runId, { callsCount: state.callsCount, costMicroUsd: state.costMicroUsd })
  }
  for (const { runId, parentId } of members.toReversed()) {
    const used = usage.get(runId)
    const parent = parentId === null ? undefined : usage.get(parentId)
    if (parentId === null || used === undefined || parent === undefined) continue
    usage.set(parentId, {
      callsCount: parent.callsCount + used.callsCount,
      costMicroUsd: parent.costMicroUsd + used.costMicroUsd,
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
