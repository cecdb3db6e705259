/**
 * The hooks of Gemini CLI. It reads refusals only at the top level of an answer, and hangs on
 * `ask`.
 */
import { geminiHost } from '../../../core/hosts/gemini.ts'
import type { JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import type { McpName } from '../../../core/tools/mcp-name.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  type HostCall,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, objectField, promptedBy, reportOf, textField } from '../payload.ts'
import { type ModelUse, minus, momentIn, plus, useOf } from '../spending/model-use.ts'
import { readAs, withFields } from './claude.ts'
import type { EventParts } from './read-event.ts'

export const geminiHooks: HookProtocol = {
  host: 'gemini',
  read: (payload) => readAs('gemini', payload, eventParts),
  answer,
  // Before a call it is ignored.
  tells: ({ event }) => event.kind !== 'call',
  asks: geminiHost.canAskUser,
  transcript: { mark: /"tokens"/, read: readUse },
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callOf(payload),
    report: () => reportIn(payload),
    promptedBy: () => promptedBy(payload),
    prompt: () => textField(payload, 'prompt')?.replace(hookContexts, '') ?? null,
    file: () => null,
  }
}

/** What hooks have told at the start of a session stands before the first prompt. */
const hookContexts = /^(?:<hook_context>[^<]*<\/hook_context>\s*)+/

function callOf(payload: JsonObject): HostCall | null {
  const call = callInPayload(payload)
  return call === null ? null : { ...call, server: serverIn(payload) }
}

/** Gemini joins server and tool by `_`, which both may hold; it tells them apart beside it. */
function serverIn(payload: JsonObject): McpName | null {
  const context = objectField(payload, 'mcp_context')
  if (context === null) return null
  const [server, tool] = [textField(context, 'server_name'), textField(context, 'tool_name')]
  return server === null || tool === null ? null : { server, tool }
}

function reportIn(payload: JsonObject): ReturnType<typeof reportOf> {
  const response = objectField(payload, 'tool_response') ?? {}
  const error = asObject(own(response, 'error') ?? null)
  const shown = own(response, 'returnDisplay')
  const told = own(response, 'llmContent') ?? null
  const text = typeof shown === 'string' ? shown : told
  const exitCode = exitCodeIn(typeof told === 'string' ? told : '')
  const hasEnded = error === null && typeof shown === 'string' && typeof told === 'string'
  const seen = hasEnded ? exitCodeAfter(told, shown) : null
  // WHY not 0 from anywhere: the command can have printed such a line itself.
  const code = seen ?? (exitCode === 0 ? null : exitCode)
  return reportOf(text, { ok: error === null && (exitCode ?? 0) === 0, exitCode: code })
}

/**
 * The exit code of a command, from what stands behind its output; null: it cannot be told.
 * WHY behind the output: Gemini says nothing of an exit 0, and a command can print such a line.
 */
function exitCodeAfter(told: string, shown: string): number | null {
  const output = shown.trim()
  const at = output === '' ? -1 : told.indexOf(`Output: ${output}`)
  const rest = at === -1 ? told : told.slice(at + 'Output: '.length + output.length)
  if (at === -1 && !/^(?:<untrusted_context>\s*)?Output: \(empty\)\s/.test(told)) return null
  const fields = rest
    .replace(/\s*<\/untrusted_context>\s*$/, '')
    .trim()
    .split('\n')
  if (!/^Process Group PGID: \d+$/.test(fields.at(-1) ?? '')) return null
  const others = fields.slice(0, -1).filter((line) => line !== 'Output: (empty)' && line !== '')
  if (others.length === 0) return 0
  const code = /^Exit Code: (\d{1,3})$/.exec(others[0] ?? '')?.[1]
  return others.length === 1 && code !== undefined ? Number(code) : null
}

/**
 * The exit code in what the model is told of a command; null: it names none.
 * WHY the last one: what the command printed stands before it, and may say the same.
 */
export function exitCodeIn(told: string): number | null {
  const code = [...told.matchAll(/^Exit Code: (\d{1,3})$/gm)].at(-1)?.[1]
  return code === undefined ? null : Number(code)
}

function answer({ name, event }: HookInput, word: HookAnswer): HookReply {
  // WHY in JSON: it takes an exit code for a hook that has failed, and tells its user so.
  if (word.kind !== 'pass') return jsonAnswer({ decision: 'deny', reason: word.reason })
  const { input, context } = word
  switch (event.kind) {
    case 'call':
      return jsonAnswer(input === null ? {} : withFields('BeforeTool', { tool_input: input }))
    case 'report':
    case 'prompt':
    case 'begin':
      return jsonAnswer(context === '' ? {} : withFields(name, { additionalContext: context }))
    default:
      return jsonAnswer({})
  }
}

function readUse(line: JsonObject): ModelUse | 'odd' | null {
  const tokens = objectField(line, 'tokens')
  if (line.type !== 'gemini' || tokens === null) return null
  const cached = own(tokens, 'cached') ?? 0
  return useOf({
    ...{ id: textField(line, 'id'), at: momentIn(line), model: textField(line, 'model') ?? '' },
    input: minus(plus(own(tokens, 'input'), own(tokens, 'tool')), cached, 0),
    output: plus(own(tokens, 'output'), own(tokens, 'thoughts')),
    ...{ cacheRead: cached, cacheWrite: 0 },
  })
}
