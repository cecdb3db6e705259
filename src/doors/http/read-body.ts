/**
 * The body of a request, never more of it than is allowed.
 */
import type { IncomingMessage } from 'node:http'
import type { Json } from '../../core/json.ts'
import { parseJson } from '../api/parse-json.ts'
import { type Problem, problem } from '../api/problem.ts'

export type Body =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: Problem }

/** Reads a JSON body. An empty one is an empty object. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Body> {
  const { headers } = request
  // WHY required: a form of another site can send every other kind without being asked.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    const detail = 'the body has to be `application/json`'
    return { ok: false, problem: problem('REQUEST_INVALID', { detail, status: 415 }) }
  }
  if (Number(headers['content-length'] ?? 0) > bytesMax) return tooLarge(bytesMax)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) return tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return bytes === 0 ? { ok: true, value: {} } : parseJson(Buffer.concat(chunks, bytes))
}

function tooLarge(bytesMax: number): Body {
  const detail = `a request has ${bytesMax} bytes at most`
  return { ok: false, problem: problem('REQUEST_TOO_LARGE', { detail }) }
}
