/**
 * Deciding by a link that was sent to a person: what its page shows and may request.
 * The link lets a person decide one approval, once. Nothing of it may reach an agent.
 */
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
}

export type LinkOutcome =
  | { readonly kind: 'done' }
  /** The page is not of this question: look again. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refused'; readonly reason: string; readonly hint: string }

export type DecideLinks = {
  readonly read: (secret: string) => Promise<LinkReading>
  readonly decide: (secret: string, decision: LinkDecision) => Promise<LinkOutcome>
}
