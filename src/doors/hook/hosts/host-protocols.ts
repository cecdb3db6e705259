/** The protocol of every host with hooks. A missing one is a type error. */
import { type AgentHostId, agentHostIds } from '../../../core/hosts/registry.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { HookProtocol } from '../hook-protocol.ts'
import { claudeHooks } from './claude.ts'
import { clineHooks } from './cline.ts'
import { codexHooks } from './codex.ts'
import { copilotHooks } from './copilot.ts'
import { cursorHooks } from './cursor.ts'
import { geminiHooks } from './gemini.ts'
import { kimiHooks } from './kimi.ts'
import { opencodeHooks } from './opencode.ts'
import { piHooks } from './pi.ts'
import { qwenHooks } from './qwen.ts'

export const hookProtocols: Readonly<Record<AgentHostId, HookProtocol>> = {
  claude: claudeHooks,
  codex: codexHooks,
  gemini: geminiHooks,
  qwen: qwenHooks,
  opencode: opencodeHooks,
  copilot: copilotHooks,
  pi: piHooks,
  cline: clineHooks,
  kimi: kimiHooks,
  cursor: cursorHooks,
}

const byName: ReadonlyMap<string, HookProtocol> = new Map(
  agentHostIds.map((host) => [host, hookProtocols[host]]),
)

/**
 * The protocol of a host, by a name from outside; null: there is no such host. Who has sent a
 * payload counts more than whose hook it has run.
 */
export function hookProtocolOf(host: string, payload: JsonObject | null): HookProtocol | null {
  const borrower = agentHostIds
    .map((id) => hookProtocols[id])
    .find(({ borrows }) => borrows?.from === host && payload !== null && borrows.isOwn(payload))
  return borrower ?? byName.get(host) ?? null
}
