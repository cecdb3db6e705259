/** What sends the mail in the end. Each upstream has its own file. */
import type { Mail } from '../../core/mail/read-mail.ts'
import type { ResendProblem } from '../resend-error.ts'

export type Sendout = {
  /** More than one: all of them or none. */
  readonly mails: readonly Mail[]
  readonly kind: 'one' | 'batch'
  /** The same for every try: an upstream that knows such keys sends it once. */
  readonly key: string
}

export type MailSent =
  | { readonly kind: 'sent'; readonly ids: readonly string[] }
  /** It has certainly not been sent. */
  | { readonly kind: 'refused'; readonly refused: ResendProblem }
  /** It has certainly not been sent by this try, and another one may do better. */
  | { readonly kind: 'later'; readonly refused: ResendProblem }
  /** It may have been sent. */
  | { readonly kind: 'unclear'; readonly why: string }

export type MailUpstream = {
  readonly name: string
  readonly send: (sendout: Sendout, signal: AbortSignal) => Promise<MailSent>
  /** Whether a second try with the same key cannot send a second mail. */
  readonly knowsKeys: boolean
}
