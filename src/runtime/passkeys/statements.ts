/**
 * What a person signs: a decision, or a change of the passkeys themselves. The challenge is the
 * hash of the whole statement, so that a signature is for that and nothing else.
 */

import type { Json, JsonObject } from '../../core/json.ts'
import { hashJson } from '../../core/machine/hash.ts'

/** Makes one challenge unlike any other, and says how long it is good. */
export type Freshness = { readonly nonce: string; readonly expiresAt: number }

/** A decision on one approval, in full. */
export type DecisionStatement = {
  readonly statement: 'decision'
  readonly approvalId: string
  /** Of exactly what is asked. */
  readonly hash: string
  readonly granted: boolean
  readonly note: string
  readonly edits: JsonObject | null
  readonly person: string
}

/** A key that is to count from now on. */
export type AddStatement = {
  readonly statement: 'passkey.added'
  readonly person: string
  readonly label: string
  readonly rpId: string
  readonly credentialId: string
  readonly publicKey: string
}

/** A key that is not to count any more. */
export type RemoveStatement = {
  readonly statement: 'passkey.removed'
  readonly person: string
  readonly credentialId: string
}

export type Statement = DecisionStatement | AddStatement | RemoveStatement

/** Edits as they are signed: none at all and an empty list of them are the same. */
export function signedEdits(edits: JsonObject | null | undefined): JsonObject | null {
  return edits == null || Object.keys(edits).length === 0 ? null : edits
}

/** The challenge of a statement, as base64url. */
export function challengeOf(statement: Statement, { nonce, expiresAt }: Freshness): string {
  const whole: Json = { version: 1, ...statement, nonce, expiresAt }
  const [, hex = ''] = hashJson(whole).split(':')
  return Buffer.from(hex, 'hex').toString('base64url')
}
