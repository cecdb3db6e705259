/**
 * The public doors of the built program, for tests that quote the source documents: one daemon for
 * each test file, MCP clients over stdio and HTTP, and REST. Nothing here looks into the program.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type House, isOurNode, openHouse, until } from '../../src/main/daemon.contract.ts'
import { type Agent, type AgentOptions, connectAgent } from '../../src/main/mcp.contract.ts'

/** The program as it was built; `npm run build` writes it. */
export const builtProgram = join(import.meta.dirname, '..', '..', 'dist', 'main', 'pawl.js')

/** What a JSON text says, as loose as `JSON.parse` has it: a test compares what it names. */
export type LooseJson = ReturnType<typeof JSON.parse>

export type RestAnswer = {
  readonly status: number
  readonly type: string
  readonly body: LooseJson
}

export type RestRequest = {
  readonly as?: 'person' | 'agent' | 'nobody'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type McpWire = 'stdio' | 'http'

export type ToolAnswer = {
  readonly isError: boolean
  readonly text: string
  readonly values: LooseJson
}

export type Doors = {
  readonly house: () => House
  /** A request such as `rest('GET /v1/runs')`; as a person unless told otherwise. */
  readonly rest: (line: string, request?: RestRequest) => Promise<RestAnswer>
  /** Calls a tool over a client that the whole file shares; one per wire, prefix and run. */
  readonly tool: (wire: McpWire, name: string, args?: JsonObject) => Promise<ToolAnswer>
  /** The client that `tool` uses over a wire. */
  readonly client: (wire: McpWire) => Promise<Agent>
  /** A client of its own, with its own options; it is closed with the file. */
  readonly connect: (options?: AgentOptions) => Promise<Agent>
  /** A workspace of its own, so that the runs of one test are not those of another. */
  readonly workspace: (name: string) => string
}

export type DoorsWish = {
  /** `config.json` of the daemon. */
  readonly config?: object
  /** Files of the workspace by their path. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** What the shared MCP clients are started with. */
  readonly client?: AgentOptions
}

const startMsMax = 60_000

/** One daemon of the built program for all tests of a file. */
export function useDoors(wish: DoorsWish = {}): Doors {
  let opened: House | null = null
  const agents: Agent[] = []
  const shared = new Map<McpWire, Promise<Agent>>()
  const house = (): House => {
    if (opened === null) throw new Error('the daemon runs only while tests run')
    return opened
  }
  beforeAll(async () => {
    if (!isOurNode) throw new Error('these tests need the Node of the project: `npx vitest run`')
    opened = openHouse(wish.env, [process.execPath, builtProgram])
    const { folder, workspace } = opened
    mkdirSync(folder, { mode: 0o700 })
    // One client works on many runs here; test/forgery has clients with a credential for each.
    const config = { credentials: { sharedAgentToken: true }, ...wish.config }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    for (const [path, text] of Object.entries(wish.files ?? {})) {
      mkdirSync(join(workspace, path, '..'), { recursive: true })
      writeFileSync(join(workspace, path), text)
    }
    const daemon = opened.start(['serve'])
    await until(() => typeof opened?.note()?.http === 'string', `the daemon runs: ${daemon.said()}`)
  }, startMsMax)
  afterAll(async () => {
    await Promise.allSettled(agents.map(({ client }) => client.close()))
    await opened?.close()
  }, startMsMax)

  const connect = async (options: AgentOptions = {}): Promise<Agent> => {
    const agent = await connectAgent(house(), { program: builtProgram, ...options })
    agents.push(agent)
    return agent
  }
  const client = (wire: McpWire): Promise<Agent> => {
    const known = shared.get(wire) ?? connect({ ...wish.client, wire })
    shared.set(wire, known)
    // The next test tries again, so that one slow start is one failure.
    known.catch(() => shared.delete(wire))
    return known
  }
  return {
    house,
    rest: (line, request = {}) => askRest(house(), line, request),
    tool: async (wire, name, args) => (await client(wire)).call(name, args),
    client,
    connect,
    workspace: (name) => {
      const path = join(house().workspace, '..', name)
      mkdirSync(path, { recursive: true })
      return path
    },
  }
}

async function askRest(house: House, line: string, request: RestRequest): Promise<RestAnswer> {
  const [method = '', path = ''] = line.split(' ', 2)
  const { as = 'person', body, headers = {} } = request
  const token = as === 'nobody' ? null : readToken(house, as)
  const response = await fetch(new URL(path, house.note()?.http ?? ''), {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'GET' ? {} : { body: bodyText(body) }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, body: type.includes('json') ? JSON.parse(text) : text }
}

/** A text is sent as it is, so that a test can send what is not JSON. */
function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? {})
}

function readToken(house: House, who: 'person' | 'agent'): string {
  return readFileSync(join(house.folder, `${who}.token`), 'utf8').trim()
}
