/**
 * Checks that the program on our port is the daemon that gave us our key, before the key is sent.
 * While a daemon is down, any program on the machine could take its port.
 *
 * WHY with our host in it: a program that took the port could ask the real daemon on another port.
 */
const path = '/v1/sign-in/proof'
const nonceBytes = 24
/** Whoever listens and says nothing is asked again. */
const proofMsMax = 5_000

/** `unknown`: nobody has signed in with this key, says whoever is there. */
export type DaemonProof = 'proved' | 'unknown' | 'failed'

/** Asks for a proof; the key itself stays here. */
export async function verifyDaemon(key: string): Promise<DaemonProof> {
  const keyHash = await hashOf(key)
  const nonce = hexOf(crypto.getRandomValues(new Uint8Array(nonceBytes)))
  const query = new URLSearchParams({ of: await hashOf(`of ${keyHash}`), nonce })
  const init = { credentials: 'omit', redirect: 'error', cache: 'no-store' } as const
  const signal = AbortSignal.timeout(proofMsMax)
  const response = await fetch(`${path}?${query}`, { ...init, signal })
  if (response.status === 401) return 'unknown'
  if (!response.ok) return 'failed'
  const told = (await response.json()) as { readonly proof?: unknown }
  return told.proof === (await proofOf(keyHash, `${nonce} ${location.host}`)) ? 'proved' : 'failed'
}

const letters = new TextEncoder()

async function hashOf(text: string): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', letters.encode(text))))
}

async function proofOf(keyHash: string, words: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const secret = letters.encode(keyHash)
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  return hexOf(new Uint8Array(await crypto.subtle.sign('HMAC', key, letters.encode(words))))
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
