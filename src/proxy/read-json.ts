/**
 * Parses the body of a request as unambiguous JSON: a duplicate key is rejected, because another
 * parser might use the other value.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Json } from '../core/json.ts'
import { resendError } from './resend-error.ts'

/** Bytes of one request, attachments included. */
export const bodyBytesMax = 10 * 1024 * 1024

/** All bytes of a request. */
export async function readRequestBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) resendError(413, 'validation_error', 'the request is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The value in a body. */
export function readRequestJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) resendError(400, 'validation_error', 'the body is not UTF-8')
  const text = bytes.toString('utf8')
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return resendError(400, 'validation_error', 'the body is not JSON')
  }
  if (keysIn(value) !== keysWritten(text)) {
    resendError(422, 'validation_error', 'a key of the body appears twice, or is not allowed')
  }
  return value
}

/** Keys in a value, at every depth; those that reach into objects themselves are not counted. */
function keysIn(root: Json): number {
  let count = 0
  const open: Json[] = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      for (const one of next) open.push(one)
      continue
    }
    for (const [key, one] of Object.entries(next)) {
      if (key !== '__proto__') count += 1
      open.push(one as Json)
    }
  }
  return count
}

/** Keys as they are written in a text that is JSON: strings with a colon behind them. */
function keysWritten(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = endOfString(text, at)
    const behind = /\S/g
    behind.lastIndex = end + 1
    if (behind.exec(text)?.[0] === ':') count += 1
    at = text.indexOf('"', end + 1)
  }
  return count
}

function endOfString(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return end
  }
}
