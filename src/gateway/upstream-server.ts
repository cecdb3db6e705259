/** One server and what it offers, limited to what a person has accepted. */
import { asObject, type Json, type JsonObject } from '../core/json.ts'
import { microUsd } from '../core/money.ts'
import { launchIn, pinLaunch } from '../core/tools/launch-pin.ts'
import { errorMessageOf } from '../runtime/error-code.ts'
import { coalesced } from './coalesce-refresh.ts'
import { callerOf, type GatewayContext } from './gateway-context.ts'
import type { ServerEntry } from './gateway-file.ts'
import type { RpcNotification, RpcRequest } from './json-rpc.ts'
import { launchOf } from './launch-settings.ts'
import type { UpstreamWire, WireEnd, WireListeners } from './server-transport.ts'
import { openStdioUpstream } from './stdio-upstream.ts'
import { shownName } from './tool-names.ts'
import { type McpUpstream, openUpstream, type UpstreamRequest } from './upstream.ts'
import { type ValidatedTool, validateTools } from './validate-tools.ts'

export type Server = {
  readonly name: string
  readonly entry: ServerEntry
  readonly upstream: McpUpstream
  /** Those that a person has agreed to, and those that wait, by the name that clients see. */
  readonly tools: () => ReadonlyMap<string, Offering>
  readonly lists: () => Lists
  /** Looks again at what it offers. Never fails. */
  readonly refresh: (what: keyof Lists | 'tools') => Promise<void>
  /** Looks whether a person has agreed meanwhile to what waits. Never fails. */
  readonly lookAgain: () => Promise<void>
  readonly costMicroUsd: (tool: string) => number
}

type Offering = {
  readonly tool: string
  readonly definition: JsonObject
  readonly isAccepted: boolean
}

/** What is passed on without a pin: it is judged when it is used. */
export type Lists = {
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
}

type ServerEars = {
  /** What the server asks or tells its client. */
  readonly onMessage: (server: Server, message: RpcRequest | RpcNotification) => void
  /** What it offers may have changed. */
  readonly onOffers: (server: Server) => void
  /** What the gateway's client can do. */
  readonly abilities: () => JsonObject
}

const timeoutSecondsDefault = 300
/** Pages of one list, and entries of all of them. */
const pagesMax = 50
const entriesMax = 2_000
/** The era that has sessions, in which a server may ask its client. */
export const protocolVersion = '2025-11-25'

