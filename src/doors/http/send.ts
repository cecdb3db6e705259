/** Sends answers and problems, with the security headers that every response has. */
import type { ServerResponse } from 'node:http'
import type { ProblemDocument } from '../api/problem.ts'

/** Nothing that is answered here is a page, may be guessed at, kept, or told about. */
export const safeHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
} as const

type Headers = { readonly [name: string]: string }

/** Sends an answer. */
export function sendText(response: ServerResponse, more: Headers, text: string): void {
  const headers = { ...safeHeaders, 'content-length': Buffer.byteLength(text), ...more }
  response.writeHead(200, headers)
  response.end(text)
}

/** Sends a problem. */
export function sendProblem(
  response: ServerResponse,
  why: ProblemDocument,
  more: Headers = {},
): void {
  // What was begun cannot be told otherwise any more.
  if (response.headersSent) return void response.destroy()
  const text = JSON.stringify(why)
  const headers: Record<string, string | number> = {
    ...safeHeaders,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(text),
    ...more,
  }
  if (why.status === 401) headers['www-authenticate'] = 'Bearer'
  if (why.status === 503) headers['retry-after'] = '1'
  // The rest of a body that nobody reads must not be taken for the next request.
  if (why.status === 413) headers.connection = 'close'
  response.writeHead(why.status, headers)
  response.end(text)
}
