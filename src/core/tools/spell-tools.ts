/**
 * How texts for an agent name tools: as its host offers them, in full, and only those that it
 * offers. Knows names and hosts. Must not know stages.
 */
import type { CommonTool } from '../hosts/common-tools.ts'
import { type AgentHostId, agentHosts, listIn, listInProse } from '../hosts/registry.ts'
import { type McpName, spelledMcpName } from './mcp-name.ts'
import { commonToolOf, isPatchName } from './tool-names.ts'

/** The server of Pawl's own tools, as `pawl init` registers it. */
const ownServer = 'pawl'

/** The full name of a tool of a server on a host; null: no host is known, and its name must do. */
function spellServerTool({ server, tool }: McpName, host: AgentHostId | null): string {
  if (host === null) return tool
  const { servers, dashes } = agentHosts[host].tools
  const name = dashes === 'kept' ? server : server.replaceAll('-', '_')
  if ('none' in servers) return `mcp__${name}__${tool}`
  return `${servers.prefix}${name}${servers.separator}${tool}`
}

/** The full name of one of Pawl's own tools. */
export function spellOwnTool(tool: string, host: AgentHostId | null): string {
  return spellServerTool({ server: ownServer, tool }, host)
}

export type SpelledTools = {
  /** As the host offers them, each once. */
  readonly names: readonly string[]
  /** Those that it has no tool for. */
  readonly lacking: readonly CommonTool[]
}

/** The tools that an author lists, as a host offers them. */
export function spellTools(written: readonly string[], host: AgentHostId | null): SpelledTools {
  if (host === null) return { names: written, lacking: [] }
  const names = new Set<string>()
  const lacking = new Set<CommonTool>()
  for (const one of written) {
    const common = commonToolOf(one)
    const spelled = common === null ? spellUncommon(one, host) : offeredName(common, host)
    if (spelled !== null) names.add(spelled)
    else if (common !== null) lacking.add(common)
  }
  return { names: [...names], lacking: [...lacking] }
}

function spellUncommon(written: string, host: AgentHostId): string {
  const mcp = spelledMcpName(written)
  return mcp === null ? written : spellServerTool(mcp, host)
}

/** Null: the host has no such tool. */
function offeredName(common: CommonTool, host: AgentHostId): string | null {
  const { offered, tools } = agentHosts[host]
  const own = offered[common]
  if (own !== undefined) return own
  // A patch writes files as well.
  return 'none' in tools.patches || !isPatchName(common) ? null : (offered.Edit ?? null)
}

/** The tool that loads what a host holds back until it is searched for; null: it has none. */
export function finderOf(host: AgentHostId): string | null {
  const { free } = agentHosts[host].tools
  return 'none' in free ? null : (listIn(free.search)[0] ?? null)
}

/** How an agent reads and searches where its host has no tools for it; empty: it has them. */
export function lookingText({ lacking }: SpelledTools, host: AgentHostId | null): string {
  if (host === null) return ''
  const { offered, tools } = agentHosts[host]
  const replaced: readonly CommonTool[] = listIn(tools.lacks)
  const missing = lacking.filter((one) => replaced.includes(one))
  if (missing.length === 0) return ''
  const programs = missing.flatMap((one) => standIns[one] ?? []).map((name) => `\`${name}\``)
  const shell = offered.Bash ?? tools.shell
  return `look at named files and folders with ${listInProse([...new Set(programs)])} in ${shell}`
}

/** Programs that do what a tool for looking does. */
const standIns: Readonly<Partial<Record<CommonTool, readonly string[]>>> = {
  Read: ['cat', 'sed -n'],
  Grep: ['grep', 'rg'],
  Glob: ['find', 'ls'],
  LS: ['ls'],
}
