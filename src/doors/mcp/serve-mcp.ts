/**
 * Pawl's tools over MCP on stdio, for one client, in both protocol versions. A thin client of the
 * daemon: nothing is decided here.
 */
import type { Readable, Writable } from 'node:stream'
import type { McpServerFactory } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Client } from '../../client/open-client.ts'
import { openClientSession, type SessionPlace } from './client-session.ts'
import type { OpenedServer } from './open-server.ts'
import { openReconnectingClient } from './reconnecting-client.ts'
import { openStdioWire } from './stdio-wire.ts'

type McpOptions = SessionPlace & {
  /** A client with the token of an agent; starts the daemon where there is none. */
  readonly connect: () => Promise<Client>
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  /** Hears what a person should know; never the client. */
  readonly onFault: (fault: unknown) => void
}

/** Serves until the client goes away. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { connect, onFault } = options
  /** Those that a client is connected to: a probe of the newer era may come before the real one. */
  const connections = new Set<OpenedServer>()
  const seat = openClientSession({
    ...options,
    link: openReconnectingClient(connect),
    onChange: async (change) => {
      for (const one of connections) await one.tell(change).catch(onFault)
    },
  })
  const { wire, ended } = openStdioWire(options)
  const open: McpServerFactory = ({ era }) => {
    const connection = seat.open(era)
    connections.add(connection)
    connection.server.onclose = () => connections.delete(connection)
    return connection.server
  }
  serveStdio(open, { transport: wire, onerror: onFault, maxSubscriptions: 16 })
  await ended
  seat.close()
}
