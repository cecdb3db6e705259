/** Identifies the caller by the token it presents, never by what the request claims. */
import type { Actor } from '../../core/engine/types.ts'
import type { AgentSession } from './agent-sessions.ts'
import type { Need } from './operations-table.ts'
import type { Access } from './sign-in-access.ts'

export type Caller = {
  readonly role: 'agent' | 'person'
  readonly name: string
  /** What somebody who has signed in may do; absent: all that their role may. */
  readonly access?: Access
  /** Of an agent with a credential of its own; absent: it may change every run. */
  readonly session?: AgentSession
  /** It has shown `agent.token`, which reads, and asks for a credential. */
  readonly isBare?: true
  /** It has shown `gateway.token`, so its credential will be that of a gateway. */
  readonly isGateway?: true
}

/** Whose token this is; null: nobody's. Compares in constant time. */
export type TokenCheck = (presented: string) => Caller | null

/** The actor that a caller's commands are recorded under. */
export function actorOf(caller: Caller): Actor {
  return { kind: caller.role, name: caller.name }
}

/** Whether a caller is enough; null: nobody said who asks. */
export function suffices(caller: Caller | null, need: Need): boolean {
  if (need === 'none') return true
  if (caller === null) return false
  return need === 'agent' || caller.role === 'person'
}
