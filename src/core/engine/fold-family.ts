/**
 * Folds the events of a log into a run and its child runs. Total like `evolve`; it judges nothing.
 * Must not know where the events were stored.
 */
import type { Machine } from '../machine/machine.ts'
import { foldMeters, noMeters } from '../policy/meters.ts'
import { evolve, unborn } from './evolve.ts'
import type { Family, FamilyMember, Recorded } from './family.ts'

/** Machines by their hash; a log names no others than those its runs were pinned to. */
export type Machines = (hash: string) => Machine

/** A family before its first event. */
export function unbornFamily(mainId: string): Family {
  return { mainId, members: [], meters: noMeters }
}

/** The family after more events, in the order in which they were recorded. */
export function foldFamily(
  before: Family,
  recorded: Iterable<Recorded>,
  machines: Machines,
): Family {
  const members = new Map(before.members.map((member) => [member.runId, member]))
  let { meters } = before
  for (const { runId, event } of recorded) {
    let member = members.get(runId)
    if (event.type === 'run.started') {
      const parentId = parentOf(runId, members)
      member = { runId, parentId, machine: machines(event.machine), state: unborn }
    }
    if (member === undefined) throw new Error(`\`${runId}\` has an event from before it started`)
    members.set(runId, { ...member, state: evolve(member.state, event) })
    meters = foldMeters(meters, event)
  }
  return { mainId: before.mainId, members: [...members.values()], meters }
}

/** INVARIANT: a child starts while its parent waits for it. */
function parentOf(runId: string, members: ReadonlyMap<string, FamilyMember>): string | null {
  for (const { runId: parentId, state } of members.values()) {
    if (state.child?.runId === runId) return parentId
    if (state.fork?.branches.some((branch) => branch.runId === runId)) return parentId
  }
  return null
}
