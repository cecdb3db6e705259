/**
 * How many people have to agree, and who may be among them.
 * Knows names. Must not know what they agree to.
 */

export type Quorum = {
  readonly needed: number
  /** Names of those who count; absent: every person does. */
  readonly from?: readonly string[]
}

/** What an author writes means this. */
export function quorumOf(written: { needed: number; from?: string[] | undefined }): Quorum {
  const { needed, from } = written
  return from === undefined ? { needed } : { needed, from: [...new Set(from)] }
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
