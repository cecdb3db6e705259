/**
 * What the tests of hooks share: an answerer on a runtime in memory, and hooks that ask it.
 */
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { openBench } from '../../runtime/runtime.contract.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import type { HookOutput } from '../api/hook-exchange.ts'
import { openHookAnswerer } from './answer-hook.ts'
import type { GuardAlarm } from './hook-context.ts'

type Policies = Parameters<typeof openBench>[1]
type Options = {
  readonly policies?: Policies
  readonly askWaitMs?: number
  readonly otherSessions?: 'refused' | 'free'
  readonly promptApprovals?: boolean
}

/** An answerer on a runtime in memory, and hooks of Claude Code that ask it. */
export function openHookBench({
  policies = [],
  askWaitMs = 0,
  otherSessions = 'refused',
  promptApprovals = false,
}: Options = {}) {
  const bench = openBench(openMemoryStore(), policies)
  const problems: string[] = []
  const logged: string[] = []
  const reported: GuardAlarm[] = []
  const context = openHookAnswerer({
    runtime: bench.runtime,
    settings: { askWaitMs, orderWaitMs: askWaitMs, stopsMax: 2, otherSessions, promptApprovals },
    checkHooks: () => problems,
    guard: {
      of: (folder) =>
        ['/work', '/tree']
          .filter((root) => isIn(folder, root))
          .map((root) => ({ workspace: '/work', folder: root }))[0] ?? null,
      namedIn: (text) => (text.includes('/work/') ? { workspace: '/work', folder: '/work' } : null),
    },
    report: (alarm) => void reported.push(alarm),
    log: (what) => void logged.push(what),
  })
  onTestFinished(() => bench.runtime.close())
  let count = 0
  const hook = (name: string, more: JsonObject = {}, where: Partial<HookSession> = {}) => {
    const { host = 'claude', session = 's1', runId = null, workspace = '/work', scope } = where
    const payload = JSON.stringify({
      hook_event_name: name,
      session_id: session,
      cwd: '/work',
      ...more,
    })
    const whose = scope === undefined ? {} : { scope }
    return context.answer({ host, payload, workspace, runId, ...whose })
  }
  const call = (tool: string, input: JsonObject, where: Partial<HookSession> & JsonObject = {}) => {
    count += 1
    const { host, session, runId, scope, workspace, ...more } = where
    const fields = { tool_name: tool, tool_input: input, tool_use_id: `t${count}`, ...more }
    return hook(host === 'gemini' ? 'BeforeTool' : 'PreToolUse', fields, where)
  }
  return { ...bench, context, problems, logged, reported, hook, call, lastKey: () => `t${count}` }
}

/** Who asks. */
export type HookSession = {
  readonly host: string
  readonly session: string
  readonly runId: string
  readonly workspace: string
  readonly scope: 'user'
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A call that `build` of the release allows. */
export const edit = { file_path: '/work/a.ts', old_string: 'a', new_string: 'b' }
/** The answer that lets everything go on. */
export const passes: HookOutput = { exit: 0, stdout: '', stderr: '' }

/** What the model or the host reads in an answer. */
export function contextIn({ stdout }: HookOutput): string {
  return stdout === '' ? '' : (JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? '')
}

/** Why an answer refuses, whichever way it says so; empty: it does not. */
export function refusalIn({ exit, stdout, stderr }: HookOutput): string {
  if (exit !== 0) return stderr.trim()
  const { hookSpecificOutput, decision, reason, ...own } = stdout === '' ? {} : JSON.parse(stdout)
  const {
    permissionDecision,
    permissionDecisionReason,
    decision: asked,
  } = hookSpecificOutput ?? own
  if (permissionDecision === 'deny') return permissionDecisionReason
  if (asked?.behavior === 'deny') return asked.message
  return decision === 'deny' || decision === 'block' ? reason : ''
}
