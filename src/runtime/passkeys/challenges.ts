/**
 * Challenges that wait for a signature: each is for one person and one statement, is good for a
 * short while, and can be answered once. Kept in memory; a restart makes all of them void.
 */
import { randomBytes } from 'node:crypto'
import { canonicalJson, type Json } from '../../core/json.ts'
import type { Freshness, Statement } from './statements.ts'
import type { RelyingParty } from './webauthn.ts'

/** How long a person has for one signature. */
export const challengeMs = 5 * 60_000
/** Challenges of one person that wait; beyond it the oldest is void. */
const waitingMax = 50
/** People whose challenges wait. */
const peopleMax = 1_000
const nonceBytes = 32

export type OpenChallenge = Freshness & {
  readonly statement: Statement
  /** Who is asked to sign. */
  readonly person: string
  readonly party: RelyingParty
}

export type Challenges = {
  readonly open: (wish: Omit<OpenChallenge, keyof Freshness>) => OpenChallenge
  /** The challenge, which is used up with it; null: unknown, used, another's or too old. */
  readonly take: (nonce: string, person: string) => OpenChallenge | null
}

export function openChallenges(now: () => number): Challenges {
  const waiting = new Map<string, OpenChallenge[]>()
  return {
    open: (wish) => {
      const nonce = randomBytes(nonceBytes).toString('base64url')
      const challenge = { ...wish, nonce, expiresAt: now() + challengeMs }
      const kept = (waiting.get(wish.person) ?? []).filter((one) => one.expiresAt > now())
      waiting.delete(wish.person)
      waiting.set(wish.person, [...kept.slice(-(waitingMax - 1)), challenge])
      for (const person of [...waiting.keys()].slice(0, -peopleMax)) waiting.delete(person)
      return challenge
    },
    take: (nonce, person) => {
      const all = waiting.get(person) ?? []
      const found = all.find((one) => one.nonce === nonce)
      if (found === undefined) return null
      waiting.set(
        person,
        all.filter((one) => one !== found),
      )
      return found.expiresAt > now() ? found : null
    },
  }
}

/** Whether two statements say the same, to the letter. */
export function isSameStatement(one: Statement, other: Statement): boolean {
  return canonicalJson(one as Json) === canonicalJson(other as Json)
}
