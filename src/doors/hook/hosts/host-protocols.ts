/** The dialect of every host with hooks. A missing one is a type error. */
import { type AgentHostId, agentHostIds } from '../../../core/hosts/registry.ts'
import type { HostDialect } from '../hook-protocol.ts'
import { claudeHooks } from './claude.ts'
import { codexHooks } from './codex.ts'
import { cursorHooks } from './cursor.ts'
import { geminiHooks } from './gemini.ts'
import { opencodeHooks } from './opencode.ts'

export const dialects: Readonly<Record<AgentHostId, HostDialect>> = {
  claude: claudeHooks,
  codex: codexHooks,
  gemini: geminiHooks,
  opencode: opencodeHooks,
  cursor: cursorHooks,
}

const byName: ReadonlyMap<string, HostDialect> = new Map(
  agentHostIds.map((host) => [host, dialects[host]]),
)

/** The dialect of a host, by a name from outside; null: there is no such host. */
export function dialectOf(host: string): HostDialect | null {
  return byName.get(host) ?? null
}
