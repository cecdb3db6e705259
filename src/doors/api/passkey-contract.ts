/** Inputs and answers of the operations on passkeys. */
import { z } from 'zod'
import { proofLevels } from '../../core/machine/proof-levels.ts'
import type { Terms } from './contract.ts'
import type { PasskeyOperation } from './passkey-operations.ts'
import {
  countSchema,
  jsonObjectSchema,
  momentSchema,
  nameSchema,
  textSchema,
} from './wire-schemas.ts'

/** Letters of what an authenticator sends: an attestation may carry certificates. */
const bytesCharsMax = 16_384
const base64url = z
  .string()
  .regex(/^[A-Za-z0-9_-]*$/)
  .max(bytesCharsMax)
const credentialId = base64url.min(1).max(2_000)
const origin = nameSchema.describe('the origin of the page that asks: `location.origin`')
const options = jsonObjectSchema.describe('for `navigator.credentials`, as JSON')

/** What an authenticator has signed, and for which challenge. */
export const signatureSchema = z.strictObject({
  nonce: nameSchema,
  assertion: z.strictObject({
    id: credentialId,
    authenticatorData: base64url,
    clientDataJson: base64url,
    signature: base64url,
  }),
})

const request = z.object({ nonce: z.string(), expiresAt: momentSchema, options })

const key = z.object({
  credentialId: z.string(),
  person: z.string(),
  label: z.string(),
  rpId: z.string().describe('the host name that the passkey is bound to'),
  addedAt: momentSchema,
  isActive: z.boolean(),
  confirmedBy: z
    .string()
    .nullable()
    .describe('whose passkey confirmed it; null for the first passkey of all'),
})

export const passkeyContract = {
  'passkeys.list': {
    input: z.strictObject({}),
    answer: z.object({
      items: z.array(key),
      proposals: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(['add', 'remove']),
          person: z.string(),
          label: z.string(),
          expiresAt: momentSchema,
        }),
      ),
      isRequired: z.boolean().describe('whether every decision must be signed now'),
      setting: z.enum(proofLevels).nullable().describe('`approvals.proof` in config.json'),
      origins: z.array(z.string()).describe('where passkeys can be used'),
      resetsCount: countSchema.describe('how often passkeys were reset offline'),
    }),
  },
  'passkeys.begin': {
    input: z.strictObject({ label: z.string().min(1).max(60), origin }),
    answer: z.object({ id: z.string(), options }),
  },
  'passkeys.add': {
    input: z.strictObject({
      id: nameSchema,
      credentialId,
      attestationObject: base64url,
      clientDataJson: base64url,
    }),
    answer: z.object({
      isActive: z.boolean().describe('false: it waits for a signature with another passkey'),
    }),
  },
  'passkeys.remove': {
    input: z.strictObject({ credentialId }),
    answer: z.object({ id: z.string() }),
  },
  'passkeys.askConfirmation': {
    input: z.strictObject({ id: nameSchema, origin }),
    answer: request,
  },
  'passkeys.confirm': {
    input: z.strictObject({ id: nameSchema, signature: signatureSchema }),
    answer: z.object({ confirmed: z.literal(true) }),
  },
  'passkeys.askDecision': {
    input: z.strictObject({
      approvalId: nameSchema,
      hash: nameSchema.describe('hash of what the person saw'),
      granted: z.boolean(),
      note: textSchema.default(''),
      edits: jsonObjectSchema.optional(),
      origin,
    }),
    answer: request,
  },
} as const satisfies Readonly<Record<PasskeyOperation, Terms>>
