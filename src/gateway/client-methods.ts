/** The methods that a client of the gateway may call, besides tool calls. */
import { asObject, type JsonObject } from '../core/json.ts'
import {
  type CallToolContext,
  callTool,
  invalidParams,
  type ToolCallRequest,
  type ToolCallResult,
} from './call-tool.ts'
import { type CatalogueTarget, promptTool, readTool } from './catalogue.ts'
import { codes } from './json-rpc.ts'
import { truncateContents } from './truncate-result.ts'
import type { UpstreamFailure } from './upstream.ts'
import type { Server } from './upstream-server.ts'

export type MethodContext = CallToolContext & { readonly servers: ReadonlyMap<string, Server> }
export type Method = (asked: ToolCallRequest) => Promise<ToolCallResult>

/** By their names in the protocol. */
export function methodsOf(work: MethodContext): Readonly<Record<string, Method>> {
  const { catalogue, servers } = work
  const list =
    (kind: Parameters<typeof catalogue.list>[0]): Method =>
    async () => ({ result: { [kind]: await catalogue.list(kind) } })
  const about =
    (method: string): Method =>
    (asked) =>
      onResource(work, method, asked)
  return {
    'tools/list': list('tools'),
    'tools/call': (asked) => callTool(work, asked),
    'prompts/list': list('prompts'),
    'prompts/get': (asked) => getPrompt(work, asked),
    'resources/list': list('resources'),
    'resources/templates/list': list('resourceTemplates'),
    'resources/read': about('resources/read'),
    'resources/subscribe': about('resources/subscribe'),
    'resources/unsubscribe': about('resources/unsubscribe'),
    'completion/complete': (asked) => complete(work, asked),
    'logging/setLevel': async ({ params }) => {
      const able = [...servers.values()].filter(({ upstream }) => upstream.can('logging'))
      await Promise.all(able.map(({ upstream }) => upstream.request('logging/setLevel', params)))
      return { result: {} }
    },
  }
}

async function getPrompt(work: MethodContext, asked: ToolCallRequest): Promise<ToolCallResult> {
  const { params } = asked
  const target = await work.catalogue.findPrompt(String(params.name))
  if (target === null) return invalidParams(`Unknown prompt: ${String(params.name).slice(0, 200)}`)
  const input = { name: target.name, arguments: asObject(params.arguments) ?? {} }
  return passed(work, asked, {
    ...{ target, tool: promptTool, input, method: 'prompts/get' },
    params: { ...params, name: target.name },
  })
}

async function onResource(
  work: MethodContext,
  method: string,
  asked: ToolCallRequest,
): Promise<ToolCallResult> {
  const { params } = asked
  const uri = String(params.uri)
  const server = await work.catalogue.findResource(uri)
  if (server === null) return invalidParams(`Unknown resource: ${uri.slice(0, 200)}`)
  const target = { server, name: uri, isAccepted: true }
  return passed(work, asked, { target, tool: readTool, input: { uri }, method, params })
}

type Passing = {
  readonly target: CatalogueTarget
  /** What it is judged as. */
  readonly tool: string
  readonly input: JsonObject
  readonly method: string
  readonly params: JsonObject
}

/** Judged like a call; a refusal is an error, since these have no other form for one. */
async function passed(
  work: MethodContext,
  asked: ToolCallRequest,
  passing: Passing,
): Promise<ToolCallResult> {
  const { target, tool, input, method, params } = passing
  const { server } = target
  const away = await server.upstream.ensure()
  if (away !== null) return failedTold(away)
  const wish = {
    server: { server: server.name, tool },
    input,
    mark: null,
    costMicroUsd: 0,
    ...asked,
  }
  const judged = await work.judge(wish)
  if (judged.kind === 'no') {
    const { code, reason, hint } = judged.refusal
    const message = `${code}: ${reason}. ${hint}`
    return { error: { code: codes.internal, message, data: { code, reason, hint } } }
  }
  const answered = await server.upstream.request(method, params, { signal: asked.signal })
  const ended = { ok: answered.kind === 'result', output: null, costMicroUsd: 0 }
  if (answered.kind === 'result') {
    const { bytesLeft } = judged
    const { result } = answered
    const cut = bytesLeft === null ? result : truncateContents(result, bytesLeft)
    return { result: cut, after: (bytes) => judged.report?.({ ...ended, bytes }) }
  }
  judged.report?.({ ...ended, bytes: 0 })
  if (answered.kind === 'cancelled') return null
  if (answered.kind === 'error') return { error: answered.error }
  return failedTold(answered)
}

function failedTold({ code, reason, hint }: UpstreamFailure): ToolCallResult {
  return { error: { code: codes.internal, message: `${code}: ${reason}. ${hint}` } }
}

/** WHY judged: it may say what a prompt or a resource of the server holds. */
async function complete(work: MethodContext, asked: ToolCallRequest): Promise<ToolCallResult> {
  const { catalogue } = work
  const { params } = asked
  const ref = asObject(params.ref) ?? {}
  const isPrompt = ref.type === 'ref/prompt'
  const prompt = isPrompt ? await catalogue.findPrompt(String(ref.name)) : null
  const server = isPrompt ? prompt?.server : await catalogue.findResource(String(ref.uri))
  if (server === null || server === undefined) return invalidParams('nothing has that name')
  const named = prompt === null ? ref : { ...ref, name: prompt.name }
  const target = prompt ?? { server, name: String(ref.uri), isAccepted: true }
  return passed(work, asked, {
    target,
    tool: isPrompt ? promptTool : readTool,
    input: isPrompt ? { name: target.name, arguments: {} } : { uri: target.name },
    method: 'completion/complete',
    params: { ...params, ref: named },
  })
}
