/**
 * Which program sent a person's decision, as the system told when it came. Plain data; no rule
 * looks at it. A program of the same user can look like any other: this is a trace, not a proof.
 */
import { visible } from '../policy/format-call-input.ts'

export type DecisionPeer = {
  /** The number of its user. */
  readonly uid: number
  /** Null: the system did not tell. */
  readonly pid: number | null
  readonly executable: string | null
  /** Its first argument that names a file: what an interpreter runs. Null: there is none. */
  readonly script: string | null
}

/** Who sent it, in words. */
export function peerText({ uid, pid, executable, script }: DecisionPeer): string {
  const program = [executable, script].flatMap((path) => (path === null ? [] : [visible(path)]))
  const named = program.length === 0 ? 'an unknown program' : program.join(' ')
  return `sent by ${named} (${pid === null ? '' : `pid ${pid}, `}user ${uid})`
}
