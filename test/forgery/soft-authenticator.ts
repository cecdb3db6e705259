/**
 * An authenticator in software: what a program can make that has no person, no device and no
 * scruples. It signs whatever it is told to, also what no real authenticator would.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Assertion, Attestation } from '../../src/runtime/passkeys/webauthn.ts'

export type Lies = {
  readonly origin?: string
  readonly rpId?: string
  readonly isVerified?: boolean
  readonly isPresent?: boolean
  readonly counter?: number
  readonly type?: string
  readonly isFramed?: boolean
  readonly challenge?: string
}

export type SoftAuthenticator = {
  readonly id: string
  readonly create: (options: object, lies?: Lies) => Attestation
  readonly get: (options: object, lies?: Lies) => Assertion
}

export const softOrigin = 'http://localhost:4140'

export function openSoftAuthenticator(): SoftAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const rawId = randomBytes(32)
  const id = rawId.toString('base64url')
  let count = 0
  const dataFor = (lies: Lies, more: Buffer): Buffer => {
    const { rpId = 'localhost', isVerified = true, isPresent = true } = lies
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (more.length > 0 ? 64 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lies.counter ?? count)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter, more])
  }
  return {
    id,
    create: (options, lies = {}) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(rawId.length)
      const key = cosePoint(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'))
      const authData = dataFor(lies, Buffer.concat([Buffer.alloc(16), length, rawId, key]))
      const attestationObject = attestationOf(authData).toString('base64url')
      const clientDataJson = clientData('webauthn.create', options, lies)
      return { id, attestationObject, clientDataJson }
    },
    get: (options, lies = {}) => {
      count += 1
      const authData = dataFor(lies, Buffer.alloc(0))
      const clientDataJson = clientData('webauthn.get', options, lies)
      const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJson, 'base64url'))])
      const signature = sign('sha256', signed, privateKey).toString('base64url')
      return { id, authenticatorData: authData.toString('base64url'), clientDataJson, signature }
    },
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function clientData(type: string, options: object, lies: Lies): string {
  const { challenge } = options as { readonly challenge: string }
  const told = {
    type: lies.type ?? type,
    challenge: lies.challenge ?? challenge,
    origin: lies.origin ?? softOrigin,
    crossOrigin: lies.isFramed ?? false,
  }
  return Buffer.from(JSON.stringify(told)).toString('base64url')
}

/** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR: a point on P-256 for ES256. */
function cosePoint(x: Buffer, y: Buffer): Buffer {
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
  return Buffer.concat([head, x, Buffer.from([0x22, 0x58, 0x20]), y])
}

/** `{"fmt": "none", "attStmt": {}, "authData": bytes}` in CBOR. */
function attestationOf(authData: Buffer): Buffer {
  const text = (word: string): Buffer =>
    Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])
  const length = Buffer.from([0x59, authData.length >> 8, authData.length & 255])
  const empty = [text('attStmt'), Buffer.from([0xa0])]
  const format = [text('fmt'), text('none')]
  return Buffer.concat([
    Buffer.from([0xa3]),
    ...format,
    ...empty,
    text('authData'),
    length,
    authData,
  ])
}
