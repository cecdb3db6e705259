/**
 * An MCP server for one connection: maps requests of the protocol to the tools, resources and
 * prompts of its session.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { asObject, type Json, type JsonObject } from '../../core/json.ts'
import { problemOfThrown } from '../api/problem.ts'
import type { ListChange } from './client-session.ts'
import type { ToolDispatcher } from './dispatch-tool.ts'
import type { ElicitingClient, ElicitQuestion } from './elicit.ts'
import type { Prompts } from './prompts.ts'
import { type Resources, runUris } from './resources.ts'
import type { ToolListWatcher } from './tool-list-watcher.ts'

type ServerSetting = {
  readonly name: string
  readonly title: string
  readonly instructions: string
  readonly version: string
  readonly era: 'legacy' | 'modern'
  readonly toolbox: ToolDispatcher
  readonly follower: ToolListWatcher
  /** What can be read there; null: nothing. */
  readonly shelf: Shelf | null
  readonly onFault: (fault: unknown) => void
}

type Shelf = { readonly resources: Resources; readonly prompts: Prompts }

export type OpenedServer = {
  readonly server: Server
  /** Tells the client what has changed, if it wants to know. */
  readonly tell: (change: ListChange) => Promise<void>
}

/** Addresses that one connection of the older era is told of. */
const subscribedMax = 200

export function openMcpServer(setting: ServerSetting): OpenedServer {
  const { name, title, version, instructions, shelf, toolbox, follower } = setting
  const more = shelf === null ? {} : { resources: { subscribe: true }, prompts: {} }
  const server = new Server(
    { name, title, version },
    { capabilities: { tools: { listChanged: true }, ...more }, instructions },
  )
  server.setRequestHandler('tools/list', async () => ({
    tools: await toolbox.list(await follower.list()),
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const result = await toolbox.call({
      name: params.name,
      // WHY the cast: the wire has read it as JSON.
      args: (params.arguments ?? {}) as JsonObject,
      signal: context.mcpReq.signal,
      progress: progressOf(context),
      person: personOf(server, context),
    })
    if (result === null) throw invalid(`Unknown tool: ${params.name}`)
    return 'key' in result ? asking(result as ElicitQuestion) : result
  })
  const subscribed = new Set<string>()
  if (shelf !== null) {
    serveShelf(server, setting, shelf)
    if (setting.era === 'legacy') takeSubscriptions(server, subscribed, follower)
  }
  const wants = (uri: string): boolean => setting.era === 'modern' || subscribed.has(uri)
  return {
    server,
    tell: async (change) => {
      if (change.kind === 'tools') return server.sendToolListChanged()
      // WHY all of them in the newer era: there the SDK knows what was subscribed to.
      for (const uri of shelf === null ? [] : runUris(change.runId).filter(wants)) {
        await server.sendResourceUpdated({ uri })
      }
    },
  }
}

function serveShelf(server: Server, { onFault }: ServerSetting, shelf: Shelf): void {
  const { resources, prompts } = shelf
  const tell = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((thrown: unknown) => {
      if (thrown instanceof ProtocolError) throw thrown
      const { code, detail, hint } = problemOfThrown(thrown)
      if (code === 'INTERNAL') onFault(thrown)
      throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${detail}`, { code, hint })
    })
  server.setRequestHandler('resources/list', async () => ({
    resources: await tell(resources.list()),
  }))
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: resources.templates(),
  }))
  server.setRequestHandler('resources/read', ({ params }) => tell(resources.read(params.uri)))
  server.setRequestHandler('prompts/list', async () => ({ prompts: await tell(prompts.list()) }))
  server.setRequestHandler('prompts/get', ({ params }) =>
    tell(prompts.get(params.name, params.arguments ?? {})),
  )
}

/** In the newer era the wire keeps them. */
function takeSubscriptions(
  server: Server,
  subscribed: Set<string>,
  follower: ToolListWatcher,
): void {
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    if (subscribed.size >= subscribedMax) throw invalid(`more than ${subscribedMax} subscriptions`)
    subscribed.add(params.uri)
    await follower.follow()
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

function progressOf({ mcpReq }: ServerContext): (message: string) => void {
  const token = mcpReq._meta?.progressToken
  let beats = 0
  return (message) => {
    if (token === undefined) return
    beats += 1
    const told = { progressToken: token, progress: beats, message }
    // A client that does not listen misses nothing that the answer would not say.
    mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => undefined)
  }
}

/** Null: the client has not said that it can ask one. */
function personOf(server: Server, { mcpReq }: ServerContext): ElicitingClient | null {
  // The older era says it once, the newer one with each request.
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  const said = asObject(envelope[CLIENT_CAPABILITIES_META_KEY] as Json)
  if ((said ?? server.getClientCapabilities())?.elicitation === undefined) return null
  const info = asObject(envelope[CLIENT_INFO_META_KEY] as Json) ?? server.getClientVersion()
  return {
    client: typeof info?.name === 'string' ? info.name : '',
    answerTo: (key) => {
      const view = inputResponse(mcpReq.inputResponses, key)
      if (view.kind !== 'elicit') return null
      if (view.action !== 'accept') return { action: view.action }
      return { action: 'accept', content: view.content ?? {} }
    },
  }
}

/** The form that a person fills in. */
function asking({ key, message }: ElicitQuestion): InputRequiredResult {
  const elicit = inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', enum: ['approve', 'refuse'], title: 'Decision' },
        note: { type: 'string', title: 'Note', maxLength: 4_000 },
      },
      required: ['decision'],
    },
  })
  return inputRequired({ inputRequests: { [key]: elicit } })
}
