/**
 * Passkeys in this browser: makes keys, and has the person sign what they decide. The only file
 * that speaks to an authenticator.
 */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { OperationAnswer, OperationInput } from '../../src/doors/api/contract.ts'
import { ApiError, callApi } from './api-client.ts'
import { live } from './live-state.ts'

export type PasskeyOverview = OperationAnswer<'passkeys.list'>
export type ListedPasskey = PasskeyOverview['items'][number]

type SignatureInput = OperationInput<'passkeys.confirm'>['signature']
type Asked = OperationAnswer<'passkeys.askDecision'>
type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Whether this page was opened where the daemon accepts passkeys. */
export function isPasskeyPlace({ origins }: PasskeyOverview): boolean {
  return origins.includes(location.origin)
}

/** The keys of whoever is signed in that can be used on this page. */
export function ownKeys({ items }: PasskeyOverview): readonly ListedPasskey[] {
  const name = live.get().me?.name
  const { hostname } = location
  return items.filter((key) => key.isActive && key.person === name && key.rpId === hostname)
}

/** Adds a key for whoever is signed in; false: it has to be confirmed with another key. */
export async function addPasskey(label: string): Promise<boolean> {
  const { id, options } = await callApi('passkeys.begin', { label, origin: location.origin })
  type Creation = Parameters<typeof startRegistration>[0]['optionsJSON']
  // WHY the cast: made by the other half of the same library.
  const made = await startRegistration({ optionsJSON: options as unknown as Creation })
  const { attestationObject, clientDataJSON: clientDataJson } = made.response
  const sent = { credentialId: made.id, attestationObject, clientDataJson }
  return (await callApi('passkeys.add', { id, ...sent })).isActive
}

/** Signs for a key that waits, or for a removal. */
export async function confirmChange(id: string): Promise<void> {
  const asked = await callApi('passkeys.askConfirmation', { id, origin: location.origin })
  await callApi('passkeys.confirm', { id, signature: await sign(asked) })
}

/** Removes a key of whoever is signed in. */
export async function removePasskey(credentialId: string): Promise<void> {
  const { id } = await callApi('passkeys.remove', { credentialId })
  await confirmChange(id)
}

type Decision = Omit<OperationInput<'passkeys.askDecision'>, 'origin'>

/** The signature on a decision. */
export async function signDecision(decision: Decision): Promise<SignatureInput> {
  return sign(await callApi('passkeys.askDecision', { ...decision, origin: location.origin }))
}

async function sign({ nonce, options }: Asked): Promise<SignatureInput> {
  // WHY the cast: made by the other half of the same library.
  const optionsJSON = options as unknown as Options
  const signed = await startAuthentication({ optionsJSON }).catch(explainNotSigned)
  const { authenticatorData, clientDataJSON: clientDataJson, signature } = signed.response
  return { nonce, assertion: { id: signed.id, authenticatorData, clientDataJson, signature } }
}

/** WHY: browsers say the same if the person cancels and if there is no such key, and no way on. */
function explainNotSigned(thrown: unknown): never {
  if (!(thrown instanceof Error) || thrown.name !== 'NotAllowedError') throw thrown
  throw new ApiError({
    code: 'NOT_SIGNED',
    status: 403,
    detail: 'nothing was signed: you cancelled, or this browser has none of your passkeys',
    hint: 'try again where your passkey is; if you lost it, run `pawl passkey --help`',
  })
}
