/**
 * One server behind the gateway: started when it is needed, restarted when it has ended, called
 * with a timeout. Every new connection is checked before a call goes through it.
 * Knows the protocol's handshake. Must not know what may be called.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayCode } from '../core/errors.ts'
import { asObject, type Json, type JsonObject } from '../core/json.ts'
import {
  codes,
  isRequest,
  isResponse,
  progressTokenOf,
  type RpcError,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from './json-rpc.ts'
import type { UpstreamWire, WireEnd, WireListeners } from './server-transport.ts'

/** What came of a request. */
export type UpstreamAnswer =
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'error'; readonly error: RpcError }
  | UpstreamFailure
  | { readonly kind: 'cancelled' }
export type UpstreamFailure = {
  readonly kind: 'failed'
  readonly code: GatewayCode
  readonly reason: string
  readonly hint: string
}

/** Called once. */
export type UpstreamResult = (answered: UpstreamAnswer) => void

export type UpstreamRequest = (method: string, params?: JsonObject) => Promise<UpstreamAnswer>

export type RequestManner = {
  readonly signal?: AbortSignal
  /**
   * Asked with nothing between it and the request: why it is not made after all; null: it is.
   * WHY: a server that was started anew may be another.
   */
  readonly before?: () => UpstreamFailure | null
}

export type McpUpstream = {
  readonly name: string
  /** What it says it can do; empty until it is connected. */
  readonly can: (what: string) => boolean
  /**
   * Over the connection that there is. WHY none is waited for: what was judged before the wait may
   * be forbidden after it.
   */
  readonly request: (
    method: string,
    params: JsonObject,
    manner?: RequestManner,
  ) => Promise<UpstreamAnswer>
  /** The same, told in the turn in which the answer comes; gives how to leave. */
  readonly begin: (method: string, params: JsonObject, done: UpstreamResult) => () => void
  /** Nothing is sent while there is no connection. */
  readonly notify: (message: RpcNotification) => void
  /** Answers what the server asked. */
  readonly respond: (message: RpcMessage) => void
  readonly isConnected: () => boolean
  /** Null: it is connected now; else why not. */
  readonly ensure: () => Promise<UpstreamFailure | null>
  readonly close: () => Promise<void>
}

type UpstreamOptions = {
  readonly name: string
  readonly timeoutMs: number
  /** Starts or reaches it. A refusal is given back as an ending; what is thrown is one too. */
  readonly open: (ears: WireListeners) => Promise<UpstreamWire | WireEnd>
  /** What the gateway says of itself and its client. */
  readonly greeting: () => JsonObject
  /** Looks at a new connection; calls wait for it. */
  readonly onConnected: (ask: UpstreamRequest, can: (what: string) => boolean) => Promise<void>
  /** Hears what the server asks or tells. */
  readonly onMessage: (message: RpcRequest | RpcNotification) => void
  readonly log: (what: string) => void
}

const handshakeMsMax = 30_000
/** So often it is started within the time; then it rests. */
const startsMax = 6
const startsWindowMs = 300_000
const delayMsMax = 10_000
/** Changes that are remembered until a connection is one. */
const earlyMax = 20
/** Requests that one server works on. */
const requestsMax = 512

type Pending = {
  readonly resolve: UpstreamResult
  readonly token: RpcId | null
  readonly timeoutMs: number
  /** When it has taken too long. */
  until: number
  readonly onLate: () => void
}
type Line = {
  wire: UpstreamWire | null
  ended: WireEnd | null
  abilities: JsonObject
  readonly pending: Map<number, Pending>
  /** When it is looked next for what takes too long. */
  look: { readonly at: number; readonly timer: NodeJS.Timeout } | null
  /** Changes that were told while it was looked at for the first time; null: that is over. */
  early: RpcNotification[] | null
}

