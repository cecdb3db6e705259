/**
 * How a decision of a person has to be proven. Knows the levels and their order.
 */

/** From the weakest to the strongest: who has the token, or who signs with a registered passkey. */
export const proofLevels = ['token', 'passkey'] as const
export type ProofLevel = (typeof proofLevels)[number]

/** What all of them ask for at once; undefined: none of them says anything. */
export function strongestProof(
  levels: readonly (ProofLevel | undefined)[],
): ProofLevel | undefined {
  if (levels.includes('passkey')) return 'passkey'
  return levels.includes('token') ? 'token' : undefined
}
