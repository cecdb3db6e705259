/**
 * Resend's API as an upstream. Its answer is rebuilt: nothing of the request, and so nothing of
 * the key, can be in it.
 */
import type { Json, JsonObject } from '../../core/json.ts'
import { asObject } from '../../core/json.ts'
import { mailBody } from '../../core/mail/read-mail.ts'
import type { MailSent, MailUpstream, Sendout } from './upstream.ts'

type ResendOptions = {
  /** Without a slash at its end. */
  readonly url: string
  /** Read when it is needed, and not kept. */
  readonly secret: () => string
}

const answerBytesMax = 1024 * 1024

export function openResendUpstream({ url, secret }: ResendOptions): MailUpstream {
  return {
    name: 'resend',
    knowsKeys: true,
    send: async (sendout, signal) => {
      const apiKey = readKey(secret)
      if (apiKey === null) return { kind: 'refused', refused: noKey }
      try {
        const response = await post(url, sendout, { apiKey, signal })
        const told = await answerOf(response)
        return read(response.status, told, { kind: sendout.kind, apiKey })
      } catch (fault) {
        if (!isUnreached(fault)) throw fault
        return { kind: 'later', refused: unreached }
      }
    },
  }
}

const noKey = {
  ...{ statusCode: 502, name: 'application_error' },
  message: 'the key of the provider cannot be read, so nothing was sent; tell a person',
}
const unreached = {
  ...{ statusCode: 502, name: 'application_error' },
  message: 'the provider could not be reached, so nothing was sent; try again later',
}

/** WHY not thrown: before anything was sent there is no doubt. */
function readKey(secret: () => string): string | null {
  try {
    return secret()
  } catch {
    return null
  }
}

/** Faults of a line that was never open. */
const unreachedCodes: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED'],
])

function isUnreached(fault: unknown): boolean {
  const cause = fault instanceof Error ? fault.cause : null
  return cause instanceof Error && unreachedCodes.has((cause as { code?: unknown }).code)
}

type Sending = { readonly apiKey: string; readonly signal: AbortSignal }

function post(url: string, sendout: Sendout, { apiKey, signal }: Sending): Promise<Response> {
  const { mails, kind, key } = sendout
  const [first] = mails
  const body = kind === 'batch' || first === undefined ? mails.map(mailBody) : mailBody(first)
  return fetch(`${url}/emails${kind === 'batch' ? '/batch' : ''}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      'user-agent': 'pawl',
    },
    body: JSON.stringify(body),
    // WHY: a redirect would carry the key elsewhere.
    redirect: 'error',
    signal,
  })
}

async function answerOf(response: Response): Promise<JsonObject> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > answerBytesMax) return {}
    chunks.push(chunk)
  }
  try {
    return asObject(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json) ?? {}
  } catch {
    // Not the API's own words: the status says all that is known.
    return {}
  }
}

type ResendRequest = Pick<Sendout, 'kind'> & { readonly apiKey: string }

/** Statuses after which a second try may do better, with the same key. */
const unclearStatuses: ReadonlySet<number> = new Set([408, 409, 425])

function read(status: number, told: JsonObject, { kind, apiKey }: ResendRequest): MailSent {
  if (status >= 200 && status < 300) {
    const rows = kind === 'batch' ? told.data : [told]
    const ids = (Array.isArray(rows) ? rows : []).map((row) => asObject(row as Json)?.id)
    if (ids.every((id) => typeof id === 'string') && ids.length > 0) return { kind: 'sent', ids }
    return { kind: 'unclear', why: `an answer ${status} without ids` }
  }
  const clean = (value: Json | undefined, otherwise: string): string => {
    if (typeof value !== 'string' || value === '') return otherwise
    return value.replaceAll(apiKey, '[key]').slice(0, 500)
  }
  const name = clean(told.name, 'application_error')
  const message = clean(told.message, `the provider answered ${status}`)
  // Too many or too much: it was not even looked at.
  if (status === 429) return { kind: 'later', refused: { statusCode: status, name, message } }
  if (status >= 500 || unclearStatuses.has(status)) {
    // A key that was used for something else: then something was sent under it already.
    if (name !== 'invalid_idempotent_request') return { kind: 'unclear', why: `${status} ${name}` }
  }
  // WHY not as it is: it is our key that they do not like, and not the agent's.
  if (status === 401 || status === 403) {
    const refused = { statusCode: 502, name: 'application_error', message: `upstream: ${message}` }
    return { kind: 'refused', refused }
  }
  return { kind: 'refused', refused: { statusCode: status, name, message } }
}