export function openUpstream(options: UpstreamOptions): McpUpstream {
  const { name, timeoutMs, log } = options
  let line: Line | null = null
  /** The same, from the first word on. */
  let talking: Line | null = null
  let opening: Promise<UpstreamFailure | null> | null = null
  let isClosed = false
  const starts: number[] = []
  const can = (what: string): boolean => asObject(line?.abilities[what]) !== null
  const onEnd = (one: Line, why: WireEnd): void => {
    one.ended = why
    const failed = lostText(name, why)
    for (const id of [...one.pending.keys()]) settle(one, id, failed)
    if (line !== one) return
    line = null
    log(failed.reason)
    // Again, as soon as it may: a server may have something to tell without being asked.
    if (!isClosed) void ensure()
  }
  const isConnected = (): boolean => line?.ended === null
  const ensure = (): Promise<UpstreamFailure | null> => {
    if (isConnected()) return connected
    if (isClosed) return Promise.resolve(lostText(name, closedWhy))
    const onOpen = (one: Line): void => {
      talking = one
    }
    opening ??= connect({ options, starts, onEnd, onOpen })
      .then((opened) => {
        if ('kind' in opened) return opened
        line = opened
        for (const message of opened.early ?? []) options.onMessage(message)
        opened.early = null
        return null
      })
      .finally(() => {
        opening = null
      })
    return opening
  }
  return {
    name,
    can,
    isConnected,
    ensure,
    request: (method, params, { signal, before } = {}) => {
      const refused = before?.() ?? null
      if (refused !== null) return Promise.resolve(refused)
      return exchange(line, { name, method, params, timeoutMs, signal })
    },
    begin: (method, params, done) => begin(line, { name, method, params, timeoutMs }, done),
    notify: (message) => line?.wire?.send(message),
    respond: (message) => talking?.wire?.send(message),
    close: async () => {
      isClosed = true
      await opening
      const wire = line?.wire
      line = null
      await wire?.close()
    },
  }
}

const connected = Promise.resolve(null)
const closedWhy: WireEnd = { code: 'UPSTREAM_LOST', reason: 'the gateway is closing' }

function lostText(name: string, { code, reason }: WireEnd): UpstreamFailure {
  const hint =
    code === 'TOOL_UNPINNED'
      ? 'a person can review it with `pawl gateway pins` and accept it with `pawl gateway accept`'
      : 'a call in progress may have happened: check before you repeat it; the server restarts'
  return { kind: 'failed', code, reason: `the server \`${name}\`: ${reason}`, hint }
}

const unopened = { wire: null, ended: null, abilities: {}, look: null }

type Connecting = {
  readonly options: UpstreamOptions
  /** When it was started, within the window. */
  readonly starts: number[]
  readonly onEnd: (line: Line, why: WireEnd) => void
  /** The wire is there, and may carry answers. */
  readonly onOpen: (line: Line) => void
}

async function connect({
  options,
  starts,
  onEnd,
  onOpen,
}: Connecting): Promise<Line | UpstreamFailure> {
  const { name, open, greeting, onMessage, onConnected } = options
  const now = performance.now()
  while (starts.length > 0 && now - (starts[0] ?? 0) > startsWindowMs) starts.shift()
  if (starts.length >= startsMax) {
    const minutes = startsWindowMs / 60_000
    const reason = `restarted ${startsMax} times in ${minutes} minutes; not retrying for now`
    return lostText(name, { code: 'UPSTREAM_LOST', reason })
  }
  if (starts.length > 0) await sleep(Math.min(delayMsMax, 50 * 3 ** (starts.length - 1)))
  const line: Line = { ...unopened, pending: new Map(), early: [] }
  const ears: WireListeners = {
    onMessage: (message) => receive(line, message, onMessage),
    onEnd: (why) => onEnd(line, why),
  }
  const wire = await open(ears).catch(
    (fault: unknown): WireEnd => ({
      code: 'UPSTREAM_LOST',
      reason: `it failed to start: ${fault instanceof Error ? fault.message : String(fault)}`,
    }),
  )
  if ('code' in wire) return lostText(name, wire)
  starts.push(performance.now())
  line.wire = wire
  onOpen(line)
  const ask =
    (timeoutMs: number): UpstreamRequest =>
    (method, params = {}) =>
      exchange(line, { name, method, params, timeoutMs })
  const greeted = await ask(handshakeMsMax)('initialize', greeting())
  const result = greeted.kind === 'result' ? asObject(greeted.result) : null
  if (result === null) {
    await wire.close()
    if (greeted.kind === 'failed') return greeted
    const said = greeted.kind === 'error' ? `: ${greeted.error.message}` : ''
    return lostText(name, { code: 'UPSTREAM_LOST', reason: `it rejected the handshake${said}` })
  }
  line.abilities = asObject(result.capabilities) ?? {}
  wire.agree(String(result.protocolVersion))
  wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await onConnected(ask(handshakeMsMax), (what) => asObject(line.abilities[what]) !== null)
  return line.ended === null ? line : lostText(name, line.ended)
}

