/**
 * What tests of the MCP server share: real clients, each in its own process, with their own daemon.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import type { HookOutput } from '../doors/api/hook-exchange.ts'
import { type House, installHooksIn, isOurNode, openHouse, program } from './daemon.contract.ts'

export type Agent = {
  readonly client: Client
  readonly transport: StdioClientTransport | StreamableHTTPClientTransport
  /** Calls a tool; what it says, by name. */
  readonly call: (name: string, args?: JsonObject) => Promise<McpToolResult>
  readonly tools: () => Promise<readonly Tool[]>
  /** Names of the tools, as each message that they have changed was followed by a look. */
  readonly changes: readonly (readonly string[])[]
  /** What the process has written beside the protocol. */
  readonly complaints: () => string
}

export type McpToolResult = {
  readonly isError: boolean
  readonly text: string
  readonly values: Values
}

/** The values of an answer, as far as tests look into them. */
export type Values = {
  readonly run: {
    readonly run: string
    readonly branches: unknown
    readonly inputs: unknown
  }
  readonly error: {
    readonly code: string
    readonly hint: string
    readonly findings: readonly unknown[]
  }
  readonly workflows: readonly unknown[]
  readonly records: readonly { readonly type: string }[]
  readonly warnings: readonly string[]
  readonly draft: string
  readonly memory: unknown
  readonly task: { readonly id: string }
}

export type HouseWish = {
  /** Definitions in the workspace's own folder. */
  readonly near?: readonly object[]
  /** Definitions that a person has stored. */
  readonly stored?: readonly object[]
  readonly config?: object
}

/** A house with a daemon for all tests of a file; each of them begins without a run. */
export function useHouse({ near = [], stored = [], config = {} }: HouseWish): () => House {
  let house: House | null = null
  const opened = (): House => {
    if (house === null) throw new Error('no test has begun')
    return house
  }
  beforeAll(async () => {
    if (!isOurNode) return
    house = openHouse()
    const { folder, workspace } = house
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    const definitions = join(workspace, '.pawl', 'definitions')
    mkdirSync(definitions, { recursive: true })
    for (const [i, one] of near.entries()) {
      writeFileSync(join(definitions, `${i}.json`), JSON.stringify(one))
    }
    for (const one of stored) {
      writeFileSync(join(workspace, 'stored.json'), JSON.stringify(one))
      await house.json('definitions', 'add', 'stored.json')
    }
  })
  afterAll(() => house?.close(), 60_000)
  beforeEach(async () => {
    if (house === null) return
    // Starts the daemon, where there is none yet.
    const { items } = await house.json('runs')
    for (const { id } of items) await house.json('cancel', id)
  })
  return opened
}

export type AgentOptions = {
  readonly era?: '2025-11-25' | '2026-07-28'
  /** `http`: of the daemon itself, which must be running. */
  readonly wire?: 'stdio' | 'http'
  /** For unattended routines: only the tools of the process endpoint. */
  readonly isRoutine?: boolean
  /** What the person behind the client answers. Absent: the client cannot ask one. */
  readonly onQuestion?: (message: string) => ElicitResult
  /** Hears of resources that have changed. */
  readonly onUpdate?: (uri: string) => void
  readonly args?: readonly string[]
  /** What the names of tools begin with; absent: `pawl_`. */
  readonly prefix?: string
  readonly env?: Readonly<Record<string, string>>
  /** The file that is started over stdio; absent: the program as it stands in the sources. */
  readonly program?: string
}

/** A client of a server of its own; both end with the test. */
export async function openAgent(house: House, options: AgentOptions = {}): Promise<Agent> {
  const agent = await connectAgent(house, options)
  onTestFinished(() => agent.client.close())
  return agent
}

/** A client of a server of its own, which whoever opens it closes. */
export async function connectAgent(house: House, options: AgentOptions = {}): Promise<Agent> {
  const { era = '2025-11-25', args = [], env = {}, program: started = program } = options
  const routine = options.isRoutine === true ? ['--process'] : []
  const prefix = options.prefix === undefined ? [] : ['--tool-prefix', options.prefix]
  const changes: string[][] = []
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      ...(era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}),
      ...(options.onQuestion === undefined ? {} : { capabilities: { elicitation: {} } }),
      listChanged: {
        tools: {
          debounceMs: 0,
          onChanged: (_, tools) => void changes.push((tools ?? []).map((one) => one.name)),
        },
      },
    },
  )
  const stdio = new StdioClientTransport({
    command: process.execPath,
    args: [started, 'mcp', '--workspace', house.workspace, ...routine, ...prefix, ...args],
    env: { ...house.env, ...env },
    stderr: 'pipe',
  })
  let complaints = ''
  stdio.stderr?.on('data', (text) => {
    complaints += text
  })
  const transport = options.wire === 'http' ? httpTransport(house, options) : stdio
  const { onQuestion, onUpdate } = options
  if (onQuestion !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => onQuestion(params.message))
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    onUpdate?.(params.uri),
  )
  await client.connect(transport)
  const call = async (name: string, input: JsonObject = {}): Promise<McpToolResult> => {
    const result = await client.callTool({ name, arguments: input })
    const [part] = result.content
    const text = part?.type === 'text' ? part.text : ''
    // WHY the cast: what is not there is found out by the test that looks for it.
    const values = result.structuredContent as unknown as Values
    return { isError: result.isError === true, text, values }
  }
  return {
    client,
    transport,
    call,
    tools: async () => (await client.listTools()).tools,
    changes,
    complaints: () => complaints,
  }
}

