/**
 * Resend's API as an upstream. What comes back is made anew: nothing of the request, and so
 * nothing of the key, can be in it.
 */
import type { Json, JsonObject } from '../../core/json.ts'
import { asObject } from '../../core/json.ts'
import { mailBody } from '../../core/mail/read-mail.ts'
import type { Sendout, Sent, Upstream } from './upstream.ts'

export type ResendOptions = {
  /** Without a slash at its end. */
  readonly url: string
  /** Read when it is needed, and not kept. */
  readonly secret: () => string
}

const answerBytesMax = 1024 * 1024

export function openResendUpstream({ url, secret }: ResendOptions): Upstream {
  return {
    name: 'resend',
    knowsKeys: true,
    send: async ({ mails, kind, key }, signal) => {
      const [first] = mails
      const body = kind === 'batch' || first === undefined ? mails.map(mailBody) : mailBody(first)
      const apiKey = secret()
      const response = await fetch(`${url}/emails${kind === 'batch' ? '/batch' : ''}`, {
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
      const told = await answerOf(response)
      return read(response.status, told, { kind, apiKey })
    },
  }
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

type Asked = Pick<Sendout, 'kind'> & { readonly apiKey: string }

/** Statuses after which a second try may do better, with the same key. */
const unclearStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429])

function read(status: number, told: JsonObject, { kind, apiKey }: Asked): Sent {
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
