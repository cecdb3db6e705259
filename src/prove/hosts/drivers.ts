/**
 * The driver of every host that can be started without a person. The type makes a missing one an
 * error.
 */
import type { ProvableHostId } from '../../core/hosts/registry.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import type { Driver } from './host.ts'
import { opencode } from './opencode.ts'

export const drivers: Readonly<Record<ProvableHostId, Driver>> = {
  claude,
  codex,
  gemini,
  opencode,
}
