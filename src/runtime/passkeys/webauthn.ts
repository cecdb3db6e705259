/**
 * WebAuthn behind one file: what a browser is asked for, and whether what it sends back is true.
 * The library is loaded when somebody first needs it. Must not know approvals or who may do what.
 */
import { createHash } from 'node:crypto'

/** Where passkeys are used: the name they are bound to, and the one page that may ask for them. */
export type RelyingParty = { readonly rpId: string; readonly origin: string }

/** The party at an address; none where browsers refuse passkeys: on a number, or without TLS. */
export function relyingPartyOf(url: string): readonly RelyingParty[] {
  const { hostname: rpId, origin, protocol } = new URL(url)
  const isName = !/^[\d.]+$|^\[/.test(rpId)
  const isSafe = protocol === 'https:' || rpId === 'localhost'
  return isName && isSafe ? [{ rpId, origin }] : []
}

/** What an authenticator has signed, as a browser sends it. Bytes are base64url. */
export type Assertion = {
  readonly id: string
  readonly authenticatorData: string
  readonly clientDataJson: string
  readonly signature: string
}

/** A new key, as a browser sends it. */
export type Attestation = {
  readonly id: string
  readonly attestationObject: string
  readonly clientDataJson: string
}

export type NewKey = {
  readonly credentialId: string
  /** COSE, base64url. */
  readonly publicKey: string
  readonly counter: number
  /** The model of the authenticator; zeros where it does not say. */
  readonly aaguid: string
}

/** ES256, EdDSA and RS256: what every authenticator has one of. */
const algorithms = [-7, -8, -257]

type CreationWish = {
  readonly party: RelyingParty
  readonly person: string
  readonly challenge: string
  /** Keys that the person has already. */
  readonly known: readonly string[]
  readonly timeoutMs: number
}

/** What `navigator.credentials.create` is called with, as JSON. */
export async function creationOptions(wish: CreationWish): Promise<object> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpName: 'Pawl',
    rpID: wish.party.rpId,
    userName: wish.person,
    userDisplayName: wish.person,
    // WHY a hash: an authenticator keeps one key for each user of a site, and names may be long.
    userID: new Uint8Array(createHash('sha256').update(`pawl user ${wish.person}`).digest()),
    challenge: bytesOf(wish.challenge),
    timeout: wish.timeoutMs,
    attestationType: 'none',
    excludeCredentials: wish.known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
}

type RequestWish = {
  readonly party: RelyingParty
  readonly challenge: string
  readonly keys: readonly string[]
  readonly timeoutMs: number
}

/** What `navigator.credentials.get` is called with, as JSON. */
export async function requestOptions(wish: RequestWish): Promise<object> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: wish.party.rpId,
    challenge: bytesOf(wish.challenge),
    allowCredentials: wish.keys.map((id) => ({ id })),
    userVerification: 'required',
    timeout: wish.timeoutMs,
  })
}

/** Why it is not true, in the words of the library. */
export class UntrueResponse extends Error {}

type SentKey = {
  readonly sent: Attestation
  readonly challenge: string
  readonly party: RelyingParty
}

/** The key that was made for a challenge. Throws `UntrueResponse`. */
export async function checkAttestation({ sent, challenge, party }: SentKey): Promise<NewKey> {
  refuseFramed(sent.clientDataJson)
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { verified, registrationInfo: info } = await untrueUnless(() =>
    verifyRegistrationResponse({
      response: {
        id: sent.id,
        rawId: sent.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          attestationObject: sent.attestationObject,
          clientDataJSON: sent.clientDataJson,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  )
  if (!verified || info === undefined) throw new UntrueResponse('the new key does not verify')
  const { credential, aaguid } = info
  const publicKey = Buffer.from(credential.publicKey).toString('base64url')
  return { credentialId: credential.id, publicKey, counter: credential.counter, aaguid }
}

type SentSignature = {
  readonly sent: Assertion
  readonly challenge: string
  readonly rpId: string
  /** Null: any page under the name, for whoever does not know the port of then. */
  readonly origin: string | null
  readonly key: { readonly publicKey: string; readonly counter: number }
}

/** How often the authenticator has signed by now. Throws `UntrueResponse`. */
export async function checkAssertion(asked: SentSignature): Promise<number> {
  const { sent, challenge, rpId, key } = asked
  refuseFramed(sent.clientDataJson)
  const origin = asked.origin ?? originUnder(rpId, sent.clientDataJson)
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { verified, authenticationInfo } = await untrueUnless(() =>
    verifyAuthenticationResponse({
      response: {
        id: sent.id,
        rawId: sent.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          authenticatorData: sent.authenticatorData,
          clientDataJSON: sent.clientDataJson,
          signature: sent.signature,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id: sent.id, publicKey: bytesOf(key.publicKey), counter: key.counter },
      requireUserVerification: true,
    }),
  )
  if (!verified) throw new UntrueResponse('the signature does not verify')
  return authenticationInfo.newCounter
}

async function untrueUnless<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (cause) {
    throw new UntrueResponse(cause instanceof Error ? cause.message : 'it cannot be read')
  }
}

type ClientData = { readonly origin?: unknown; readonly crossOrigin?: unknown }

function clientDataIn(text: string): ClientData {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ClientData
  } catch {
    throw new UntrueResponse('the client data cannot be read')
  }
}

/** WHY: in a frame of another site a person does not see what they sign. */
function refuseFramed(clientDataJson: string): void {
  if (clientDataIn(clientDataJson).crossOrigin === true) {
    throw new UntrueResponse('it was signed in a frame of another site')
  }
}

function originUnder(rpId: string, clientDataJson: string): string {
  const { origin } = clientDataIn(clientDataJson)
  if (typeof origin === 'string' && URL.canParse(origin)) {
    const { hostname, protocol } = new URL(origin)
    const isSafe = protocol === 'https:' || hostname === 'localhost'
    if (hostname === rpId && isSafe) return origin
  }
  throw new UntrueResponse(`it was signed for another site than \`${rpId}\``)
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}
