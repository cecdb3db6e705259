/** The hooks of Claude Code. Codex uses the same format with exceptions. */
import type { Report } from '../../../core/engine/types.ts'
import { claudeHost } from '../../../core/hosts/claude.ts'
import { type AgentHostId, meaningOf } from '../../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import { isMcpFailure, textOfMcpResult } from '../../../core/tools/mcp-result.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookEvent,
  type HookInput,
  type HookProtocol,
  type HookWire,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, objectField, promptedBy, reportOf, textField } from '../payload.ts'
import { type ModelUse, momentIn, useOf } from '../spending/model-use.ts'
import { type EventParts, readEvent } from './read-event.ts'

export const claudeHooks: HookProtocol = {
  host: 'claude',
  read: (payload) => readAs('claude', payload, eventParts),
  answer,
  tells: ({ event }) => event.kind !== 'permission',
  asks: claudeHost.canAskUser,
  transcript: { mark: /"usage"/, read: readUse },
}

/** A payload with the fields that several hosts have in common, and parts of its own. */
export function readAs(
  host: AgentHostId,
  payload: JsonObject,
  partsOf: (payload: JsonObject) => EventParts,
): HookInput | null {
  const name = textField(payload, 'hook_event_name')
  const session = textField(payload, 'session_id')
  const event = name === null ? null : readEvent(meaningOf(host, name), partsOf(payload))
  if (name === null || session === null || event === null) return null
  const [agent, cwd] = [textField(payload, 'agent_id'), textField(payload, 'cwd')]
  const transcripts = transcriptsIn(host, payload)
  return { host, name, session, agent, cwd, event, transcripts, uses: [] }
}

/** Claude Code gives its sub-agents files of their own, below that of the session. */
function transcriptsIn(host: AgentHostId, payload: JsonObject): readonly string[] {
  const main = textField(payload, 'transcript_path')
  const agent = textField(payload, 'agent_id')
  if (main === null) return []
  const told = textField(payload, 'agent_transcript_path')
  if (told !== null) return [told]
  // Codex names the file of the sub-agent itself.
  if (agent === null || host !== 'claude') return [main]
  if (!/^[\w-]{1,100}$/.test(agent)) return []
  return [`${main.replace(/\.jsonl$/, '')}/subagents/agent-${agent}.jsonl`]
}

/** What the events of this language hold. */
export function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callInPayload(payload),
    report: (meaning) => (meaning === 'failure' ? failed(payload) : done(payload)),
    promptedBy: () => promptedBy(payload),
    prompt: () => textField(payload, 'prompt'),
    file: () => textField(payload, 'file_path'),
  }
}

function done(payload: JsonObject): Report {
  const response: Json = own(payload, 'tool_response') ?? null
  const fields = asObject(response)
  const shell = fields === null ? null : textOfShell(fields)
  if (fields !== null && shell !== null) {
    // In the background it goes on; interrupted, it did not come to its end.
    const isOpen = textField(fields, 'backgroundTaskId') !== null || fields.interrupted === true
    // Claude Code takes some codes for success, such as 1 of grep, and says here what they mean.
    const isOdd = textField(fields, 'returnCodeInterpretation') !== null
    return reportOf(shell, { exitCode: isOpen || isOdd ? null : 0 })
  }
  const isMcp = textField(payload, 'tool_name')?.startsWith('mcp__') === true
  const told = isMcp ? textOfMcpResult(response) : null
  if (told !== null) return reportOf(told, { ok: !isMcpFailure(response) })
  // Codex gives the output of a shell as one text, and nothing of how it ended.
  return reportOf(response)
}

function textOfShell(fields: JsonObject): string | null {
  const { stdout, stderr } = fields
  return typeof stdout === 'string' && typeof stderr === 'string' ? stdout + stderr : null
}

function failed(payload: JsonObject): Report {
  const error = textField(payload, 'error') ?? ''
  const code = /^Exit code (\d{1,3})\b/.exec(error)?.[1]
  return reportOf(error, { ok: false, exitCode: code === undefined ? null : Number(code) })
}

/** WHY in JSON: an exit code says that the hook itself has failed, to the host and to its user. */
function answer(heard: HookInput, word: HookAnswer, wire: HookWire): HookReply {
  if (word.kind === 'pass') return jsonAnswer(passed(heard, word))
  return wire === 'http' || spokenKinds.has(heard.event.kind)
    ? jsonAnswer(refusal(heard, word))
    : blockAnswer(word.reason)
}

/** What a command refuses in JSON as well. */
const spokenKinds: ReadonlySet<HookEvent['kind']> = new Set([
  ...(['call', 'permission', 'stop', 'agent-stop'] as const),
])

/** A refusal as JSON: the only form there is over HTTP. */
function refusal({ event }: HookInput, word: Exclude<HookAnswer, { kind: 'pass' }>): JsonObject {
  const { reason } = word
  switch (event.kind) {
    case 'call': {
      const permissionDecision = word.kind === 'ask' ? 'ask' : 'deny'
      const permissionDecisionReason = reason
      const hookEventName = 'PreToolUse'
      return {
        hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason },
      }
    }
    case 'permission':
      return decided({ behavior: 'deny', message: reason })
    default:
      return { decision: 'block', reason }
  }
}

function decided(decision: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
}

function passed(
  { name, event }: HookInput,
  word: Extract<HookAnswer, { kind: 'pass' }>,
): JsonObject {
  const { input, context, isOwn } = word
  const told = context === '' ? {} : { additionalContext: context }
  switch (event.kind) {
    case 'call': {
      // WHY no decision for what is not ours: the host's own questions to its user stay.
      const decision = isOwn ? { permissionDecision: 'allow' } : {}
      const changed = input === null ? {} : { updatedInput: input }
      return withFields('PreToolUse', { ...decision, ...changed, ...told })
    }
    case 'permission':
      return isOwn ? decided({ behavior: 'allow' }) : {}
    case 'report':
    case 'prompt':
    case 'begin':
    case 'agent-begin':
      return withFields(name, told)
    default:
      return {}
  }
}

export function withFields(hookEventName: string, fields: JsonObject): JsonObject {
  if (Object.keys(fields).length === 0) return {}
  return { hookSpecificOutput: { hookEventName, ...fields } }
}

function readUse(line: JsonObject): ModelUse | 'odd' | null {
  const message = objectField(line, 'message')
  const usage = message === null ? null : objectField(message, 'usage')
  if (line.type !== 'assistant' || message === null || usage === null) return null
  const model = textField(message, 'model') ?? ''
  // The host's own words in the place of an answer; no model was asked.
  if (model === '<synthetic>') return null
  const written = objectField(usage, 'cache_creation')
  return useOf({
    ...{ id: textField(message, 'id'), at: momentIn(line), model },
    input: own(usage, 'input_tokens'),
    output: own(usage, 'output_tokens'),
    cacheRead: own(usage, 'cache_read_input_tokens'),
    cacheWrite: own(usage, 'cache_creation_input_tokens'),
    cacheWriteHour: written === null ? 0 : own(written, 'ephemeral_1h_input_tokens'),
  })
}
