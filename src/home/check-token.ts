/** Whom a token belongs to: the agent, the owner, or another person. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { TokenCheck } from '../doors/api/caller.ts'
import { userName } from './user-name.ts'

/**
 * The check of every door.
 * WHY hashes: they are of one length, and comparing them tells nothing of how much fitted.
 */
export function openTokenCheck(
  known: { readonly agent: string; readonly person: string },
  people: (presented: string) => string | null,
): TokenCheck {
  const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()
  const [agent, person] = [hashOf(known.agent), hashOf(known.person)]
  const name = userName()
  return (presented) => {
    const hash = hashOf(presented)
    if (timingSafeEqual(hash, person)) return { role: 'person', name }
    if (timingSafeEqual(hash, agent)) return { role: 'agent', name: 'agent' }
    const other = people(presented)
    return other === null ? null : { role: 'person', name: other }
  }
}
