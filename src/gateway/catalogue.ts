/**
 * What the client of the gateway is shown: what a person has accepted from each server, as far as
 * the stage of the run allows it. Notifies when it has changed.
 */
import { asObject, type JsonObject } from '../core/json.ts'
import type { McpName } from '../core/tools/mcp-name.ts'
import { callerOf, type GatewayContext } from './gateway-context.ts'
import { shownName } from './tool-names.ts'
import type { Lists, Server } from './upstream-server.ts'

export type CatalogueKind = 'tools' | 'prompts' | 'resources'

export type Catalogue = {
  readonly list: (kind: CatalogueKind | 'resourceTemplates') => Promise<readonly JsonObject[]>
  /** Among what servers are known to have; null: there may be more. */
  readonly knownTool: (name: string) => CatalogueTarget | null
  /** Null: no server has anything of that name. */
  readonly findTool: (name: string) => Promise<CatalogueTarget | null>
  readonly findPrompt: (name: string) => Promise<CatalogueTarget | null>
  readonly findResource: (uri: string) => Promise<Server | null>
  /** Names of tools that may be called now, for a refusal. */
  readonly callable: () => readonly string[]
  /** Looks whether what is shown has changed. */
  readonly look: () => Promise<void>
}

export type CatalogueTarget = {
  readonly server: Server
  readonly name: string
  /** A person has agreed to it. */
  readonly isAccepted: boolean
}

type CatalogueOptions = {
  readonly context: GatewayContext
  readonly servers: ReadonlyMap<string, Server>
  readonly onChange: (kind: CatalogueKind) => void
}

/** What reading and getting are called where they are judged. */
export const readTool = 'resources/read'
export const promptTool = 'prompts/get'

/** How long a list waits for servers that are slow to start. */
const readyMsMax = 15_000

export function openCatalogue({ context, servers, onChange }: CatalogueOptions): Catalogue {
  /** What the stage was last known to allow, as `server:tool`. */
  const shown = new Map<string, boolean>()
  /** What the client has last seen; null: it has not asked. */
  const told: Record<CatalogueKind, string | null> = { tools: null, prompts: null, resources: null }
  const all = (): readonly Server[] => [...servers.values()]

  const offers = async (): Promise<void> => {
    const names = all().flatMap((server): McpName[] => [
      ...[...server.tools().values()].map(({ tool }) => ({ server: server.name, tool })),
      { server: server.name, tool: readTool },
      { server: server.name, tool: promptTool },
    ])
    const answer = await context.daemon('gateway.offer', { ...callerOf(context), tools: names })
    if (answer.runId !== null) context.held.runId = answer.runId
    for (const [i, name] of names.entries()) {
      const offered = answer.offered[i] ?? 'hidden'
      if (offered !== 'same') shown.set(keyOf(name), offered === 'listed')
    }
  }
  const isShown = (server: Server, tool: string): boolean =>
    shown.get(keyOf({ server: server.name, tool })) === true
  const listed = (kind: CatalogueKind | 'resourceTemplates'): readonly JsonObject[] =>
    all().flatMap((server) => {
      if (kind === 'tools') return toolsOf(server, isShown)
      const tool = kind === 'prompts' ? promptTool : readTool
      return isShown(server, tool) ? entriesOf(server, kind) : []
    })
  /** Servers that start are waited for, within limits. */
  const ready = async (): Promise<void> => {
    const late = new AbortController()
    const time = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, readyMsMax)
      late.signal.addEventListener('abort', () => clearTimeout(timer))
    })
    await Promise.race([Promise.all(all().map(({ upstream }) => upstream.ensure())), time])
    late.abort()
  }
  const found = async <T>(find: () => T | null): Promise<T | null> => {
    const first = find()
    if (first !== null) return first
    await ready()
    return find()
  }
  return {
    list: async (kind) => {
      await ready()
      await offers()
      const entries = listed(kind)
      if (kind !== 'resourceTemplates') told[kind] = JSON.stringify(entries)
      return entries
    },
    knownTool: (name) => toolIn(all(), name),
    findTool: (name) => found(() => toolIn(all(), name)),
    findPrompt: (name) => found(() => promptIn(all(), name)),
    findResource: (uri) => found(() => resourceIn(all(), uri)),
    callable: () => listed('tools').map(({ name }) => String(name)),
    look: async () => {
      await offers()
      for (const kind of ['tools', 'prompts', 'resources'] as const) {
        const now = JSON.stringify(listed(kind))
        if (told[kind] === null || told[kind] === now) continue
        told[kind] = now
        onChange(kind)
      }
    },
  }
}

function keyOf({ server, tool }: McpName): string {
  return `${server}:${tool}`
}

function toolsOf(
  server: Server,
  isShown: (server: Server, tool: string) => boolean,
): readonly JsonObject[] {
  return [...server.tools()].flatMap(([name, { tool, definition, isAccepted }]) =>
    isAccepted && isShown(server, tool) ? [{ ...loosened(definition), name }] : [],
  )
}

/** WHY more is let in: Pawl's hook adds who is calling, and the gateway takes it out again. */
function loosened(definition: JsonObject): JsonObject {
  const { additionalProperties, ...schema } = asObject(definition.inputSchema) ?? {}
  return additionalProperties === false ? { ...definition, inputSchema: schema } : definition
}

function entriesOf(server: Server, kind: keyof Lists): readonly JsonObject[] {
  const entries = server.lists()[kind]
  if (kind !== 'prompts') return entries
  return entries.map((one) => ({ ...one, name: shownName(server.name, String(one.name)) }))
}

function toolIn(servers: readonly Server[], name: string): CatalogueTarget | null {
  for (const server of servers) {
    const found = server.tools().get(name)
    if (found !== undefined) return { server, name: found.tool, isAccepted: found.isAccepted }
  }
  return null
}

function promptIn(servers: readonly Server[], name: string): CatalogueTarget | null {
  for (const server of servers) {
    for (const { name: plain } of server.lists().prompts) {
      if (typeof plain === 'string' && shownName(server.name, plain) === name) {
        return { server, name: plain, isAccepted: true }
      }
    }
  }
  return null
}

/** By what is listed and by how templates begin, where both lead to one server. */
function resourceIn(servers: readonly Server[], uri: string): Server | null {
  const owners = servers.filter((one) => one.lists().resources.some((entry) => entry.uri === uri))
  const fitting = servers.filter((one) =>
    one.lists().resourceTemplates.some(({ uriTemplate }) => {
      const begin = typeof uriTemplate === 'string' ? (uriTemplate.split('{')[0] ?? '') : ''
      return begin !== '' && uri.startsWith(begin)
    }),
  )
  const [only, second] = new Set([...owners, ...fitting])
  // WHY none of several: one server must not answer for another.
  return second === undefined ? (only ?? null) : null
}
