/**
 * What a session of a host has done in other runs, and whether a call is judged by it: only then
 * is it read. Knows machines and policies. Must not know where sessions are kept.
 */
import { policiesOver } from '../evidence/named-requirements.ts'
import type { RecordedEvidence } from '../evidence/recorded-evidence.ts'
import type { Policy, PolicyRule } from '../machine/machine.ts'
import type { Meters } from '../policy/meters.ts'
import type { Family } from './family.ts'
import type { Command, RunState } from './types.ts'

/** Of other runs than the one that judges, and its family. */
export type SessionPast = {
  /** `claude:abc`. */
  readonly name: string
  /** Why not all of it is known, without a full stop; null: it is. */
  readonly problem: string | null
  /** Of each of those families. */
  readonly meters: readonly Meters[]
  /** Of each of those runs. */
  readonly states: readonly RunState[]
  /** What was seen in those of the same workspace. */
  readonly evidence: readonly RecordedEvidence[]
}

/** A session that has had no other run. */
export const newSession: SessionPast = {
  name: 'new',
  problem: null,
  meters: [],
  states: [],
  evidence: [],
}

// WHY: asked at every call, and the answer of one policy never changes.
const known = new WeakMap<Policy, boolean>()

/** Whether a rule over the run counts what a session has done. */
export function asksForSession(
  { members }: Family,
  command: Command,
  policies: readonly Policy[],
): boolean {
  if (command.type !== 'CheckCall') return false
  const machines = members.map(({ machine }) => machine)
  return policiesOver({ machines, policies }).some((policy) => {
    const found = known.get(policy) ?? [...policy.ask, ...policy.allow].some(isOverSession)
    known.set(policy, found)
    return found
  })
}

function isOverSession({ after = [], count, sum }: PolicyRule): boolean {
  return [...after, count, sum].some((one) => one?.scope === 'session')
}
