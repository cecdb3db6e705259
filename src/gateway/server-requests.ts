/**
 * Requests and notifications of servers to the client: passed on under ids of the gateway, if the
 * client supports them and the entry of the server allows them.
 */
import type { JsonObject } from '../core/json.ts'
import {
  codes,
  isRequest,
  progressTokenOf,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from './json-rpc.ts'
import type { Server } from './upstream-server.ts'

type ServerAsks = {
  /** Takes what a server says on its own. */
  readonly hear: (server: Server, message: RpcRequest | RpcNotification) => void
  /** Takes the client's answer. */
  readonly answer: (message: RpcResponse) => void
  /** Takes the client's word on how an answer is getting on. */
  readonly forward: (message: RpcNotification) => void
}

type ServerAsksOptions = {
  readonly servers: ReadonlyMap<string, Server>
  readonly tell: (message: RpcMessage, mode?: 'surely' | 'maybe') => void
  /** What the client can do; null: it is not there yet. */
  readonly abilities: () => JsonObject | null
  readonly log: (what: string) => void
}

/** What a server may ask, and what its client has to be able to do for it. */
const asks: ReadonlyMap<string, keyof typeof notAllowed | 'roots'> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
])
const notAllowed = {
  sampling: 'it may not use the model; set `sampling: "pass"` in its entry to allow that',
  elicitation: 'it may not ask the person; set `elicitation: "pass"` in its entry to allow that',
} as const
/** What a server may tell beside changes of its lists. */
const tellings = new Set([
  ...['notifications/message', 'notifications/progress', 'notifications/resources/updated'],
  'notifications/elicitation/complete',
])
/** Questions of all servers that the client has open. */
const asksMax = 64

type Open = { readonly server: Server; readonly id: RpcId; readonly token: RpcId | null }

export function openServerRequests(options: ServerAsksOptions): ServerAsks {
  const { tell, abilities, log } = options
  const open = new Map<string, Open>()
  let lastId = 0
  const refuse = (server: Server, id: RpcId, why: string): void => {
    log(`a request from \`${server.name}\` was rejected: ${why}`)
    const error = { code: codes.methodUnknown, message: `the gateway rejected it: ${why}` }
    server.upstream.respond({ jsonrpc: '2.0', id, error })
  }
  const ask = (server: Server, request: RpcRequest): void => {
    const { id, method, params = {} } = request
    if (method === 'ping') return server.upstream.respond({ jsonrpc: '2.0', id, result: {} })
    const needed = asks.get(method)
    if (needed === undefined) return refuse(server, id, `\`${method.slice(0, 100)}\` is unknown`)
    if (needed !== 'roots' && server.entry[needed] !== 'pass') {
      return refuse(server, id, notAllowed[needed])
    }
    if (abilities()?.[needed] === undefined) {
      return refuse(server, id, `the client does not support \`${needed}\``)
    }
    if (open.size >= asksMax)
      return refuse(server, id, `more than ${asksMax} of its requests are open`)
    lastId += 1
    const own = `gateway-${lastId}`
    open.set(own, { server, id, token: progressTokenOf(params) })
    tell({ jsonrpc: '2.0', id: own, method, params })
  }
  const cancel = (server: Server, { method, params = {} }: RpcNotification): void => {
    for (const [own, one] of open) {
      if (one.server !== server || one.id !== params.requestId) continue
      open.delete(own)
      tell({ jsonrpc: '2.0', method, params: { ...params, requestId: own } })
    }
  }
  return {
    hear: (server, message) => {
      if (isRequest(message)) return ask(server, message)
      const { method } = message
      if (method === 'notifications/cancelled') return cancel(server, message)
      if (tellings.has(method)) return tell(message, 'maybe')
      const changed = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1]
      if (changed === undefined) return
      void server.refresh(changed as 'tools' | 'prompts' | 'resources')
      if (changed === 'resources') void server.refresh('resourceTemplates')
    },
    answer: (message) => {
      const own = String(message.id)
      const one = open.get(own)
      if (one === undefined) return
      open.delete(own)
      one.server.upstream.respond({ ...message, id: one.id })
    },
    forward: (message) => {
      const token = message.params?.progressToken
      for (const one of open.values()) {
        if (one.token !== null && one.token === token) one.server.upstream.notify(message)
      }
    },
  }
}
