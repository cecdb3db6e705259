/**
 * Addresses at which tools that know plain HTTP only reach Pawl's MCP servers: the daemon's own
 * with its token added, and the one over stdio behind a bridge.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { type House, program } from '../../src/main/daemon.contract.ts'
import { httpAddress } from '../../src/main/mcp.contract.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, port: number) => void

/** A server that ends with the test; gives its address. */
async function listen(answer: Answer): Promise<string> {
  const server = createServer((request, response) => answer(request, response, portOf()))
  const portOf = (): number => (server.address() as AddressInfo).port
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${portOf()}/mcp`
}

/** The daemon's own server: all that is changed on the way is the token and its own name. */
export function openDaemonAddress(house: House): Promise<string> {
  const { url, headers } = httpAddress(house)
  return listen((incoming, outgoing, port) => {
    // WHY only its own: a foreign name is what the guard of the daemon has to see.
    const named = (text: string | undefined) => text?.replace(`:${port}`, `:${url.port}`)
    const { host, origin } = incoming.headers
    const names = {
      ...(host === undefined ? {} : { host: named(host) }),
      ...(origin === undefined ? {} : { origin: named(origin) }),
    }
    const all = { ...incoming.headers, ...headers, ...names }
    const onward = request(url, { method: incoming.method, headers: all }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    outgoing.on('close', () => onward.destroy())
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
}

/** One `pawl mcp` for each session, its messages passed on as they are. */
export function openStdioAddress(house: House): Promise<string> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return listen(async (incoming, outgoing, port) => {
    const refusal = foreign(incoming, port)
    if (refusal !== null) return void outgoing.writeHead(refusal).end()
    const known = sessions.get(String(incoming.headers['mcp-session-id'] ?? ''))
    const transport = known ?? (await openSession(house, sessions))
    const answer = await transport.handleRequest(webRequest(incoming, port))
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    // WHY the cast: Node and the web have a type each for one thing.
    if (answer.body === null) outgoing.end()
    else Readable.fromWeb(answer.body as ReadableStream).pipe(outgoing)
  })
}

function foreign({ headers }: IncomingMessage, port: number): number | null {
  const own = new Set([`127.0.0.1:${port}`, `localhost:${port}`])
  const origin = headers.origin?.replace('http://', '')
  return own.has(headers.host ?? '') && (origin === undefined || own.has(origin)) ? null : 403
}

function webRequest(incoming: IncomingMessage, port: number): Request {
  const { method = 'GET', url = '/' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const body = method === 'POST' ? (Readable.toWeb(incoming) as RequestInit['body'] & object) : null
  return new Request(`http://127.0.0.1:${port}${url}`, { method, headers, body, duplex: 'half' })
}

async function openSession(
  house: House,
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const front = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, front),
  })
  const back = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--workspace', house.workspace],
    env: { ...house.env },
  })
  onTestFinished(() => back.close())
  /** The request that is open: what is said meanwhile belongs to it. */
  let latest: string | number | undefined
  front.onmessage = (message) => {
    if ('method' in message && 'id' in message) latest = message.id
    back.send(message).catch(() => front.close())
  }
  back.onmessage = (message) => {
    const related = 'method' in message && latest !== undefined ? { relatedRequestId: latest } : {}
    if ('id' in message && !('method' in message)) latest = undefined
    front.send(message, related).catch(() => undefined)
  }
  await Promise.all([front.start(), back.start()])
  return front
}
