/**
 * What the entries of several hosts are made of.
 */
import type { Json } from '../../../core/json.ts'
import { serverName } from '../own.ts'
import type { Entry, Setting } from '../wanted.ts'

/** A hook client answers within 55 seconds; the host must not lose its patience before. */
export const hookSeconds = 60

/** One entry for each of some events. */
export function hooksFor(events: readonly string[], make: (event: string) => Json): Entry[] {
  return events.map((event) => ({ kind: 'item', path: ['hooks', event], value: make(event) }))
}

/** Events by which nothing is done: there, a hook that fails is no reason to go on. */
const stopEvents: ReadonlySet<string> = new Set(
  'Stop SubagentStop SessionEnd AfterAgent stop subagentStop sessionEnd'.split(' '),
)

/** The shell text for an event. */
export function commandFor(event: string, { hookCommand, stopCommand }: Setting): string {
  return stopEvents.has(event) ? stopCommand : hookCommand
}

/** WHY: hosts start servers with an environment of their own, which may not know the directory. */
export function serverEnv({ home }: Setting): Record<string, string> {
  return { PAWL_HOME: home }
}

/** How Pawl is started as an MCP server. */
export function serverWords({ node, program, workspace }: Setting): readonly string[] {
  return [node, program, 'mcp', '--workspace', workspace]
}

/** The entry of most hosts for an MCP server. */
export function serverEntry(setting: Setting): Entry {
  const [command = '', ...args] = serverWords(setting)
  return {
    kind: 'member',
    path: ['mcpServers', serverName],
    value: { command, args, env: serverEnv(setting) },
  }
}

/** A word for a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Whether a version is at least another one; one that is not known is not. */
export function isAtLeast(version: string | null, least: readonly number[]): boolean {
  if (version === null) return false
  const parts = version.split('.').map(Number)
  for (const [i, wanted] of least.entries()) {
    const part = parts[i] ?? 0
    if (!(part === wanted)) return part > wanted
  }
  return true
}
