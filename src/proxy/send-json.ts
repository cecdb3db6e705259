/**
 * Answers of the proxy itself.
 */
import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../core/json.ts'

/** An answer in JSON. */
export function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}
