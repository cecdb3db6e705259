/**
 * An MCP server over stdio that misbehaves as a file says:
 * `node faulty-mcp-server.contract.ts PLAN`. It writes a line beside the plan for each tool call,
 * so that a test can count what really happened.
 */
import { appendFileSync, readFileSync, watchFile } from 'node:fs'
import { createInterface } from 'node:readline'

const planPath = process.argv[2] ?? ''

type Plan = {
  readonly tools?: readonly object[]
  /** Milliseconds before a call is answered. */
  readonly delayMs?: number
}
type Message = {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly _meta?: { readonly progressToken?: string | number }
    readonly requestId?: string | number
  }
  readonly result?: unknown
  readonly error?: unknown
}

const plan = (): Plan => JSON.parse(readFileSync(planPath, 'utf8'))
const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
const text = (words: string): object => ({ content: [{ type: 'text', text: words }] })
const note = (what: string): void => appendFileSync(`${planPath}.log`, `${what}\n`)
const asking = new Map<string, (answer: Message) => void>()
const ask = (method: string, params: object): Promise<Message> =>
  new Promise((resolve) => {
    const id = `odd-${asking.size}`
    asking.set(id, resolve)
    send({ id, method, params })
  })
const listed = ['tools', 'prompts', 'resources'] as const

type Deed = (args: Readonly<Record<string, unknown>>, message: Message) => Promise<object | null>

/** What the tools do that a plan may list. */
const deeds: Readonly<Record<string, Deed>> = {
  crash: async () => process.exit(7),
  hang: async () => null,
  flood: async () => {
    process.stdout.write('x'.repeat(17 * 1024 * 1024))
    return null
  },
  env: async () => text(JSON.stringify(process.env)),
  model: async () => {
    const answer = await ask('sampling/createMessage', { messages: [], maxTokens: 1 })
    return text(JSON.stringify(answer.result ?? answer.error))
  },
  elicit: async () => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    const answer = await ask('elicitation/create', { message: 'who?', requestedSchema })
    return text(JSON.stringify(answer.result ?? answer.error))
  },
  steps: async (_, { params }) => {
    const progressToken = params?._meta?.progressToken
    for (const progress of [1, 2]) {
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } })
      // A client forgets whom to tell as soon as the answer is there.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    send({ method: 'notifications/progress', params: { progressToken: 'a stranger', progress: 9 } })
    send({ method: 'notifications/message', params: { level: 'info', data: 'half-way' } })
    return text('done')
  },
}

async function call(message: Message): Promise<void> {
  const { id, params } = message
  const name = params?.name ?? ''
  note(`call ${name} ${JSON.stringify(params?.arguments)}`)
  const { delayMs = 0 } = plan()
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  const deed = deeds[name] ?? (async (args) => text(`${name} ${JSON.stringify(args)}`))
  const result = await deed(params?.arguments ?? {}, message)
  if (result !== null) send({ id, result })
}

async function take(message: Message): Promise<void> {
  const { id, method, params } = message
  if (method === undefined) return asking.get(String(id))?.(message)
  switch (method) {
    case 'initialize': {
      const capabilities = { tools: { listChanged: true }, prompts: {}, resources: {}, logging: {} }
      const serverInfo = { name: 'odd', version: '1' }
      note(`initialize ${JSON.stringify(message.params)}`)
      return send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
    }
    case 'tools/list':
      return send({ id, result: { tools: plan().tools ?? [] } })
    case 'tools/call':
      return call(message)
    case 'prompts/list':
      return send({ id, result: { prompts: [{ name: 'greet', description: 'says hello' }] } })
    case 'prompts/get': {
      const content = { type: 'text', text: `hello from ${params?.name}` }
      return send({ id, result: { messages: [{ role: 'user', content }] } })
    }
    case 'resources/list':
      return send({ id, result: { resources: [{ uri: 'odd://one', name: 'one' }] } })
    case 'resources/templates/list':
      return send({ id, result: { resourceTemplates: [] } })
    case 'resources/read':
      return send({ id, result: { contents: [{ uri: 'odd://one', text: 'one' }] } })
    case 'notifications/cancelled':
      return note('cancelled')
    default:
      if (id !== undefined) send({ id, result: {} })
  }
}

// A plan that changes is told at once.
watchFile(planPath, { interval: 100 }, () => {
  for (const kind of listed) send({ method: `notifications/${kind}/list_changed` })
})
createInterface({ input: process.stdin })
  .on('line', (line) => void take(JSON.parse(line)))
  .on('close', () => process.exit(0))