const methods = {
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const

export function openUpstreamServer(
  entry: ServerEntry,
  context: GatewayContext,
  ears: ServerEars,
): Server {
  const { name, timeoutSeconds = timeoutSecondsDefault } = entry
  const state: State = { seen: [], offerings: new Map(), isLaunched: false, lists: noLists }
  const upstream = openUpstream({
    name,
    timeoutMs: timeoutSeconds * 1_000,
    open: (wireEars) => launch(context, { entry, state }, wireEars),
    greeting: () => greetingFor(entry, ears.abilities()),
    onConnected: async (ask, can) => {
      await refreshAll({ context, entry, state, ask, can })
      // After the connection is one: whoever hears of it may call at once.
      setImmediate(() => ears.onOffers(server))
    },
    onMessage: (message) => ears.onMessage(server, message),
    log: context.log,
  })
  const ask: UpstreamRequest = async (method, params = {}) =>
    (await upstream.ensure()) ?? upstream.request(method, params)
  const server: Server = {
    name,
    entry,
    upstream,
    tools: () => state.offerings,
    lists: () => state.lists,
    // WHY: a server may say that its lists have changed as often as it likes.
    refresh: coalesced(async (what) => {
      await refreshOne({ context, entry, state, ask, can: upstream.can }, what)
      ears.onOffers(server)
    }),
    lookAgain: async () => {
      if (!state.isLaunched) return void (await upstream.ensure())
      if ([...state.offerings.values()].every(({ isAccepted }) => isAccepted)) return
      await see(context, { entry, state })
      ears.onOffers(server)
    },
    costMicroUsd: (tool) => costOf(entry, tool),
  }
  return server
}

type State = {
  seen: readonly ValidatedTool[]
  offerings: ReadonlyMap<string, Offering>
  /** A person has agreed to how it is started. */
  isLaunched: boolean
  lists: Lists
}
type Whole = { readonly entry: ServerEntry; readonly state: State }

const noLists: Lists = { prompts: [], resources: [], resourceTemplates: [] }

function offeringsOf(
  server: string,
  seen: readonly ValidatedTool[],
  accepted: readonly string[],
): ReadonlyMap<string, Offering> {
  const agreed = new Set(accepted)
  return new Map(
    seen.map(({ tool, definition }) => {
      const isAccepted = agreed.has(tool)
      return [shownName(server, tool), { tool, definition, isAccepted }]
    }),
  )
}

/** Tells the daemon what the server is now. A daemon that does not answer agrees to nothing. */
async function see(context: GatewayContext, { entry, state }: Whole): Promise<void> {
  const { name, scope } = entry
  const sight = { scope, server: name, launch: launchIn(entry), tools: [...state.seen] }
  try {
    const { accepted } = await context.daemon('gateway.see', { ...callerOf(context), ...sight })
    state.offerings = offeringsOf(name, state.seen, accepted)
  } catch (fault) {
    state.offerings = offeringsOf(name, state.seen, [])
    context.log(`the tools of \`${name}\` cannot be listed: ${errorMessageOf(fault)}`)
  }
}

async function launch(
  context: GatewayContext,
  { entry, state }: Whole,
  ears: WireListeners,
): Promise<UpstreamWire | WireEnd> {
  const { name, scope } = entry
  const seen = pinLaunch(entry)
  const sight = { scope, server: name, launch: launchIn(entry), tools: null }
  const { isLaunchAccepted } = await context.daemon('gateway.see', {
    ...callerOf(context),
    ...sight,
  })
  state.isLaunched = isLaunchAccepted
  if (!isLaunchAccepted) {
    const why = seen.doubts.length === 0 ? '' : ` (${seen.doubts.join(', ')})`
    const reason = `nobody has accepted starting \`${seen.about}\` yet${why}`
    return { code: 'TOOL_UNPINNED', reason }
  }
  const how = launchOf(entry, context.workspace, context.env)
  if (how.kind === 'stdio') return openStdioUpstream(how, ears)
  // WHY loaded here: most servers are programs, and need no library.
  return (await import('./http-upstream.ts')).openHttpUpstream(how, ears)
}

/** A server may ask its client what the client can do, less what its entry does not let it. */
function greetingFor(entry: ServerEntry, abilities: JsonObject): JsonObject {
  const { roots, elicitation: asksPerson, sampling: asksModel } = abilities
  const capabilities = {
    ...(roots === undefined ? {} : { roots }),
    ...(asksPerson === undefined || entry.elicitation !== 'pass'
      ? {}
      : { elicitation: asksPerson }),
    ...(asksModel === undefined || entry.sampling !== 'pass' ? {} : { sampling: asksModel }),
  }
  return { protocolVersion, capabilities, clientInfo: { name: 'pawl-gateway', version: '1' } }
}

type Look = Whole & {
  readonly context: GatewayContext
  readonly ask: UpstreamRequest
  readonly can: (what: string) => boolean
}

async function refreshAll(look: Look): Promise<void> {
  await Promise.all([
    refreshOne(look, 'tools'),
    ...(['prompts', 'resources', 'resourceTemplates'] as const).map((one) => refreshOne(look, one)),
  ])
}

async function refreshOne(look: Look, what: keyof Lists | 'tools'): Promise<void> {
  const { context, entry, state, ask, can } = look
  const isThere = can(what === 'resourceTemplates' ? 'resources' : what)
  if (what !== 'tools') {
    const entries = isThere ? await listAll(ask, methods[what], what) : []
    const objects = entries.flatMap((one) => asObject(one) ?? [])
    state.lists = { ...state.lists, [what]: objects }
    return
  }
  const { tools, refused } = validateTools(isThere ? await listAll(ask, 'tools/list', what) : [])
  for (const why of refused) context.log(`\`${entry.name}\`: ${why}`)
  state.seen = tools
  await see(context, { entry, state })
}

/** Every page of a list; what cannot be read is not there. */
async function listAll(
  ask: UpstreamRequest,
  method: string,
  key: string,
): Promise<readonly Json[]> {
  const all: Json[] = []
  let cursor: Json | undefined
  for (let page = 0; page < pagesMax && all.length < entriesMax; page += 1) {
    const answered = await ask(method, cursor === undefined ? {} : { cursor })
    const result = answered.kind === 'result' ? asObject(answered.result) : null
    const entries = result?.[key]
    if (result === null || !Array.isArray(entries)) return all
    all.push(...entries)
    cursor = result.nextCursor
    if (typeof cursor !== 'string' || cursor === '') return all.slice(0, entriesMax)
  }
  return all.slice(0, entriesMax)
}

function costOf({ costUsd }: ServerEntry, tool: string): number {
  if (costUsd === undefined) return 0
  if (typeof costUsd === 'number') return microUsd(costUsd)
  return microUsd(Object.hasOwn(costUsd, tool) ? (costUsd[tool] ?? 0) : 0)
}
