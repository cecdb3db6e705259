/** Posts JSON, signed if there is a secret. Knows HTTP. Must not know what is sent. */
import { createHmac } from 'node:crypto'

const timeoutMs = 10_000

type Headers = Readonly<Record<string, string>>

/** Resolves when the other side has taken it; a redirection is a fault. */
export async function postJson(url: string, body: string, headers: Headers): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((fault: unknown) => {
    // WHY not the error itself: it names the address, which may hold a secret, and is logged.
    throw new Error(`it could not be posted: ${causeOf(fault)}`)
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`)
}

function causeOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown'
  const code = (fault.cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : fault.name
}

/**
 * The headers of the Standard Webhooks specification: the signature is over id, time and body, so
 * that a receiver can refuse what was changed, what is old, and what it has had already.
 */
export function signed(secret: string | null, id: string, body: string): Headers {
  const at = String(Math.floor(Date.now() / 1_000))
  const named = { 'webhook-id': id, 'webhook-timestamp': at }
  if (secret === null) return named
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return { ...named, 'webhook-signature': `v1,${signature}` }
}
