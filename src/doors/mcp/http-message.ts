/**
 * Reads the JSON-RPC message of an HTTP request. Invalid requests are rejected before they reach a
 * server, as JSON-RPC errors with an HTTP status.
 */
import { isAbsolute, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { isJsonContentType } from '@modelcontextprotocol/server'
import { asObject, type Json } from '../../core/json.ts'
import { isToolPrefix } from '../../core/tools/pawl-tool-names.ts'
import { parseJson } from '../api/parse-json.ts'
import type { Endpoint, SessionPlace } from './client-session.ts'
import { readLimited } from './read-limited.ts'
import { notJson, notRequest, stdioMessageBytesMax } from './stdio-wire.ts'

/** Why no server is asked. */
export type Complaint = {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly id?: Json
}

const notServed = -32_000
const sessionUnknown = -32_001

export const unknownSession: Complaint = {
  status: 404,
  code: sessionUnknown,
  message: 'there is no such session; start one with `initialize`',
}
export const noSession: Complaint = {
  status: 400,
  code: notServed,
  message: 'without `Mcp-Session-Id` only `initialize` is allowed',
}
export const tooMany: Complaint = {
  status: 503,
  code: notServed,
  message: 'too many clients are connected; try again later',
}

/** A complaint as a response. */
export function complain({ status, code, message, id = null }: Complaint): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}

export type Read = { readonly body: Json | undefined } | Complaint

/** The message of a POST, never more of it than is allowed; others carry none. */
export async function readHttpMessage(request: Request): Promise<Read> {
  if (request.method !== 'POST') return { body: undefined }
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return { status: 415, code: notServed, message: 'a message must be `application/json`' }
  }
  const length = request.headers.get('content-length')
  const parts = request.body ?? Readable.from([])
  const bytes = await readLimited({ parts, length }, stdioMessageBytesMax)
  if (bytes === null) {
    const message = `a message may have at most ${stdioMessageBytesMax} bytes`
    return { status: 413, code: notRequest, message }
  }
  const parsed = parseJson(bytes)
  if (!parsed.ok) return { status: 400, code: notJson, message: parsed.problem.detail }
  return { body: parsed.value }
}

/** The id that an answer has to carry; null: it cannot be told. */
export function requestIdOf(body: Json | undefined): Json {
  const id = asObject(body ?? null)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

const known: ReadonlySet<string> = new Set(['workspace', 'prefix', 'run'])

/** Where the client works, by the address that its host was given. */
export function whereOf(endpoint: Endpoint, params: URLSearchParams): SessionPlace | Complaint {
  const workspace = params.get('workspace') ?? ''
  const prefix = params.get('prefix') ?? 'pawl_'
  const odd = [...params.keys()].find((name) => !known.has(name))
  const wrong = (message: string): Complaint => ({ status: 400, code: notRequest, message })
  if (odd !== undefined) return wrong(`unknown query parameter \`${odd}\``)
  if (!isAbsolute(workspace)) return wrong('the URL must end in `?workspace=/path/to/workspace`')
  if (!isToolPrefix(prefix))
    return wrong(`\`${prefix}\` is not a valid prefix: use letters and digits, then \`_\``)
  return { endpoint, workspace: resolve(workspace), prefix, host: null, runId: params.get('run') }
}
