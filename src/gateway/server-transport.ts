/** What the gateway needs from the connection to a server: sending, receiving, and its end. */
import type { GatewayCode } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { RpcMessage } from './json-rpc.ts'

export type UpstreamWire = {
  /** Never fails: what cannot be sent ends the wire or is told to the ears. */
  readonly send: (message: RpcMessage) => void
  /** Once the version of the protocol is agreed upon. */
  readonly agree: (version: string) => void
  readonly close: () => Promise<void>
}

export type WireListeners = {
  readonly onMessage: (message: RpcMessage) => void
  /** Nothing comes after it. */
  readonly onEnd: (why: WireEnd) => void
}

export type WireEnd = { readonly code: GatewayCode; readonly reason: string }

/** Bytes of one message of a server. */
export const gatewayMessageBytesMax = 16 * 1024 * 1024

/** A text of JSON as a value, with no secret in its texts. Throws what is no JSON. */
export function parseClean(text: string, redact: (text: string) => string): Json {
  // WHY not in the whole text: names of members stay, so that nothing gets another meaning.
  return JSON.parse(text, (_, value) => (typeof value === 'string' ? redact(value) : value))
}

/** Takes secrets out of a text, also where they stand in a text of JSON. */
export function openRedactor(secrets: readonly string[]): (text: string) => string {
  const spelled = [...new Set(secrets.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))]
  if (spelled.length === 0) return (text) => text
  return (text) => {
    let clean = text
    for (const secret of spelled) {
      if (clean.includes(secret)) clean = clean.replaceAll(secret, '[secret]')
    }
    return clean
  }
}
