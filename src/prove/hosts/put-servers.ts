/**
 * Names MCP servers in a host's settings.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { McpServer } from './host.ts'

/**
 * Puts servers into a file of settings.
 * WHY not in place: a session that starts at the same moment must not read half of it.
 */
export function putServers(file: string, mcp: Readonly<Record<string, McpServer>>): void {
  const before = readFileSync(file, 'utf8')
  const after = JSON.stringify({ ...JSON.parse(before), mcpServers: mcp })
  if (after === before) return
  writeFileSync(`${file}.new`, after)
  renameSync(`${file}.new`, file)
}
