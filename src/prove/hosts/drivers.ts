/**
 * The driver of every host that can be started without a person. The type makes a missing one an
 * error.
 */
import type { ProvableHostId } from '../../core/hosts/registry.ts'
import { claudeDriver } from './claude.ts'
import { clineDriver } from './cline.ts'
import { codexDriver } from './codex.ts'
import { copilotDriver } from './copilot.ts'
import { geminiDriver } from './gemini.ts'
import type { Driver } from './host.ts'
import { kimiDriver } from './kimi.ts'
import { opencodeDriver } from './opencode.ts'
import { piDriver } from './pi.ts'
import { qwenDriver } from './qwen.ts'

export const drivers: Readonly<Record<ProvableHostId, Driver>> = {
  claude: claudeDriver,
  codex: codexDriver,
  gemini: geminiDriver,
  qwen: qwenDriver,
  opencode: opencodeDriver,
  copilot: copilotDriver,
  pi: piDriver,
  cline: clineDriver,
  kimi: kimiDriver,
}
