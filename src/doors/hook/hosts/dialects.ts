/**
 * The dialect of every host that has hooks. The type makes a missing one an error.
 */
import { type AgentHostId, agentHostIds } from '../../../core/hosts/registry.ts'
import type { HostDialect } from '../hook-protocol.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

export const dialects: Readonly<Record<AgentHostId, HostDialect>> = {
  claude,
  codex,
  gemini,
  opencode,
  cursor,
}

const byName: ReadonlyMap<string, HostDialect> = new Map(
  agentHostIds.map((host) => [host, dialects[host]]),
)

/** The dialect of a host, by a name from outside; null: there is no such host. */
export function dialectOf(host: string): HostDialect | null {
  return byName.get(host) ?? null
}
