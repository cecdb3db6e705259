/**
 * Changes of the passkeys that are not made yet: keys that a browser is about to make, and
 * additions and removals that wait for a signature. In memory, and for a short while.
 */
import { hash, randomBytes } from 'node:crypto'
import type { PasskeyEvent } from './passkey-log.ts'
import type { AddStatement, RemoveStatement } from './statements.ts'
import type { RelyingParty } from './webauthn.ts'

/** WHY longer than a challenge: a second person may have to come and confirm it. */
const proposalMs = 15 * 60_000
/** Proposals that wait; beyond it the oldest is void. */
const proposalsMax = 100
const challengeBytes = 32

type Unsigned<E extends PasskeyEvent> = E extends { readonly type: 'passkey.reset' }
  ? never
  : Omit<E, 'proof'>

export type KeyProposal = {
  readonly id: string
  readonly statement: AddStatement | RemoveStatement
  /** What is recorded once it is signed. */
  readonly event: Unsigned<PasskeyEvent>
  readonly expiresAt: number
  /** The link by which it was proposed; absent: by somebody who is signed in. */
  readonly link?: string
}

export type BegunKey = {
  readonly id: string
  readonly person: string
  readonly label: string
  readonly party: RelyingParty
  readonly challenge: string
  readonly expiresAt: number
  /** As in a proposal. */
  readonly link?: string
}

/** By which a person knows on another device that a key is theirs: `1a2b 3c4d`. */
export function keyCodeOf(credentialId: string): string {
  const hex = hash('sha256', credentialId, 'hex')
  return `${hex.slice(0, 4)} ${hex.slice(4, 8)}`
}

export type Proposals = {
  readonly begin: (wish: Pick<BegunKey, 'person' | 'label' | 'party' | 'link'>) => BegunKey
  /** What was begun, which is used up with it; null: unknown, used, another's or too old. */
  readonly take: (id: string, person: string) => BegunKey | null
  readonly put: (proposal: Omit<KeyProposal, 'expiresAt'>) => void
  readonly list: () => readonly KeyProposal[]
  readonly drop: (id: string) => void
}

export function openProposals(now: () => number, newId: () => string): Proposals {
  let begun: readonly BegunKey[] = []
  let waiting: readonly KeyProposal[] = []
  const isOpen = ({ expiresAt }: { readonly expiresAt: number }): boolean => expiresAt > now()
  return {
    begin: (wish) => {
      const challenge = randomBytes(challengeBytes).toString('base64url')
      const one = { ...wish, id: newId(), challenge, expiresAt: now() + proposalMs }
      begun = [...begun.filter(isOpen).slice(-(proposalsMax - 1)), one]
      return one
    },
    take: (id, person) => {
      const found = begun.filter(isOpen).find((one) => one.id === id && one.person === person)
      begun = begun.filter((one) => one !== found)
      return found ?? null
    },
    put: (proposal) => {
      const one = { ...proposal, expiresAt: now() + proposalMs }
      waiting = [...waiting.filter(isOpen).slice(-(proposalsMax - 1)), one]
    },
    list: () => waiting.filter(isOpen),
    drop: (id) => {
      waiting = waiting.filter((one) => one.id !== id)
    },
  }
}
