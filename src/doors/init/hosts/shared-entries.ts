/** Parts of settings entries that several hosts share. */
import type { HookMeaning } from '../../../core/hosts/host-descriptor.ts'
import { type AgentHostId, agentHosts, listIn, meaningOf } from '../../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { SettingsEntry, SetupContext } from '../desired-files.ts'
import { serverName } from '../pawl-entries.ts'

/** A hook client answers within 55 seconds; the host must not time out before that. */
export const hookSeconds = 60

/** An event that `pawl init` installs a hook for. */
export type InstalledEvent = { readonly name: string; readonly meaning: HookMeaning }

/** One entry for each event that a host has a hook for. */
export function hooksFor(
  host: AgentHostId,
  make: (event: InstalledEvent) => Json,
): SettingsEntry[] {
  return listIn(agentHosts[host].installedEvents).map((name) => {
    const meaning = meaningOf(host, name) ?? 'nothing'
    return { kind: 'item', path: ['hooks', name], value: make({ name, meaning }) }
  })
}

/** Events after which nothing runs: a hook that fails there need not block. */
const stopMeanings: ReadonlySet<HookMeaning> = new Set(['stop', 'agent-stop', 'end'])

/** The shell text for an event. */
export function commandFor({ meaning }: InstalledEvent, setting: SetupContext): string {
  return stopMeanings.has(meaning) ? setting.stopCommand : setting.hookCommand
}

/** WHY: hosts start servers with an environment of their own, which may not know the directory. */
export function serverEnv({ home }: SetupContext): Record<string, string> {
  return { PAWL_HOME: home }
}

/** How Pawl is started as an MCP server. */
export function serverWords(
  host: AgentHostId,
  { node, program, workspace }: SetupContext,
): readonly string[] {
  return [node, program, 'mcp', '--host', host, '--workspace', workspace]
}

type ServersOf = { readonly host: AgentHostId; readonly serversKey: string }

/** The entry of most hosts for an MCP server; `more`: fields that only one of them knows. */
export function serverEntry(
  { host, serversKey }: ServersOf,
  setting: SetupContext,
  more: JsonObject = {},
): SettingsEntry {
  const [command = '', ...args] = serverWords(host, setting)
  return {
    kind: 'member',
    path: [serversKey, serverName],
    value: { command, args, env: serverEnv(setting), ...more },
  }
}

/** A word for a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * A text in TOML.
 * WHY this is enough: a text of JSON is one, but for DEL, which TOML wants escaped.
 */
export function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
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
