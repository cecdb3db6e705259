/**
 * Relays messages between the client and the servers: requests of the client go to their server,
 * and requests and notifications of servers go to the client. Both sides get new ids, so that
 * nobody can answer for somebody else.
 */
import { asObject, type JsonObject, own } from '../core/json.ts'
import { openGatewayJudge } from './call-lifecycle.ts'
import { forwardUnguarded, type ToolCallResult } from './call-tool.ts'
import { openCatalogue } from './catalogue.ts'
import { type Method, methodsOf } from './client-methods.ts'
import type { GatewayContext } from './gateway-context.ts'
import type { ServerEntry } from './gateway-file.ts'
import {
  codes,
  isRequest,
  isResponse,
  messageText,
  progressTokenOf,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  tooDeep,
} from './json-rpc.ts'
import { openServerRequests } from './server-requests.ts'
import { openUpstreamServer, protocolVersion, type Server } from './upstream-server.ts'

export type Relay = {
  /** Takes a message of the client. */
  readonly receive: (message: RpcMessage) => void
  /** Looks whether a stage has changed what may be shown. Never fails. */
  readonly look: () => Promise<void>
  /** Looks whether a person has agreed to what waits. Never fails. */
  readonly lookAgain: () => Promise<void>
  readonly close: () => Promise<void>
}

type RelayOptions = {
  readonly context: GatewayContext
  readonly entries: readonly ServerEntry[]
  readonly version: string
  /** Sends to the client. `maybe`: only while it reads as fast as we write. */
  readonly send: (text: string, mode: 'surely' | 'maybe') => void
}

/** Requests of the client at a time. */
const requestsMax = 256
const versions = new Set(['2024-11-05', '2025-03-26', '2025-06-18', protocolVersion])

export function openRelay({ context, entries, version, send }: RelayOptions): Relay {
  let abilities: JsonObject | null = null
  const open = new Map<RpcId, Leaving>()
  const tell = (message: RpcMessage, mode: 'surely' | 'maybe' = 'surely'): void => {
    const text = messageText(message)
    if (text !== null) send(text, mode)
    else if (isResponse(message)) send(JSON.stringify(tooDeep(message.id)), mode)
  }
  const servers = new Map<string, Server>()
  const asks = openServerRequests({ servers, tell, abilities: () => abilities, log: context.log })
  const look = (): Promise<void> =>
    catalogue
      .look()
      .catch((fault: unknown) =>
        context.log(`could not find out which tools to show: ${String(fault)}`),
      )
  const ears = {
    onMessage: asks.hear,
    onOffers: () => void look(),
    abilities: () => abilities ?? {},
  }
  for (const entry of entries) servers.set(entry.name, openUpstreamServer(entry, context, ears))
  const catalogue = openCatalogue({
    context,
    servers,
    onChange: (kind) => tell({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }),
  })
  const { judge, judgeFreely, close: closeJudge } = openGatewayJudge(context)
  const work = { context, catalogue, judge, judgeFreely, servers }
  const pass: Pass = (params, done) => forwardUnguarded(work, params, done)
  const answer = openAnswering({ methods: methodsOf(work), pass, open, tell, send })
  const hear = ({ method, params }: RpcNotification): void => {
    if (method === 'notifications/cancelled') {
      const id = params?.requestId
      if (typeof id === 'string' || typeof id === 'number') open.get(id)?.abort()
      return
    }
    if (method === 'notifications/roots/list_changed') {
      for (const { upstream } of servers.values()) upstream.notify({ jsonrpc: '2.0', method })
    }
    if (method === 'notifications/progress')
      asks.forward({ jsonrpc: '2.0', method, params: params ?? {} })
  }
  return {
    receive: (message) => {
      if (isResponse(message)) return asks.answer(message)
      if (!isRequest(message)) return hear(message)
      if (message.method === 'ping') return tell({ jsonrpc: '2.0', id: message.id, result: {} })
      if (message.method !== 'initialize') {
        if (abilities !== null) return answer(message)
        return tell(unopened(message.id))
      }
      abilities = asObject(message.params?.capabilities) ?? {}
      tell({ jsonrpc: '2.0', id: message.id, result: welcome(message, version) })
      // They are started while the client is still busy with itself.
      for (const { upstream } of servers.values()) void upstream.ensure()
    },
    look,
    lookAgain: async () => {
      if (abilities === null) return
      for (const server of servers.values()) await server.lookAgain()
    },
    close: async () => {
      for (const left of open.values()) left.abort()
      await Promise.all([...servers.values()].map(({ upstream }) => upstream.close()))
      await closeJudge()
    },
  }
}

