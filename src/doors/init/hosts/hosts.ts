/**
 * The hosts that Pawl knows.
 */
import type { HostName } from '../install.ts'
import type { Host } from '../wanted.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

export const hosts: Readonly<Record<HostName, Host>> = { claude, codex, gemini, opencode, cursor }