type ExchangeRequest = {
  readonly name: string
  readonly method: string
  readonly params: JsonObject
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

let lastId = 0

function exchange(line: Line | null, asking: ExchangeRequest): Promise<UpstreamAnswer> {
  const { signal } = asking
  return new Promise((resolve) => {
    const leave = begin(line, asking, resolve)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

/** Sends a request; gives how to say that the answer is no longer wanted. */
function begin(line: Line | null, asking: ExchangeRequest, done: UpstreamResult): () => void {
  const { name, method, params, timeoutMs } = asking
  if (line === null || line.ended !== null || line.wire === null) {
    done(lostText(name, line?.ended ?? goneWhy))
    return nothing
  }
  if (line.pending.size >= requestsMax) {
    done(tooMany(name))
    return nothing
  }
  const { wire, pending } = line
  lastId += 1
  const id = lastId
  const giveUp = (reason: string, answered: UpstreamAnswer): void => {
    if (!pending.has(id)) return
    const told = { requestId: id, reason }
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: told })
    settle(line, id, answered)
  }
  const until = performance.now() + timeoutMs
  const onLate = (): void => giveUp('it took too long', timeOver(name, timeoutMs))
  pending.set(id, { resolve: done, token: progressTokenOf(params), timeoutMs, until, onLate })
  // WHY first: the server works on it while the rest is made ready.
  try {
    wire.send({ jsonrpc: '2.0', id, method, params })
  } catch (fault) {
    pending.delete(id)
    throw fault
  }
  lookAt(line, until)
  return () => giveUp('the client canceled it', { kind: 'cancelled' })
}

/**
 * WHY one timer for all: nearly everything is answered long before, and a timer for each call would
 * cost the server the time in which it answers.
 */
function lookAt(line: Line, at: number): void {
  if (line.look !== null && line.look.at <= at) return
  clearTimeout(line.look?.timer)
  const look = (): void => {
    line.look = null
    const now = performance.now()
    for (const one of [...line.pending.values()]) if (one.until <= now) one.onLate()
    const next = Math.min(...[...line.pending.values()].map(({ until }) => until))
    if (next !== Number.POSITIVE_INFINITY) lookAt(line, next)
  }
  // WHY rounded up: a timer may come a little early, and would look again and again.
  const timer = setTimeout(look, Math.ceil(at - performance.now()) + 1)
  // Who waits for an answer holds the wire open, which is enough.
  line.look = { at, timer: timer.unref() }
}

const nothing = (): void => undefined

const goneWhy: WireEnd = {
  code: 'UPSTREAM_LOST',
  reason: 'it disconnected before the request was sent',
}

function tooMany(name: string): UpstreamFailure {
  const reason = `the server \`${name}\` is already working on ${requestsMax} requests`
  return { kind: 'failed', code: 'UPSTREAM_TIMEOUT', reason, hint: 'try again in a moment' }
}

function timeOver(name: string, timeoutMs: number): UpstreamFailure {
  const reason = `the server \`${name}\` did not respond for ${timeoutMs / 1_000} s`
  const hint = 'it may have happened: check before you repeat it'
  return { kind: 'failed', code: 'UPSTREAM_TIMEOUT', reason, hint }
}

function settle({ pending }: Line, id: number, answered: UpstreamAnswer): void {
  const one = pending.get(id)
  if (one === undefined) return
  pending.delete(id)
  one.resolve(answered)
}

const noObject: RpcError = {
  code: codes.internal,
  message: 'the server answered with something other than an object',
}

function receive(
  line: Line,
  message: RpcMessage,
  onMessage: (message: RpcRequest | RpcNotification) => void,
): void {
  if (isResponse(message)) {
    const id = typeof message.id === 'number' ? message.id : Number.NaN
    // An answer that nobody waits for is nobody's.
    if ('error' in message) settle(line, id, { kind: 'error', error: message.error })
    else if (asObject(message.result) === null) settle(line, id, { kind: 'error', error: noObject })
    else settle(line, id, { kind: 'result', result: message.result })
    return
  }
  if (!isRequest(message) && message.method === 'notifications/progress') {
    const token = message.params?.progressToken
    const waiting = [...line.pending.values()].filter((one) => one.token === token)
    // WHY: a server speaks of its own calls only.
    if (waiting.length === 0) return
    for (const one of waiting) one.until = performance.now() + one.timeoutMs
  }
  if (line.early !== null && !isRequest(message) && message.method.endsWith('/list_changed')) {
    if (line.early.length < earlyMax) line.early.push(message)
    return
  }
  onMessage(message)
}
