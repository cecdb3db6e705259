/**
 * Marks: the caller of a call, as the hook of a host writes it into the arguments of calls to
 * Pawl's own servers.
 * WHY signed: without hooks an agent could write anything there, and choose its run.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type CallSignature = {
  /** The host's session, `claude:…`. */
  readonly session: string
  /** A subagent inside it; null: the main one. */
  readonly agent: string | null
  /** Null: the session has none. */
  readonly run: string | null
  readonly branch: string | null
}

/** A mark as somebody shows it, with the proof that the hook gave. */
export type PresentedSignature = CallSignature & { readonly proof: string }

export type CallSignatures = {
  readonly prove: (mark: CallSignature) => PresentedSignature
  /** Whether it was proven here, exactly as it is shown. */
  readonly isProven: (shown: PresentedSignature) => boolean
}

const keyBytes = 32

/** WHY the key is never kept: a mark is read at once, and proves nothing to the next daemon. */
export function openCallSignatures(): CallSignatures {
  const key = randomBytes(keyBytes)
  const proofOf = ({ session, agent, run, branch }: CallSignature): string => {
    const text = JSON.stringify([session, agent, run, branch])
    return createHmac('sha256', key).update(text).digest('base64url')
  }
  return {
    prove: (mark) => ({ ...mark, proof: proofOf(mark) }),
    isProven: (shown) => {
      const [wanted, given] = [Buffer.from(proofOf(shown)), Buffer.from(shown.proof)]
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
  }
}
