/** What the page of a link sends to be signed. */
import { z } from 'zod'
import { signatureSchema } from './passkey-contract.ts'

const text = z.string().max(16_384)

const linkSignSchema = z.strictObject({ token: text, granted: z.boolean(), note: text })

/** Without `id`: a key is wanted; with it: it was made. */
const linkKeySchema = z.strictObject({
  token: text,
  ...{ id: text.optional(), credentialId: text.optional() },
  ...{ attestationObject: text.optional(), clientDataJson: text.optional() },
})

type LinkSignInput = z.infer<typeof linkSignSchema>
type LinkKeyInput = z.infer<typeof linkKeySchema>
type LinkSignature = z.infer<typeof signatureSchema>

/** Null: it is no signature. */
export function readLinkSignature(value: unknown): LinkSignature | null {
  return signatureSchema.safeParse(value).data ?? null
}

export function readLinkSign(value: unknown): LinkSignInput | null {
  return linkSignSchema.safeParse(value).data ?? null
}

export function readLinkKey(value: unknown): LinkKeyInput | null {
  return linkKeySchema.safeParse(value).data ?? null
}
