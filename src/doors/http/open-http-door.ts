/**
 * The API over HTTP, on loopback only. Handles connections and their limits; requests go to the
 * API that HTTP and the socket share.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Api } from '../api/api.ts'
import { openPageFiles } from './dashboard-files.ts'
import { limitConnections } from './limit-connections.ts'
import type { Mount } from './mount-route.ts'
import { ownNames, refuseRequest } from './request-guard.ts'
import { openRoutes } from './routes.ts'
import { sendProblem } from './send.ts'

export type HttpDoorOptions = {
  readonly api: Api
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** Where the files of the page are; absent: there is no page. */
  readonly pageFolder?: string
  /** What is reached here beside the API. Absent: nothing. */
  readonly mounts?: readonly Mount[]
  /** Where people reach the links for them from elsewhere; absent: nowhere. */
  readonly publicUrl?: string | null
  readonly limits?: Partial<HttpLimits>
}

export type HttpLimits = {
  readonly connectionsMax: number
  /** Connections of agents and hooks; the rest is left for people. */
  readonly agentsMax: number
  readonly headerBytesMax: number
  /** Until all headers of a request are here. */
  readonly headersMs: number
  /** Until all of a request is here. */
  readonly requestMs: number
  readonly keepAliveMs: number
  /** Nothing sent and nothing read for so long: longer than any wait or beat. */
  readonly silenceMs: number
  /** How long what was begun may take when the door closes. */
  readonly closeMs: number
}

export type HttpDoor = {
  readonly url: string
  /** Where people open the page: under `localhost`, unless somebody else answers there. */
  readonly pageUrl: string
  readonly port: number
  /** Finishes what was begun, for a while, and ends streams. */
  readonly close: () => Promise<void>
}

const limitsDefault: HttpLimits = {
  connectionsMax: 2_000,
  agentsMax: 1_800,
  headerBytesMax: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 30_000,
  silenceMs: 120_000,
  closeMs: 2_000,
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1'])

/** Opens the door. Faults: `CONFIG_INVALID`. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { api, host, mounts = [] } = options
  if (!loopback.has(host)) {
    throw new PawlError('CONFIG_INVALID', `the daemon does not listen on \`${host}\``, {
      hint: 'use `127.0.0.1`; for access over a network, put a TLS proxy in front',
    })
  }
  const limits = { ...limitsDefault, ...options.limits }
  const closing = new AbortController()
  const { server, port, twin } = await listenOnLoopback(limits, host, options.port)
  const own = ownNames(port, options.publicUrl ?? null)
  const { pageFolder } = options
  const files = pageFolder === undefined ? null : openPageFiles(pageFolder)
  const connections = limitConnections(limits)
  const { identify } = connections
  const routes = openRoutes({ api, mounts, closing: closing.signal, files, identify })
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.once('close', connections.begin(request.socket))
    const refusal = refuseRequest(request, own)
    if (refusal === null) return void routes(request, response)
    api.metrics.countOperation({ operation: 'none', door: 'http', outcome: refusal.code })
    // WHY close: whoever is refused here may still be sending a body that nobody reads.
    sendProblem(response, refusal, { connection: 'close' })
  }
  const servers = twin === null || twin === 'taken' ? [server] : [server, twin]
  for (const one of servers) one.on('request', answer).on('connection', connections.add)
  api.metrics.addGauge({
    name: 'pawl_http_connections',
    help: 'open HTTP connections',
    read: connections.count,
  })
  const shownHost = host === '::1' ? '[::1]' : host
  const url = `http://${shownHost}:${port}`
  const isOurs = host === '127.0.0.1' && twin !== 'taken'
  return {
    url,
    pageUrl: isOurs ? `http://localhost:${port}` : url,
    port,
    close: async () => {
      closing.abort()
      await Promise.all(servers.map((one) => close(one, limits)))
    },
  }
}

type Listening = {
  readonly server: Server
  readonly port: number
  /** The same port of the other loopback address; null: there is none. */
  readonly twin: Server | 'taken' | null
}

/** How many free ports are tried until one is free on both loopback addresses. */
const portTriesMax = 5

/**
 * WHY both addresses: passkeys need the name `localhost`, which a browser may look up as either.
 * Whoever else had the other one would be taken for this daemon.
 */
async function listenOnLoopback(
  limits: HttpLimits,
  host: string,
  wanted: number,
): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    const server = openServer(limits)
    const port = await listen(server, host, wanted)
    const twin = host === '127.0.0.1' ? await openTwin(limits, port) : null
    if (twin !== 'taken' || wanted !== 0 || tries >= portTriesMax) return { server, port, twin }
    await new Promise((resolve) => server.close(resolve))
  }
}

async function openTwin(limits: HttpLimits, port: number): Promise<Listening['twin']> {
  const twin = openServer(limits)
  return new Promise((resolve) => {
    // A machine without the address has nobody else there either.
    twin.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' || code === 'EACCES' ? 'taken' : null),
    )
    twin.listen({ port, host: '::1', ipv6Only: true }, () => resolve(twin))
  })
}

function openServer(limits: HttpLimits): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: 1_000,
    // The guard answers instead, in our own words.
    requireHostHeader: false,
  })
  server.setTimeout(limits.silenceMs)
  return server
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const hint = 'choose another port, or 0 for any free port'
      const message = `cannot listen on port ${port}: ${cause.code ?? cause.message}`
      reject(new PawlError('CONFIG_INVALID', message, { hint, cause }))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

async function close(server: Server, limits: HttpLimits): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), limits.closeMs)
  await closed
  clearTimeout(timer)
}