/** The address of a daemon's own server, with the header that lets an agent in. */
export function httpAddress(house: House): { url: URL; headers: Record<string, string> } {
  const url = new URL('/mcp', house.note()?.http ?? '')
  url.searchParams.set('workspace', house.workspace)
  const token = readFileSync(join(house.folder, 'agent.token'), 'utf8').trim()
  return { url, headers: { authorization: `Bearer ${token}` } }
}

function httpTransport(
  house: House,
  { isRoutine, prefix }: AgentOptions,
): StreamableHTTPClientTransport {
  const { url, headers } = httpAddress(house)
  if (prefix !== undefined) url.searchParams.set('prefix', prefix)
  if (isRoutine === true) url.pathname = '/mcp/process'
  return new StreamableHTTPClientTransport(url, { requestInit: { headers } })
}

/** A checklist with a gate and a warning. */
export const checklist = {
  file: 'backup',
  definition: {
    name: 'backup',
    initial: 'made',
    states: {
      made: {
        question: 'Is there a backup?',
        answers: { yes: { next: 'tried' }, unsure: { next: 'tried', action: 'notify_human' } },
      },
      tried: {
        question: 'Was it read back?',
        answers: { yes: { next: 'end' }, barely: { next: 'end', action: 'warn' } },
      },
      end: { question: 'Nothing further.', answers: {} },
    },
  },
}

/** A form of two steps, of which the second may go back. */
export const form = {
  file: 'trip',
  definition: {
    type: 'steps',
    version: 'v1alpha',
    id: 'trip',
    tool: { name: 'book_trip' },
    steps: [
      {
        id: 'WHERE',
        goal: 'Learn where to go',
        inputs: [
          { name: 'city', title: 'City', examples: ['Oslo'] },
          { name: 'mail', description: 'for the ticket', format: 'email' },
        ],
        on: { start: [{ action: 'say', text: 'Where to?' }] },
        next: ['SURE'],
      },
      {
        id: 'SURE',
        goal: 'Have it confirmed',
        inputs: [{ name: 'sure', type: 'boolean' }],
        tools: { allowGoToStep: true },
      },
    ],
  },
}

/** A workflow whose work splits in two. */
export const fork = {
  file: 'checks',
  definition: {
    id: 'checks',
    initial: 'ready',
    states: {
      ready: {
        on: {
          GO: {
            fork: {
              branches: {
                lint: { initial: 'linting', terminal: 'linted' },
                types: { initial: 'typing', terminal: 'typed' },
              },
              join: 'all',
              on_complete: 'done',
            },
          },
        },
      },
      linting: { allowed_tools: ['Read'], on: { OK: 'linted' } },
      linted: { type: 'final' },
      typing: { allowed_tools: ['Bash'], on: { OK: 'typed' } },
      typed: { type: 'final' },
      done: { type: 'final' },
    },
  },
}

export type HookedCall = readonly [session: string, tool: string, input: JsonObject]

/** What the real hook of Claude Code makes of a call. */
export async function hear(
  house: House,
  [session, tool, input]: HookedCall,
  more: Readonly<Record<string, string>> = {},
): Promise<HookOutput> {
  const { workspace: cwd, env } = house
  installHooksIn(house)
  const args = [program, 'hook', 'claude', cwd]
  const child = spawn(process.execPath, args, { cwd, env: { ...env, ...more } })
  const told = { hook_event_name: 'PreToolUse', session_id: session, cwd, tool_name: tool }
  child.stdin.end(JSON.stringify({ ...told, tool_input: input, tool_use_id: crypto.randomUUID() }))
  const ended = [text(child.stdout), text(child.stderr), once(child, 'close')] as const
  const [stdout, stderr, [exit]] = await Promise.all(ended)
  return { exit, stdout, stderr }
}

/** The mark that the hook writes into the calls of a session. */
export async function markOf(
  house: House,
  session: string,
  more: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const { stdout } = await hear(house, [session, 'mcp__pawl__pawl_get_state', {}], more)
  return JSON.parse(stdout).hookSpecificOutput.updatedInput._pawl
}
