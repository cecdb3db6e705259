/**
 * How a person's decision was proven: what a passkey signed, and everything that is needed to
 * check it again without the authenticator. Plain data; the engine never looks into it.
 */

/** The signature of a passkey over one decision. Texts of bytes are base64url. */
export type PasskeyProof = {
  readonly kind: 'passkey'
  /** The key that signed. */
  readonly credentialId: string
  /** Makes the challenge unlike any other. */
  readonly nonce: string
  /** When the challenge ran out. */
  readonly expiresAt: number
  /** How long the log of passkeys was, and its last hash, when the signature was checked. */
  readonly registrations: { readonly seq: number; readonly hash: string }
  readonly authenticatorData: string
  readonly clientDataJson: string
  readonly signature: string
}
