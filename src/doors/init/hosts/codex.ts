/**
 * Codex: hooks and an MCP server. Codex skips hooks that its user does not trust.
 */
import { codexHost } from '../../../core/hosts/codex.ts'
import { listIn, meaningOf } from '../../../core/hosts/registry.ts'
import type { Json } from '../../../core/json.ts'
import type { HostSetup, SetupContext, TrustPlace } from '../desired-files.ts'
import { readCodexTrust, type Trust, trustCodexHooks } from './codex-trust.ts'
import {
  commandFor,
  hookSeconds,
  hooksFor,
  type InstalledEvent,
  serverEnv,
  serverWords,
  tomlText,
} from './shared-entries.ts'

const { hooksFile, serversFile } = codexHost
/** More than this Codex does not wait at the end of a session. */
const endSeconds = 3

/** A server of that name, however TOML lets one write it. */
const rival = new RegExp(
  [
    String.raw`^[ \t]*\[?[ \t]*mcp_servers[ \t]*\.[ \t]*["']?pawl["']?[ \t]*[\].=]`,
    String.raw`^[ \t]*\[[ \t]*mcp_servers[ \t]*\](?:(?!^[ \t]*\[)[\s\S])*?`.concat(
      String.raw`^[ \t]*["']?pawl["']?[ \t]*[.=]`,
    ),
  ].join('|'),
  'm',
)

export const codexSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: hooksFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: hooksFor('codex', (event) => hookOf(event, setting)),
      },
    },
    {
      path: serversFile,
      mode: 'plain',
      content: { kind: 'block', name: 'codex', lines: serverLines(setting), rival },
    },
  ],
  remarks: () => ['Codex runs no hook for text typed into a running command (`write_stdin`)'],
  trust: { grant, problems },
}

async function grant({ program, ...place }: TrustPlace): Promise<string> {
  const trust: Trust =
    program === null
      ? { kind: 'skipped', because: 'its program was not found' }
      : await trustCodexHooks({ program, ...place })
  if (trust.kind === 'trusted') return `Codex trusts the ${trust.hooksCount} hooks`
  const how = 'start `codex` here, trust the folder, and trust the hooks under `/hooks`'
  return `Codex will SKIP the hooks until you trust them (${trust.because}): ${how}`
}

async function problems({ program, ...place }: TrustPlace): Promise<readonly string[]> {
  if (program === null) return []
  const trust = await readCodexTrust({ program, ...place })
  if (trust.kind === 'trusted') return []
  return [`Codex silently skips the hooks: ${trust.because}; run \`pawl init codex\``]
}

/** The same as words for a flag that sets one setting. */
export function codexOverrides(setting: SetupContext): {
  readonly hooks: readonly string[]
  readonly servers: readonly string[]
} {
  return {
    hooks: listIn(codexHost.installedEvents).map((name) => {
      const hook = hookOf({ name, meaning: meaningOf('codex', name) ?? 'nothing' }, setting)
      return `hooks.${name}=${tomlValue([hook])}`
    }),
    servers: [`mcp_servers.pawl=${tomlValue(serverOf(setting))}`],
  }
}

function hookOf(event: InstalledEvent, setting: SetupContext): Json {
  const timeout = event.meaning === 'end' ? endSeconds : hookSeconds
  return { hooks: [{ type: 'command', command: commandFor(event, setting), timeout }] }
}

function serverLines(setting: SetupContext): readonly string[] {
  const server = serverOf(setting)
  return [
    '[mcp_servers.pawl]',
    ...Object.entries(server).map(([name, value]) => `${name} = ${tomlValue(value)}`),
  ]
}

function serverOf(setting: SetupContext): Record<'command' | 'args' | 'env', Json> {
  const [command = '', ...args] = serverWords('codex', setting)
  return { command, args, env: serverEnv(setting) }
}

/** A value of TOML on one line. */
function tomlValue(value: Json): string {
  if (typeof value === 'string') return tomlText(value)
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const pairs = Object.entries(value).map(([k, v]) => `${tomlKey(k)} = ${tomlValue(v ?? null)}`)
  return `{ ${pairs.join(', ')} }`
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : tomlText(name)
}
