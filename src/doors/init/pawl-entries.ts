/**
 * Recognises Pawl's entries in a host's settings by the command they call, not by their position.
 * Entries of another Pawl installation count too. Changes nothing.
 */
import { agentHostIds, alternationOf, fromAgentHosts } from '../../core/hosts/registry.ts'
import { asObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Path } from '../../core/source/edit-json.ts'
import { gatewayServer } from '../../core/tools/mcp-name.ts'

/** The name of Pawl among a host's MCP servers. */
export const serverName = 'pawl'

const hosts = alternationOf(agentHostIds)
const hookClient = new RegExp(`(?:^|[/\\\\])pawl-hook['"]?\\s+(?:${hosts})\\b`)
const hookUrl = new RegExp(`^http://127\\.0\\.0\\.1:\\d+/v1/hooks/(?:${hosts})$`)
const program = /(?:^|[/\\])pawl(?:\.(?:js|ts))?$/

/** A hook that asks Pawl. */
export function isPawlHook(hook: Json | undefined): boolean {
  const { command, url } = asObject(hook) ?? {}
  if (typeof url === 'string') return hookUrl.test(url)
  return typeof command === 'string' && hookClient.test(command)
}

/** The names of Pawl's servers. */
const ownServers = [serverName, gatewayServer]
const serverVerbs = new Set<Json | undefined>(['mcp', 'gateway'])

/** An MCP server that is Pawl: `<node> <program> mcp …`, in one list or in two fields. */
function isOwnServer(server: Json | undefined): boolean {
  const { command, args } = asObject(server) ?? {}
  const words = [command ?? [], args ?? []].flat()
  const at = words.findIndex((word) => typeof word === 'string' && program.test(word))
  return at >= 0 && serverVerbs.has(words[at + 1])
}

/** A status line that Pawl prints. */
function isOwnStatus(status: Json | undefined): boolean {
  const { command } = asObject(status) ?? {}
  return typeof command === 'string' && /pawl(?:\.(?:js|ts))?['"]? statusline$/.test(command)
}

const serversKeys = fromAgentHosts((host) => host.serversKey)

/** One entry of ours: where it stands, and what it says. */
type Own = { readonly path: Path; readonly value: Json }

/** Our entries in the settings of any host, in the order of the text. */
export function pawlEntriesIn(settings: Json): readonly Own[] {
  const root = asObject(settings) ?? {}
  const found: Own[] = []
  for (const [event, groups] of Object.entries(asObject(root.hooks) ?? {})) {
    if (!Array.isArray(groups)) continue
    for (const [i, group] of groups.entries()) found.push(...ownInGroup(group, event, i))
  }
  for (const name of serversKeys) {
    for (const own of ownServers) {
      const server = asObject(root[name])?.[own]
      if (isOwnServer(server)) found.push({ path: [name, own], value: server as Json })
    }
  }
  if (isOwnStatus(root.statusLine)) {
    found.push({ path: ['statusLine'], value: root.statusLine as Json })
  }
  const enabled = root.enabledMcpjsonServers
  for (const own of Array.isArray(enabled) ? ownServers : []) {
    const at = (enabled as readonly Json[]).indexOf(own)
    if (at >= 0) found.push({ path: ['enabledMcpjsonServers', at], value: own })
  }
  return found
}

/** Most hosts group hooks under a matcher; Cursor does not. */
function ownInGroup(group: Json, event: string, index: number): readonly Own[] {
  const path = ['hooks', event, index]
  if (isPawlHook(group)) return [{ path, value: group }]
  const { hooks, ...around } = asObject(group) ?? ({} as JsonObject)
  if (!Array.isArray(hooks)) return []
  return hooks.flatMap((hook: Json, i) => {
    if (!isPawlHook(hook)) return []
    // A group that was made for our hook goes with it; one that others use, too, stays.
    const at = hooks.length === 1 ? path : [...path, 'hooks', i]
    return [{ path: at, value: { ...around, hooks: [hook] } }]
  })
}

/** Our entries as one value, whatever stands between them. */
export function pawlValue(settings: Json): Json {
  // Of a hook the event counts, not the place among others.
  return pawlEntriesIn(settings).map(({ path, value }) => ({
    at: path.slice(0, 2).map(nameOf),
    value,
  }))
}

function nameOf(step: string | number): string {
  return typeof step === 'string' ? step : ''
}
