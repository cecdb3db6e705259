/** A person's approval of one call: which call it is bound to, and whether it is still valid. */
import type { Call, Grant } from '../engine/types.ts'
import { hashJson } from '../machine/hash.ts'

/** What an approval of a call is bound to: the tool and the whole input. */
export function hashCall(call: Pick<Call, 'tool' | 'input'>): string {
  return hashJson({ tool: call.tool, input: call.input })
}

/** The yes to this very call that holds now; null: there is none. */
export function findGrant(grants: readonly Grant[], call: Call, at: number): Grant | null {
  if (grants.length === 0) return null
  const hash = hashCall(call)
  const isOpen = ({ expiresAt }: Grant): boolean => expiresAt === undefined || at <= expiresAt
  return grants.find((grant) => grant.hash === hash && isOpen(grant)) ?? null
}
