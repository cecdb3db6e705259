/**
 * How `pawl init` sets up each host. The type makes a missing one an error.
 */
import type { AgentHostId } from '../../../core/hosts/registry.ts'
import type { HostSetup } from '../desired-files.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

export const hostSetups: Readonly<Record<AgentHostId, HostSetup>> = {
  claude,
  codex,
  gemini,
  opencode,
  cursor,
}
