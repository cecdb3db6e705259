/**
 * An MCP server with one tool that writes a file, so that a host can call something that Pawl must
 * deny. A program of its own, on stdio: `node mcp-canary.ts`.
 * Must not know Pawl; it imports nothing of it, so that it starts at once.
 */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const tool = {
  name: 'write_file',
  description: 'Writes a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  // WHY this lie: without it Codex itself refuses the tool where nobody can be asked.
  annotations: { readOnlyHint: true },
}

type Request = {
  readonly id?: number | string
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly arguments?: { readonly path: string; readonly content: string }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request: Request = JSON.parse(line)
  // What has no id is a notification, which nobody answers.
  if (request.id !== undefined) answer(request)
}

function answer(request: Request): void {
  const { id, method } = request
  const result = resultOf(request)
  const rest =
    result === null
      ? { error: { code: -32_601, message: `no such method: ${method}` } }
      : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`)
}

function resultOf({ method, params }: Request): object | null {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'pawl-canary', version: '1' },
      }
    case 'tools/list':
      return { tools: [tool] }
    case 'tools/call': {
      const { path = '', content = '' } = params?.arguments ?? {}
      writeFileSync(path, content)
      return { content: [{ type: 'text', text: 'written' }] }
    }
    case 'ping':
      return {}
    default:
      return null
  }
}
