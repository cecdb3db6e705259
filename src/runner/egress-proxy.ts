/**
 * The only way out of a job with a list of destinations: a forward proxy on a socket in its
 * folder. It accepts `CONNECT` and requests for full `http:` URLs. It resolves a name once, and
 * connects to the address that it has checked.
 */

import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorCodeOf } from '../runtime/error-code.ts'
import { type BlockedConnections, countBlocked, keepBlocked } from './blocked-connections.ts'
import type { Destination } from './destinations.ts'
import { connectThrough, forwardRequest, type Rules } from './forward-request.ts'

export type EgressProxy = {
  /** Resolves when the job can use it. Faults are those of the system. */
  readonly opened: Promise<unknown>
  readonly close: () => void
}

type OutletSettings = {
  readonly folder: string
  readonly destinations: readonly Destination[]
  readonly refusals: BlockedConnections
}

/** Of one job: twice what its relay carries, since an end may be heard late. */
const connectionsMax = 128
/** Without a byte in either direction. */
const idleMsMax = 300_000
const headMsMax = 10_000
const headBytesMax = 64 * 1024
/** How long a count of refusals may be known by memory alone. */
const keepMs = 100

export function openEgressProxy({ folder, destinations, refusals }: OutletSettings): EgressProxy {
  // WHY by an open folder: an address of a socket has at most 107 bytes, and paths may be longer.
  const place = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const path = `/proc/self/fd/${place}/network`
  // What a daemon that was killed has left.
  rmSync(path, { force: true })
  let timer: NodeJS.Timeout | null = null
  const keep = (): void => {
    timer = null
    keepBlocked(folder, refusals)
  }
  const refused = (what: string): void => {
    countBlocked(refusals, what)
    timer ??= setTimeout(keep, keepMs)
  }
  const server = createServer({
    ...{ maxHeaderSize: headBytesMax, headersTimeout: headMsMax, requestTimeout: 0 },
  })
  const sockets = new Set<Duplex>()
  server.maxConnections = connectionsMax
  server.timeout = idleMsMax
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  const rules = { destinations, refused, lookUp: lookUpInTurn() }
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    connectThrough(rules, request, { socket, head }).catch(() => socket.destroy())
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    forwardRequest(rules, request, response).catch(() => response.destroy())
  })
  server.on('clientError', (fault, socket) => {
    // WHY only these: a job that hangs up has not asked for anything.
    if (errorCodeOf(fault).startsWith('HPE_')) refused('something that is not a proxy request')
    socket.destroy()
  })
  server.on('error', (fault) => {
    refusals.fault = errorCodeOf(fault)
  })
  server.listen(path)
  return {
    opened: once(server, 'listening'),
    close: () => {
      // INVARIANT: the folder stays open until the socket in it is removed, which is by its number.
      server.close(() => closeSync(place))
      for (const socket of sockets) socket.destroy()
      if (timer !== null) clearTimeout(timer)
      keep()
    },
  }
}

/**
 * WHY one after the other: each takes one of the few threads that the daemon has, and a job could
 * keep all of them waiting for names that nobody answers for.
 */
function lookUpInTurn(): Rules['lookUp'] {
  let last: Promise<unknown> = Promise.resolve()
  return (host) => {
    const next = last
      .then(() => lookup(host, { all: true }))
      .then((list) => list.map(({ address }) => address))
      // Not known, or not to be asked now: either way there is nowhere to connect to.
      .catch((): readonly string[] => [])
    last = next
    return next
  }
}
