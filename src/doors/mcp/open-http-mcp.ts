/**
 * Pawl's tools over streamable HTTP. A client of the older protocol version has its own session,
 * which starts with `initialize` and ends with DELETE or after a long idle time. The newer version
 * has no sessions: all clients in one folder without a hook count as one agent. Authentication is
 * done before.
 */
import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  InMemoryServerEventBus,
  isInitializeRequest,
  isLegacyRequest,
  type ServerEvent,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Json } from '../../core/json.ts'
import type { Caller } from '../api/caller.ts'
import {
  type ClientSession,
  type Endpoint,
  type ListChange,
  openClientSession,
  type SessionPlace,
} from './client-session.ts'
import {
  type Complaint,
  complain,
  noSession,
  readHttpMessage,
  requestIdOf,
  tooMany,
  unknownSession,
  whereOf,
} from './http-message.ts'
import type { ReconnectingClient } from './reconnecting-client.ts'
import { runUris } from './resources.ts'

type HttpMcpOptions = {
  readonly endpoint: Endpoint
  /** A link to the daemon, as an agent. */
  readonly link: (caller: Caller) => ReconnectingClient
  readonly version: string
  readonly onFault: (fault: unknown) => void
  readonly limits?: Partial<HttpMcpLimits>
}

export type HttpMcpLimits = {
  /** Clients at a time, of both eras together. */
  readonly clientsMax: number
  /** A client that asks nothing for so long, and listens to nothing, is forgotten. */
  readonly silenceMs: number
}

export type HttpMcp = {
  readonly answer: (request: Request, caller: Caller) => Promise<Response>
  /** Ends every session and stream. */
  readonly close: () => Promise<void>
}

/** One session of the older era, or all clients of the newer one in one place. */
type Client = {
  readonly answer: (request: Request, body: Json | undefined) => Promise<Response>
  readonly close: () => Promise<void>
  /** Requests and streams that are open. */
  readonly openCount: () => number
  lastAt: number
}

const limitsDefault: HttpMcpLimits = { clientsMax: 100, silenceMs: 30 * 60_000 }
const sweepMs = 10_000
const subscriptionsMax = 16

export function openHttpMcp(options: HttpMcpOptions): HttpMcp {
  const limits = { ...limitsDefault, ...options.limits }
  /** By the id of a session, or by the place of a client without one. */
  const clients = new Map<string, Client>()
  const forget = (key: string): void => {
    const client = clients.get(key)
    clients.delete(key)
    client?.close().catch(options.onFault)
  }
  const sweep = (): void => {
    const before = performance.now() - limits.silenceMs
    for (const [key, one] of clients) if (one.lastAt < before && one.openCount() === 0) forget(key)
  }
  const timer = setInterval(sweep, Math.min(sweepMs, limits.silenceMs)).unref()
  const enter = (key: string, open: () => Client): Client | null => {
    const known = clients.get(key)
    if (known !== undefined) return known
    if (clients.size >= limits.clientsMax) {
      const idle = [...clients].filter(([, one]) => one.openCount() === 0)
      const [oldest] = idle.sort(([, left], [, right]) => left.lastAt - right.lastAt)
      if (oldest === undefined) return null
      forget(oldest[0])
    }
    const client = open()
    clients.set(key, client)
    return client
  }
  const clientFor = async (asked: HttpQuestion): Promise<ClientOrError> => {
    const { request, body, caller } = asked
    const isOlder = await isLegacyRequest(request, body)
    const session = request.headers.get('mcp-session-id')
    const whose = caller.session?.name ?? ''
    if (isOlder && session !== null) return clients.get(`${whose} ${session}`) ?? unknownSession
    if (isOlder && !isInitializeRequest(body)) return noSession
    const where = whereOf(options.endpoint, new URL(request.url).searchParams)
    if ('code' in where) return where
    const id = randomUUID()
    const setting = { ...options, where, caller }
    const key = `${whose} ${id}`
    return isOlder
      ? (enter(key, () => openSession(setting, { id, onEnd: () => forget(key) })) ?? tooMany)
      : (enter(`${whose} ${JSON.stringify(where)}`, () => openStateless(setting)) ?? tooMany)
  }
  return {
    answer: async (request, caller) => {
      const read = await readHttpMessage(request)
      if ('code' in read) return complain(read)
      const client = await clientFor({ request, body: read.body, caller })
      if ('code' in client) return complain({ ...client, id: requestIdOf(read.body) })
      client.lastAt = performance.now()
      return client.answer(request, read.body)
    },
    close: async () => {
      clearInterval(timer)
      const all = [...clients.values()]
      clients.clear()
      await Promise.all(all.map((one) => one.close()))
    },
  }
}

type ClientOrError = Client | Complaint

type Setting = HttpMcpOptions & { readonly where: SessionPlace; readonly caller: Caller }

type HttpQuestion = {
  readonly request: Request
  readonly body: Json | undefined
  readonly caller: Caller
}

type Session = { readonly id: string; readonly onEnd: () => void }

function openSession(setting: Setting, { id, onEnd }: Session): Client {
  const { where, link, caller, version, onFault } = setting
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: onEnd,
  })
  const seat = openClientSession({
    ...where,
    link: link(caller),
    version,
    onFault,
    onChange: (change) => tell(change).catch(onFault),
  })
  const { server, tell } = seat.open('legacy')
  const connected = server.connect(transport)
  const counted = openCount()
  return {
    lastAt: performance.now(),
    openCount: counted.count,
    answer: async (request, body) => {
      await connected
      const more = body === undefined ? {} : { parsedBody: body }
      return counted.until(await transport.handleRequest(request, more))
    },
    close: async () => {
      seat.close()
      await server.close()
    },
  }
}

function openStateless({ where, link, caller, version, onFault }: Setting): Client {
  const bus = new InMemoryServerEventBus(onFault)
  const seat: ClientSession = openClientSession({
    ...where,
    link: link(caller),
    version,
    onFault,
    onChange: async (change) => {
      for (const event of eventsOf(change)) bus.publish(event)
    },
  })
  const handler = createMcpHandler(() => seat.open('modern').server, {
    legacy: 'reject',
    // WHY: a stream beats while a call waits; the door ends a connection on which nothing is said.
    responseMode: 'sse',
    bus,
    maxSubscriptions: subscriptionsMax,
  })
  const counted = openCount()
  return {
    lastAt: performance.now(),
    openCount: counted.count,
    answer: async (request, body) => {
      const more = body === undefined ? {} : { parsedBody: body }
      return counted.until(await handler.fetch(request, more))
    },
    close: async () => {
      seat.close()
      await handler.close()
    },
  }
}

function eventsOf(change: ListChange): readonly ServerEvent[] {
  if (change.kind === 'tools') return [{ kind: 'tools_list_changed' }]
  return runUris(change.runId).map((uri) => ({ kind: 'resource_updated', uri }))
}

type OpenCount = {
  readonly count: () => number
  /** The same response; it counts as open until all of it was read or nobody reads on. */
  readonly until: (response: Response) => Response
}

function openCount(): OpenCount {
  let count = 0
  return {
    count: () => count,
    until: (response) => {
      if (response.body === null) return response
      count += 1
      const body = response.body.pipeThrough(
        new TransformStream({
          flush: () => {
            count -= 1
          },
          cancel: () => {
            count -= 1
          },
        }),
      )
      return new Response(body, response)
    },
  }
}
