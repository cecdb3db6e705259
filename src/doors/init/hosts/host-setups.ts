/** How `pawl init` sets up each host. A missing one is a type error. */
import type { AgentHostId } from '../../../core/hosts/registry.ts'
import type { HostSetup } from '../desired-files.ts'
import { claudeSetup } from './claude.ts'
import { clineSetup } from './cline.ts'
import { codexSetup } from './codex.ts'
import { copilotSetup } from './copilot.ts'
import { cursorSetup } from './cursor.ts'
import { geminiSetup } from './gemini.ts'
import { kimiSetup } from './kimi.ts'
import { opencodeSetup } from './opencode.ts'
import { piSetup } from './pi.ts'
import { qwenSetup } from './qwen.ts'

export const hostSetups: Readonly<Record<AgentHostId, HostSetup>> = {
  claude: claudeSetup,
  codex: codexSetup,
  gemini: geminiSetup,
  qwen: qwenSetup,
  opencode: opencodeSetup,
  copilot: copilotSetup,
  pi: piSetup,
  cline: clineSetup,
  kimi: kimiSetup,
  cursor: cursorSetup,
}
