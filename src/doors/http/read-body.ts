/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http'
import type { Json } from '../../core/json.ts'
import { parseJson } from '../api/parse-json.ts'
import { type ProblemDocument, problem } from '../api/problem.ts'

type Body =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: ProblemDocument }

/** Reads a JSON body. An empty one is an empty object. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Body> {
  // WHY required: a form of another site can send every other kind without being asked.
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return wrongKind('the body must be `application/json`')
  }
  const bytes = await readBytes(request, bytesMax)
  if (bytes === null) return tooLarge(bytesMax)
  return bytes.length === 0 ? { ok: true, value: {} } : parseJson(bytes)
}

export type Form =
  | { readonly ok: true; readonly value: URLSearchParams }
  | { readonly ok: false; readonly problem: ProblemDocument }

/** Reads what a page's form sends; whose page it was is the guard's business. */
export async function readForm(request: IncomingMessage, bytesMax: number): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return wrongKind('the body must be a form')
  }
  const bytes = await readBytes(request, bytesMax)
  if (bytes === null) return tooLarge(bytesMax)
  return { ok: true, value: new URLSearchParams(bytes.toString()) }
}

/** Null: there are more than that. */
async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return null
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

type Refused = { readonly ok: false; readonly problem: ProblemDocument }

function wrongKind(detail: string): Refused {
  return { ok: false, problem: problem('REQUEST_INVALID', { detail, status: 415 }) }
}

function tooLarge(bytesMax: number): Refused {
  const detail = `a request may have at most ${bytesMax} bytes`
  return { ok: false, problem: problem('REQUEST_TOO_LARGE', { detail }) }
}
