/**
 * Deciding by a link that was sent to a person: what its page shows and may request.
 * The link lets a person decide one approval, once. Nothing of it may reach an agent.
 */
import type { DecisionPeer } from '../../core/engine/decision-peer.ts'
import type { Signature, SignatureRequest } from '../passkeys/passkeys.ts'
import type { Attestation } from '../passkeys/webauthn.ts'
import type { ApprovalQuestion } from './approval-question.ts'

/** What stands behind a link. */
export type LinkReading =
  /** Never was one, or it is long over. */
  | { readonly kind: 'unknown' }
  /** It can be decided; `token` proves that whoever decides was shown this question. */
  | {
      readonly kind: 'open'
      readonly question: ApprovalQuestion
      readonly person: string
      readonly token: string
    }
  /** It was decided, by whomever, or has run out. `own`: what this link has decided. */
  | {
      readonly kind: 'closed'
      readonly question: ApprovalQuestion
      readonly own: 'approved' | 'refused' | null
    }

export type LinkDecision = {
  readonly granted: boolean
  readonly note: string
  /** That of the page on which it was decided. */
  readonly token: string
  /** Of the person's passkey; absent: the decision is not signed. */
  readonly signature?: Signature
  /** Looks which program sent it; absent: nobody can tell. */
  readonly peer?: () => Promise<DecisionPeer | null>
}

/** A page that was shown, and where: an origin of ours. */
export type ShownPage = { readonly token: string; readonly origin: string }

export type LinkOutcome =
  | { readonly kind: 'done' }
  /** The page is not of this question: look again. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refused'; readonly reason: string; readonly hint: string }

export type DecideLinks = {
  readonly read: (secret: string) => Promise<LinkReading>
  readonly decide: (secret: string, decision: LinkDecision) => Promise<LinkOutcome>
  /** What the person has to sign to decide so. Fault `PASSKEY_INVALID`. */
  readonly askSignature: (
    secret: string,
    decision: ShownPage & Pick<LinkDecision, 'granted' | 'note'>,
  ) => Promise<SignatureRequest>
  /**
   * What the person's browser needs to make a key, which counts once it is confirmed with one of
   * theirs. Fault `PASSKEY_INVALID`.
   */
  readonly beginKey: (
    secret: string,
    page: ShownPage,
  ) => Promise<{ readonly id: string; readonly options: object }>
  /** Gives the code by which the person knows the key where it is confirmed. */
  readonly addKey: (secret: string, sent: ShownPage & SentKey) => Promise<string>
}

/** A key that was made; `keyId` is that of its begin. */
export type SentKey = { readonly keyId: string; readonly attestation: Attestation }
