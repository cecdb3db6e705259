/**
 * Requests to listed hosts with the credential added: the agent has a placeholder, and the real
 * value goes to that host alone. It never comes back.
 */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '../../core/json.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { endRequest, openRequestJudge, type RequestJudge } from '../judge-request.ts'
import { readRequestBytes } from '../read-json.ts'
import { resendError } from '../resend-error.ts'
import { credentialFormsOf, stripCredential } from './strip-credential.ts'

export type KeyedHost = {
  readonly name: string
  /** `https://host`, without a slash at its end; another scheme only on loopback. */
  readonly url: string
  readonly header: string
  /** How the header is written; `{secret}` is the place of the credential. */
  readonly format: string
  /** Read when it is needed, and not kept. */
  readonly secret: () => string
  /** Paths that may be asked for; `*` at the end is any rest. */
  readonly paths: readonly string[]
  readonly methods: readonly string[]
}

export type CredentialContext = {
  readonly hosts: readonly KeyedHost[]
  readonly judge: RequestJudge
  readonly runtime: Runtime
}

export function openCredentialContext(
  hosts: readonly KeyedHost[],
  options: { readonly runtime: Runtime; readonly askWaitMs: number },
): CredentialContext {
  return { hosts, judge: openRequestJudge(options), runtime: options.runtime }
}

type KeyedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly runId: string
  /** `/NAME/…`. */
  readonly path: string
  /** As it was asked for, with the query. */
  readonly target: string
}

const answerBytesMax = 10 * 1024 * 1024
const answerMsMax = 60_000
/** What goes on of the agent's headers; all others could speak for somebody else. */
const passedHeaders = 'accept accept-language content-type if-match if-none-match user-agent'
const returnedHeaders = 'content-type etag last-modified link retry-after location'

export async function injectCredential(
  context: CredentialContext,
  asked: KeyedRequest,
): Promise<void> {
  const { request, response, runId, target } = asked
  const [, name = '', ...rest] = asked.path.split('/')
  const host = context.hosts.find((one) => one.name === name)
  if (host === undefined) return resendError(404, 'not_found', `the host \`${name}\` is not set up`)
  const path = `/${rest.join('/')}`
  const { method = 'GET' } = request
  refuseOutside(host, { method, path })
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : ''
  const body = await readRequestBytes(request)
  const headers = pick(request.headers, passedHeaders)
  const input = inputOf({ method, path: `${path}${query}`, headers }, body)
  const callId = await context.judge(runId, { tool: `http:${name}`, input })
  const secret = host.secret()
  const credential = host.format.replaceAll('{secret}', () => secret)
  try {
    const back = await fetch(`${host.url}${path}${query}`, {
      method,
      headers: { ...headers, [host.header]: credential },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      // WHY: a redirect would carry the credential elsewhere; the agent may follow it by itself.
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    const bytes = await bytesOf(back)
    sendBack(response, back, { bytes, host, forms: credentialFormsOf([secret, credential]) })
    await endRequest(context.runtime, { runId, callId, ok: back.ok, bytes: bytes.length })
  } catch (fault) {
    await endRequest(context.runtime, { runId, callId, ok: false, bytes: 0 })
    // WHY not the fault itself: it may hold what was sent.
    const kind = fault instanceof Error ? fault.name : 'fault'
    const unsure = 'the outcome of the request is unknown'
    resendError(502, 'application_error', `\`${name}\` did not answer (${kind}); ${unsure}`)
  }
}

type RequestTarget = { readonly method: string; readonly path: string }

function refuseOutside(host: KeyedHost, { method, path }: RequestTarget): void {
  const fits = (entry: string): boolean =>
    entry.endsWith('*') ? path.startsWith(entry.slice(0, -1)) : path === entry
  if (!host.methods.includes(method)) {
    resendError(
      403,
      'restricted_api_key',
      `\`${method}\` is not an allowed method for \`${host.name}\``,
    )
  }
  if (!host.paths.some(fits)) {
    resendError(
      403,
      'restricted_api_key',
      `\`${path}\` is not an allowed path for \`${host.name}\``,
    )
  }
}

const shownCharsMax = 16 * 1024

type Sending = RequestTarget & { readonly headers: Readonly<Record<string, string>> }

/** What is judged, and what a person sees: all that is sent, a long body by its hash. */
function inputOf(sending: Sending, body: Buffer): JsonObject {
  if (body.length === 0) return { ...sending }
  const encoding = isUtf8(body) ? 'utf8' : 'base64'
  const shown = body.toString(encoding).slice(0, shownCharsMax)
  const whole = { bytes: body.length, sha256: hash('sha256', body) }
  return { ...sending, ...whole, body: shown, ...(encoding === 'utf8' ? {} : { encoding }) }
}

function pick(headers: IncomingMessage['headers'], names: string): Record<string, string> {
  const picked = names.split(' ').flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return Object.fromEntries(picked)
}

async function bytesOf(back: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of back.body ?? []) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Back = {
  readonly bytes: Buffer
  readonly host: KeyedHost
  readonly forms: readonly string[]
}

function sendBack(response: ServerResponse, back: Response, { bytes, host, forms }: Back): void {
  const headers: Record<string, string> = {}
  for (const name of returnedHeaders.split(' ')) {
    const value = back.headers.get(name)
    if (value !== null) headers[name] = stripCredential(value, forms)
  }
  if (headers.location !== undefined) headers.location = locationOf(headers.location, host)
  const clean = forms.some((form) => bytes.includes(form, 0, 'latin1'))
    ? Buffer.from(stripCredential(bytes.toString('latin1'), forms), 'latin1')
    : bytes
  response.writeHead(back.status, { ...headers, 'content-length': clean.length })
  response.end(clean)
}

/** Within the host it leads through the proxy again. */
function locationOf(location: string, { url, name }: KeyedHost): string {
  const target = new URL(location, `${url}/`)
  if (target.origin !== new URL(url).origin) return target.href
  return `/to/${name}${target.pathname}${target.search}`
}
