/**
 * The names hosts give to the tools of servers: which server, which tool.
 * Knows spellings. Must not know what the tools do.
 */
import { type HostId, toolVocabularies } from '../hosts/registry.ts'

/** The server that stands for those behind the gateway. */
export const gatewayServer = 'pawl-gateway'

export type McpName = {
  readonly server: string
  readonly tool: string
  /** Whether the tool changes something, as its server declares; absent: it says nothing. */
  readonly changes?: boolean | undefined
}

/** The server and tool a host's name says; null: it is no server's; `odd`: it cannot be told. */
export function mcpNameOf(name: string, host: HostId): McpName | 'odd' | null {
  if (name.startsWith('mcp__')) return splitAt(name.slice('mcp__'.length), '__') ?? 'odd'
  const { servers } = toolVocabularies[host].tools
  if ('none' in servers || !name.startsWith(servers.prefix)) return null
  const rest = name.slice(servers.prefix.length)
  const split = splitAtGateway(rest, servers.separator) ?? splitAt(rest, servers.separator)
  // Without a prefix, it is a plain tool.
  return servers.prefix === '' ? split : (split ?? 'odd')
}

/** The server and tool an author means by `mcp__server__tool` or `mcp:server:tool`. */
export function spelledMcpName(written: string): McpName | null {
  if (written.startsWith('mcp__')) return splitAt(written.slice('mcp__'.length), '__')
  return written.startsWith('mcp:') ? splitAt(written.slice('mcp:'.length), ':') : null
}

/** WHY first: the gateway's own name may hold the separator. */
function splitAtGateway(text: string, separator: string): McpName | null {
  const start = `${gatewayServer}${separator}`
  const tool = text.slice(start.length)
  return text.startsWith(start) && tool !== '' ? { server: gatewayServer, tool } : null
}

/** Splits at the first separator behind the server's name; a server's name holds no colon. */
function splitAt(text: string, separator: string): McpName | null {
  const at = text.indexOf(separator, 1)
  if (at < 0) return null
  const server = text.slice(0, at)
  const tool = text.slice(at + separator.length)
  return tool === '' || server.includes(':') || server.trim() !== server ? null : { server, tool }
}