type Leaving = { abort: () => void }
/** Null: it has to be answered with more care. */
type Pass = (params: JsonObject, done: (told: ToolCallResult) => void) => (() => void) | null

type Answering = Pick<RelayOptions, 'send'> & {
  readonly methods: Readonly<Record<string, Method>>
  readonly pass: Pass
  /** Requests that are being worked on, and how each is given up. */
  readonly open: Map<RpcId, Leaving>
  readonly tell: (message: RpcMessage, mode?: 'surely' | 'maybe') => void
}

/** Answers requests of the client, each once, unless it no longer wants to know. */
function openAnswering({ methods, pass, open, tell, send }: Answering) {
  const finish = (id: RpcId, told: ToolCallResult): void => {
    open.delete(id)
    if (told === null) return
    if ('error' in told) return tell({ jsonrpc: '2.0', id, error: told.error })
    const text = messageText(told.result)
    if (text === null) tell(tooDeep(id))
    else send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, 'surely')
    told.after?.(Buffer.byteLength(text ?? ''))
  }
  const work = async (handle: Method, { id, params = {} }: RpcRequest): Promise<void> => {
    const left = new AbortController()
    open.set(id, left)
    const token = progressTokenOf(params)
    let beats = 0
    const progress = (message: string): void => {
      if (token === null) return
      beats += 1
      const told = { progressToken: token, progress: beats, message }
      tell({ jsonrpc: '2.0', method: 'notifications/progress', params: told }, 'maybe')
    }
    finish(id, await handle({ params, signal: left.signal, progress }).catch(faultOf))
  }
  return (request: RpcRequest): void => {
    const { id, method, params = {} } = request
    const handle = own(methods, method)
    if (handle === undefined) {
      const message = `Method not found: ${method.slice(0, 100)}`
      return tell({ jsonrpc: '2.0', id, error: { code: codes.methodUnknown, message } })
    }
    if (open.has(id)) return tell(twice(id))
    if (open.size >= requestsMax) return tell(overloaded(id))
    if (method !== 'tools/call') return void work(handle, request)
    const leaving = { abort: (): void => undefined }
    // WHY before: it may have ended when it has begun.
    open.set(id, leaving)
    try {
      const leave = pass(params, (told) => finish(id, told))
      if (leave === null) void work(handle, request)
      else leaving.abort = leave
    } catch (fault) {
      finish(id, faultOf(fault))
    }
  }
}

function twice(id: RpcId): RpcResponse {
  const message = 'a request with that id is still being answered'
  return { jsonrpc: '2.0', id, error: { code: codes.notRequest, message } }
}

function overloaded(id: RpcId): RpcResponse {
  const message = `more than ${requestsMax} requests at a time; try again in a moment`
  return { jsonrpc: '2.0', id, error: { code: codes.internal, message } }
}

function unopened(id: RpcId): RpcResponse {
  const message = 'the connection must begin with `initialize`'
  return { jsonrpc: '2.0', id, error: { code: codes.notRequest, message } }
}

function faultOf(fault: unknown): ToolCallResult {
  const message = fault instanceof Error ? fault.message : String(fault)
  return { error: { code: codes.internal, message } }
}

function welcome({ params }: RpcRequest, version: string): JsonObject {
  const asked = params?.protocolVersion
  const isKnown = typeof asked === 'string' && versions.has(asked)
  return {
    protocolVersion: isKnown ? asked : protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
      completions: {},
    },
    serverInfo: { name: 'pawl-gateway', title: 'Pawl gateway', version },
    instructions:
      'Tools of other MCP servers, each called `server__tool`. Pawl judges every call: a ' +
      'denial says why and what you can do instead. A person decides calls that need approval.',
  }
}
