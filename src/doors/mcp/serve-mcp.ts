/**
 * Pawl's tools over MCP, for one client over two streams, in both eras of the protocol.
 * A thin client of the daemon: nothing is decided here.
 */
import type { Readable, Writable } from 'node:stream'
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Client } from '../../client/open-client.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Desk } from './desk.ts'
import { openFollower } from './follow.ts'
import { openLink } from './link.ts'
import { openPlaces, type Reading } from './places.ts'
import { openStdioWire } from './stdio-wire.ts'
import { openToolbox, type Toolbox } from './toolbox.ts'

export type McpOptions = {
  /** A client with the token of an agent; starts the daemon where there is none. */
  readonly connect: () => Promise<Client>
  readonly workspace: string
  readonly prefix: string
  /** The run that the environment names; null: none. */
  readonly runId: string | null
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  /** Hears what a person should know; never the client. */
  readonly onFault: (fault: unknown) => void
}

/** Serves until the client goes away. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { connect, workspace, prefix, runId, version, onFault } = options
  const link = openLink(connect)
  const places = openPlaces({ ask: link.ask, workspace, runId, prefix })
  const desk: Desk = { link, places, workspace, prefix }
  /** Those that a client is connected to: a probe of the newer era may come before the real one. */
  const servers = new Set<Server>()
  const follower = openFollower({
    desk,
    onChange: async () => {
      for (const server of servers) await server.sendToolListChanged().catch(onFault)
    },
  })
  const toolbox = openToolbox({ desk, onReading: follower.see, onFault })
  const { wire, ended } = openStdioWire(options)
  const open = (): Server => {
    const server = openServer({ version, toolbox, list: follower.list, prefix })
    servers.add(server)
    server.onclose = () => servers.delete(server)
    return server
  }
  serveStdio(open, { transport: wire, onerror: onFault, maxSubscriptions: 16 })
  await ended
  follower.close()
  link.close()
}

type Setting = {
  readonly version: string
  readonly prefix: string
  readonly toolbox: Toolbox
  readonly list: () => Promise<Reading | null>
}

function openServer({ version, prefix, toolbox, list }: Setting): Server {
  const server = new Server(
    { name: 'pawl', title: 'Pawl', version },
    { capabilities: { tools: { listChanged: true } }, instructions: instructionsOf(prefix) },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: await toolbox.list(await list()) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken
    let beats = 0
    const result = await toolbox.call({
      name: params.name,
      // WHY the cast: the wire has read it as JSON.
      args: (params.arguments ?? {}) as JsonObject,
      signal: mcpReq.signal,
      progress: (message) => {
        if (token === undefined) return
        beats += 1
        const told = { progressToken: token, progress: beats, message }
        // A client that does not listen misses nothing that the answer would not say.
        mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => undefined)
      },
    })
    if (result !== null) return result
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
  })
  return server
}

function instructionsOf(prefix: string): string {
  return (
    'Pawl keeps your work inside a process that people defined. ' +
    `\`${prefix}load_workflow\` begins one, \`${prefix}get_state\` says what to do now and which ` +
    'tools may be used. What is refused comes with what is possible instead. A person decides ' +
    `approvals; \`${prefix}wait\` waits for them.`
  )
}
