/**
 * A small MCP server over Streamable HTTP, on loopback only: `node web-server.contract.ts PORT`.
 * It has one tool, `echo`, takes one bearer token, and knows its sessions.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Message = {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly arguments?: { readonly message?: string } }
}

/** The token that it takes. */
export const webToken = 'a-token-for-it'

const sessions = new Set<string>()
const tool = { name: 'echo', description: 'says it again', inputSchema: { type: 'object' } }

function resultOf({ method, params }: Message): object {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'web', version: '1' }
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
    }
    case 'tools/list':
      return { tools: [tool] }
    case 'tools/call':
      return { content: [{ type: 'text', text: `Echo: ${params?.arguments?.message}` }] }
    default:
      return {}
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  if (request.headers.authorization !== `Bearer ${webToken}`) {
    return void response.writeHead(403).end(`not with ${request.headers.authorization}`)
  }
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const message: Message = JSON.parse(Buffer.concat(pieces).toString())
  const isFirst = message.method === 'initialize'
  const session = isFirst ? randomUUID() : String(request.headers['mcp-session-id'])
  if (isFirst) sessions.add(session)
  if (!sessions.has(session)) return void response.writeHead(404).end('no such session')
  if (message.id === undefined) return void response.writeHead(202).end()
  const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })
  const headers = { 'content-type': 'application/json', 'mcp-session-id': session }
  response.writeHead(200, headers).end(text)
}

if (import.meta.main) {
  createServer((request, response) => void answer(request, response)).listen(
    Number(process.argv[2]),
    '127.0.0.1',
    () => console.log('up'),
  )
}
