/**
 * A local server that speaks the provider's protocol, for tests: it takes mails, knows idempotency
 * keys, and fails on demand. It remembers everything that reached it.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Reached = {
  readonly path: string
  readonly authorization: string
  readonly key: string
  readonly body: unknown
}

export type Provider = {
  readonly url: string
  /** Every request, also those that were answered from memory. */
  readonly reached: Reached[]
  /** Mails that were really sent. */
  readonly sent: object[]
  /** What the next requests do instead; `lost`: it is sent, and the answer is not. */
  readonly trouble: ('lost' | 'busy' | 'limited' | 'refused')[]
  readonly close: () => Promise<void>
}

/** Opens the server with the key that it wants. */
export async function openProvider(apiKey: string): Promise<Provider> {
  const reached: Reached[] = []
  const sent: object[] = []
  const trouble: Provider['trouble'] = []
  const known = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const raw = await text(request)
    const { authorization = '' } = request.headers
    const key = String(request.headers['idempotency-key'] ?? '')
    const path = request.url ?? ''
    reached.push({ path, authorization, key, body: JSON.parse(raw) })
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const fault = (statusCode: number, name: string): void =>
      answer(statusCode, { statusCode, name, message: `${name} with ${apiKey}` })
    if (authorization !== `Bearer ${apiKey}`) return fault(403, 'invalid_api_key')
    const next = trouble.shift()
    if (next === 'busy') return fault(503, 'internal_server_error')
    if (next === 'limited') return fault(429, 'rate_limit_exceeded')
    if (next === 'refused') return fault(422, 'validation_error')
    const before = known.get(key)
    if (before === undefined) {
      const mails: object[] = path.endsWith('/batch') ? JSON.parse(raw) : [JSON.parse(raw)]
      const ids = mails.map((_, at) => ({ id: `mail-${sent.length + at + 1}` }))
      sent.push(...mails)
      known.set(key, JSON.stringify(path.endsWith('/batch') ? { data: ids } : ids[0]))
    }
    if (next === 'lost') return void response.destroy()
    answer(200, JSON.parse(known.get(key) ?? '{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}`, reached, sent, trouble },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
