/**
 * How many people have to agree, and who may be among them.
 * Knows names. Must not know what they agree to.
 */
import type { ProofLevel } from './proof-levels.ts'

export type Quorum = {
  readonly needed: number
  /** Names of those who count; absent: every person does. */
  readonly from?: readonly string[]
}

/** What an author writes under `approvals`. */
export type ApprovalsField = {
  readonly needed?: number | undefined
  readonly from?: readonly string[] | undefined
  readonly proof?: ProofLevel | undefined
}

/** Who has to agree and how it is proven, as an author's `approvals` means it. */
export function approvalRulesOf(written: ApprovalsField | undefined): {
  readonly quorum?: Quorum
  readonly proof?: ProofLevel
} {
  const { needed, from, proof } = written ?? {}
  const isQuorum = needed !== undefined || from !== undefined
  const names = from === undefined ? {} : { from: [...new Set(from)] }
  return {
    ...(isQuorum ? { quorum: { needed: needed ?? 1, ...names } } : {}),
    ...(proof === undefined ? {} : { proof }),
  }
}

/** What satisfies all of them at once; null: nothing is asked for. */
export function strictest(quorums: readonly Quorum[]): Quorum | null {
  if (quorums.length === 0) return null
  const needed = Math.max(...quorums.map((one) => one.needed))
  const lists = quorums.flatMap((one) => (one.from === undefined ? [] : [one.from]))
  const [first, ...others] = lists
  if (first === undefined) return { needed }
  return { needed, from: first.filter((name) => others.every((list) => list.includes(name))) }
}

/** Whether nobody could ever reach it. */
export function isHopeless({ needed, from }: Quorum): boolean {
  return from !== undefined && from.length < needed
}

/** `2 of ada, bob, eve`: who has to agree, in words. */
export function quorumText({ needed, from }: Quorum): string {
  const people = needed === 1 ? '1 person' : `${needed} people`
  return from === undefined ? people : `${needed} of ${from.join(', ')}`
}
