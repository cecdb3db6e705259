/** Whom a token belongs to: an agent, a gateway, the owner, or another person. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { AgentSessions } from '../doors/api/agent-sessions.ts'
import type { TokenCheck } from '../doors/api/caller.ts'
import { userName } from './user-name.ts'

type AgentChecks = {
  readonly agents: Pick<AgentSessions, 'find'>
  /** Whether `agent.token` may change every run, as it could before agents had credentials. */
  readonly sharedAgentToken: boolean
}

/**
 * The check of every door.
 * WHY hashes: they are of one length, and comparing them tells nothing of how much fitted.
 */
export function openTokenCheck(
  known: Readonly<Record<'agent' | 'gateway' | 'person', string>>,
  people: (presented: string) => string | null,
  { agents, sharedAgentToken }: AgentChecks,
): TokenCheck {
  const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()
  const [agent, person] = [hashOf(known.agent), hashOf(known.person)]
  const gateway = hashOf(known.gateway)
  const name = userName()
  return (presented) => {
    const hash = hashOf(presented)
    if (timingSafeEqual(hash, person)) return { role: 'person', name }
    if (timingSafeEqual(hash, agent)) {
      const caller = { role: 'agent', name: 'agent' } as const
      return sharedAgentToken ? caller : { ...caller, isBare: true }
    }
    if (timingSafeEqual(hash, gateway)) {
      return { role: 'agent', name: 'agent', isBare: true, isGateway: true }
    }
    const session = agents.find(presented)
    if (session !== null) return { role: 'agent', name: 'agent', session }
    const other = people(presented)
    return other === null ? null : { role: 'person', name: other }
  }
}
