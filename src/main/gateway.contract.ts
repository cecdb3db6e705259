/**
 * What tests of the gateway share: a real client of a gateway process, with its own daemon, real
 * servers, and one server whose behaviour a test chooses.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import { type House, program } from './daemon.contract.ts'

const require = createRequire(import.meta.url)

/** The program of a package of reference servers. */
export function serverProgram(name: 'server-filesystem' | 'server-everything'): string {
  return join(require.resolve(`@modelcontextprotocol/${name}/package.json`), '..', 'dist/index.js')
}

/** A server that does what the file `plan.json` beside it says. */
export const oddServer = join(import.meta.dirname, 'faulty-mcp-server.contract.ts')

/** A server over HTTP. */
export const webServer = join(import.meta.dirname, 'web-server.contract.ts')

export type GatewayAgent = {
  readonly client: Client
  readonly pid: number
  /** Names of the tools that are shown. */
  readonly names: () => Promise<readonly string[]>
  readonly call: (name: string, args?: JsonObject) => Promise<GatewaySaid>
  /** How often the client was told that its tools have changed. */
  readonly changes: () => number
  readonly complaints: () => string
  readonly kill: () => Promise<void>
}

export type GatewaySaid = {
  readonly isError: boolean
  readonly text: string
  /** The code of a refusal. */
  readonly code: string | null
  readonly approvalId: string
}

type Options = {
  readonly env?: Readonly<Record<string, string>>
  /** Called with the client before it connects. */
  readonly prepare?: (client: Client) => void
  readonly capabilities?: JsonObject
}

/** A client of a gateway of its own; both end with the test. */
export async function openGatewayAgent(house: House, options: Options = {}): Promise<GatewayAgent> {
  let changesCount = 0
  let complaints = ''
  const { capabilities = {}, env = {} } = options
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities })
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changesCount += 1
  })
  options.prepare?.(client)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'gateway', '--workspace', house.workspace],
    env: { ...house.env, ...env },
    stderr: 'pipe',
  })
  transport.stderr?.on('data', (text) => {
    complaints += text
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const pid = transport.pid ?? 0
  return {
    client,
    pid,
    names: async () => (await client.listTools()).tools.map((one) => one.name),
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args }, { timeout: 110_000 })
      const [part] = result.content
      const refusal = result._meta?.['pawl/refusal'] as
        | { code: string; approvalId: string | null }
        | undefined
      return {
        isError: result.isError === true,
        text: part?.type === 'text' ? part.text : '',
        code: refusal?.code ?? null,
        approvalId: refusal?.approvalId ?? '',
      }
    },
    changes: () => changesCount,
    complaints: () => complaints,
    kill: async () => {
      const ended = new Promise<void>((resolve) => {
        client.onclose = () => resolve()
      })
      process.kill(pid, 'SIGKILL')
      await ended
    },
  }
}

/** Writes the person's own file of servers. */
export function writeGateway(house: House, servers: JsonObject, more: JsonObject = {}): void {
  mkdirSync(house.folder, { recursive: true, mode: 0o700 })
  const file = { askWaitSeconds: 0, ...more, mcpServers: servers }
  writeFileSync(join(house.folder, 'gateway.json'), JSON.stringify(file))
}

/** An entry for a program that Node runs. */
export function nodeServer(path: string, ...args: string[]): JsonObject {
  return { command: process.execPath, args: [path, ...args] }
}

export type Odd = {
  readonly entry: JsonObject
  readonly write: (plan: object) => void
  /** How often a tool was really called. */
  readonly calls: (tool: string) => number
  readonly log: () => string
}

/** A server of its own with the tools that are named, or given as they are. */
export function openOdd(house: House, ...tools: readonly (string | JsonObject)[]): Odd {
  const path = join(mkdtempSync(join(house.workspace, 'odd-')), 'plan.json')
  const write = (plan: object): void => writeFileSync(path, JSON.stringify(plan))
  write({ tools: tools.map(toolOf) })
  const log = (): string => (existsSync(`${path}.log`) ? readFileSync(`${path}.log`, 'utf8') : '')
  return {
    entry: nodeServer(oddServer, path),
    write,
    calls: (tool) =>
      log()
        .split('\n')
        .filter((line) => line.startsWith(`call ${tool} `)).length,
    log,
  }
}

/** A tool by its name, or with more said of it. */
export function toolOf(one: string | JsonObject): JsonObject {
  const plain = { description: 'a tool', inputSchema: { type: 'object' } }
  return typeof one === 'string' ? { ...plain, name: one } : { ...plain, ...one }
}

export type RawGateway = {
  /** Sends a message as it is; gives the answer under its id. */
  readonly ask: (message: object) => Promise<RawAnswer>
}
export type RawAnswer = {
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string }
}

/** A gateway that can be sent anything. */
export function openRawGateway(house: House): RawGateway {
  const args = [program, 'gateway', '--workspace', house.workspace]
  const child = spawn(process.execPath, args, { env: house.env, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.stdin.end())
  const waiting = new Map<unknown, (answer: RawAnswer) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line)
    waiting.get(id)?.(answer)
  })
  let lastId = 0
  return {
    ask: (message) =>
      new Promise((resolve) => {
        lastId += 1
        waiting.set(lastId, resolve)
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, ...message })}\n`)
      }),
  }
}

/** The first word of every client. */
export const greeting = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
}
