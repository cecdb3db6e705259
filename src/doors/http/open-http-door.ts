/**
 * The API over HTTP, on loopback only. Handles connections and their limits; requests go to the
 * API that HTTP and the socket share.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Api } from '../api/api.ts'
import { openPageFiles } from './dashboard-files.ts'
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
  readonly port: number
  /** Finishes what was begun, for a while, and ends streams. */
  readonly close: () => Promise<void>
}

const limitsDefault: HttpLimits = {
  connectionsMax: 2_000,
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
  const server = openServer(limits)
  const port = await listen(server, host, options.port)
  const own = ownNames(port, options.publicUrl ?? null)
  const { pageFolder } = options
  const files = pageFolder === undefined ? null : openPageFiles(pageFolder)
  const routes = openRoutes({ api, mounts, closing: closing.signal, files })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refuseRequest(request, own)
    if (refusal === null) return void routes(request, response)
    api.metrics.countOperation({ operation: 'none', door: 'http', outcome: refusal.code })
    // WHY close: whoever is refused here may still be sending a body that nobody reads.
    sendProblem(response, refusal, { connection: 'close' })
  })
  api.metrics.addGauge({
    name: 'pawl_http_connections',
    help: 'open HTTP connections',
    read: countConnections(server),
  })
  const shownHost = host === '::1' ? '[::1]' : host
  return { url: `http://${shownHost}:${port}`, port, close: () => close(server, closing, limits) }
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
  server.maxConnections = limits.connectionsMax
  server.setTimeout(limits.silenceMs)
  return server
}

function countConnections(server: Server): () => number {
  let count = 0
  server.on('connection', (socket) => {
    count += 1
    socket.once('close', () => {
      count -= 1
    })
  })
  return () => count
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

async function close(server: Server, closing: AbortController, limits: HttpLimits): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  closing.abort()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), limits.closeMs)
  await closed
  clearTimeout(timer)
}
