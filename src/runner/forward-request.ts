/** Handles one request of a job to its proxy: checks it, and blocks or forwards it. */
import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCodeOf } from '../runtime/error-code.ts'
import {
  type ConnectTarget,
  type Destination,
  destinationsText,
  destinationText,
  findDestination,
  isDestinationInside,
  readTarget,
} from './destinations.ts'

export type Rules = {
  readonly destinations: readonly Destination[]
  /** Hears of every refusal. */
  readonly refused: (what: string) => void
  /** The addresses of a name; none: it is not known. */
  readonly lookUp: (host: string) => Promise<readonly string[]>
}

const lookupMsMax = 10_000
const connectMsMax = 10_000
const idleMsMax = 300_000
/** Of one name. */
const addressesMax = 4
/** How long whoever was refused has to read why. */
const readMs = 1_000

type No = { readonly status: 403 | 502; readonly why: string }

/** `CONNECT host:port`: from then on every byte is carried as it is. */
export async function connectThrough(
  rules: Rules,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  const asked = request.url ?? ''
  const out = await reach(rules, asked, readTarget(asked, null))
  if ('why' in out) {
    socket.end(
      `HTTP/1.1 ${out.status} ${out.status === 403 ? 'Forbidden' : 'Bad Gateway'}\r\n` +
        `content-type: text/plain\r\ncontent-length: ${Buffer.byteLength(out.why)}\r\n` +
        `connection: close\r\n\r\n${out.why}`,
    )
    setTimeout(() => socket.destroy(), readMs).unref()
    return
  }
  if (socket.destroyed) return void out.destroy()
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  out.write(head)
  const onEnd = (fault: unknown): void => {
    if (!fault) return
    socket.destroy()
    out.destroy()
  }
  pipeline(socket, out, onEnd)
  pipeline(out, socket, onEnd)
}

/** Headers that are about this connection and no other. */
const ownHeaders = [
  ...['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'proxy-authenticate'],
]

/** `GET http://host/path` and its like. */
export async function forwardRequest(
  rules: Rules,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = request.url ?? ''
  const url = URL.canParse(asked) ? new URL(asked) : null
  // Another scheme has no meaning here, and half an address is for whoever is not a proxy.
  const target = url?.protocol === 'http:' ? readTarget(url.host, 80) : null
  const out = await reach(rules, asked, target)
  if ('why' in out) return answer(response, out)
  if (url === null) return void out.destroy()
  response.on('close', () => out.destroy())
  // WHY the host anew: behind one address there may be many, and only this one was looked at.
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const headers = {
    ...headersOf(request),
    ...{ host: url.host, connection: 'close' },
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
  }
  const path = `${url.pathname}${url.search}`
  const { method } = request
  const sent = openRequest({ createConnection: () => out, method, path, headers, setHost: false })
  sent.on('response', (came) => {
    try {
      // WHY close: a connection that idles in a job's pool takes the place of one that works.
      const back = { ...headersOf(came), connection: 'close' }
      response.writeHead(came.statusCode ?? 502, back)
    } catch {
      // What can be read cannot always be written: nobody has said `HTTP/1.1 000` on purpose.
      return void response.destroy()
    }
    pipeline(came, response, (fault) => {
      if (fault) response.destroy()
    })
  })
  sent.on('error', (fault) => {
    if (response.headersSent) response.destroy()
    else
      answer(response, {
        status: 502,
        why: `pawl: ${url.host} closed the connection: ${errorCodeOf(fault)}\n`,
      })
  })
  request.pipe(sent)
}

function answer(response: ServerResponse, { status, why }: No): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(why)
}

function headersOf(message: IncomingMessage): Record<string, string[]> {
  const named = (message.headers.connection ?? '').toLowerCase().split(/\s*,\s*/)
  const entries = Object.entries(message.headersDistinct).flatMap(([name, values]) =>
    values === undefined || ownHeaders.includes(name) || named.includes(name)
      ? []
      : [[name, values] as const],
  )
  return Object.fromEntries(entries)
}

/** A connection to where a job wants, if it may. */
async function reach(
  rules: Rules,
  asked: string,
  target: ConnectTarget | null,
): Promise<Socket | No> {
  const { destinations } = rules
  const refuse = (what: string, why: string): No => {
    rules.refused(what)
    const how = 'a person can add hosts to `jobs.network` in `config.json`'
    return {
      status: 403,
      why: `pawl: ${why}; allowed: ${destinationsText(destinations)}; ${how}\n`,
    }
  }
  if (target === null) {
    const what = JSON.stringify(asked.slice(0, 100))
    return refuse(what, `${what} is not a valid destination`)
  }
  const name = destinationText({ host: target.host, ports: [target.port] })
  const entry = findDestination(destinations, target)
  if (entry === null) return refuse(name, `this job may not connect to ${name}`)
  const addresses = await addressesOf(rules, target.host)
  // WHY: a name is whatever its owner says, and must not open what is near to this machine.
  const good =
    isIP(entry.host) === 0 ? addresses.filter((one) => !isDestinationInside(one)) : addresses
  if (addresses.length > 0 && good.length === 0) {
    const where = `${name}, which is ${addresses[0]}`
    return refuse(where, `${where}, is a local address: an entry must name that address itself`)
  }
  for (const address of good.slice(0, addressesMax)) {
    const out = await dial(address, target.port)
    if (out !== null) return out
  }
  return { status: 502, why: `pawl: ${name} could not be reached\n` }
}

/** Empty: the name is not known, or not in time. */
async function addressesOf({ lookUp }: Rules, host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const late = new AbortController()
  const none = pause(lookupMsMax, [], { signal: late.signal, ref: false }).catch(() => [])
  const list = await Promise.race([lookUp(host), none])
  late.abort()
  return list
}

/** Null: nobody answers there. */
function dial(host: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const out = connect({ host, port, allowHalfOpen: true, noDelay: true })
    const fail = (): void => {
      out.destroy()
      resolve(null)
    }
    out.setTimeout(connectMsMax, fail)
    out.once('error', fail)
    out.once('connect', () => {
      out.off('error', fail)
      out.on('error', () => out.destroy())
      out.setTimeout(idleMsMax, () => out.destroy())
      resolve(out)
    })
  })
}
