/**
 * An MCP server that tests and pushes, each call on its own, and writes down what has happened. A
 * program of its own, on stdio: `node ci-server.ts FILE`. Must not know Pawl.
 * WHY `readOnlyHint`: hosts make such calls of one turn at the same time, others one by one.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [, , file = ''] = process.argv
/** How long a test run takes. */
const testMs = 300

const inputSchema = {
  type: 'object',
  properties: { round: { type: 'number' }, fails: { type: 'boolean' } },
  required: ['round'],
}
const tools = ['test', 'push'].map((name) => ({
  ...{ name, description: `Does ${name}.`, inputSchema, annotations: { readOnlyHint: true } },
}))

type Request = {
  readonly id?: number | string
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly round: number; readonly fails?: boolean }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request: Request = JSON.parse(line)
  // What has no id is a notification, which nobody answers.
  if (request.id !== undefined) void answer(request)
}

async function answer(request: Request): Promise<void> {
  const result = await resultOf(request)
  const rest =
    result === null ? { error: { code: -32_601, message: 'no such method' } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...rest })}\n`)
}

async function resultOf({ method, params }: Request): Promise<object | null> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'ci', version: '1' },
      }
    case 'tools/list':
      return { tools }
    case 'tools/call': {
      const { round = -1, fails: isRed = false } = params?.arguments ?? {}
      if (params?.name === 'test') await sleep(testMs)
      const what = params?.name === 'push' ? 'push' : isRed ? 'red' : 'green'
      appendFileSync(file, `${what} ${round}\n`)
      return { content: [{ type: 'text', text: what }], isError: what === 'red' }
    }
    case 'ping':
      return {}
    default:
      return null
  }
}
