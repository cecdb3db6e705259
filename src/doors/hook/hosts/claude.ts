/**
 * The hooks of Claude Code, and those of Codex, which speak the same language with exceptions.
 */
import type { Report } from '../../../core/engine/types.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import type { HookOutput } from '../../api/hook-question.ts'
import {
  block,
  type Heard,
  type HookEvent,
  type HostCall,
  type HostDialect,
  say,
  type Wire,
  type Word,
} from '../heard.ts'
import { callIn, promptedBy, reportOf, textIn } from '../payload.ts'

export const claude: HostDialect = {
  host: 'claude',
  read: (payload) => readAs('claude', payload, eventOf),
  answer,
  asks: true,
}

/** A payload with the fields that several hosts have in common, and events of its own. */
export function readAs(
  host: Heard['host'],
  payload: JsonObject,
  eventOf: (name: string, payload: JsonObject) => HookEvent | null,
): Heard | null {
  const name = textIn(payload, 'hook_event_name')
  const session = textIn(payload, 'session_id')
  const event = name === null ? null : eventOf(name, payload)
  if (name === null || session === null || event === null) return null
  const [agent, cwd] = [textIn(payload, 'agent_id'), textIn(payload, 'cwd')]
  const transcripts = transcriptsIn(host, payload)
  return { host, name, session, agent, cwd, event, transcripts, uses: [] }
}

/** Claude Code gives its sub-agents files of their own, below that of the session. */
function transcriptsIn(host: Heard['host'], payload: JsonObject): readonly string[] {
  const main = textIn(payload, 'transcript_path')
  const agent = textIn(payload, 'agent_id')
  if (main === null) return []
  const told = textIn(payload, 'agent_transcript_path')
  if (told !== null) return [told]
  // Codex names the file of the sub-agent itself.
  if (agent === null || host !== 'claude') return [main]
  if (!/^[\w-]{1,100}$/.test(agent)) return []
  return [`${main.replace(/\.jsonl$/, '')}/subagents/agent-${agent}.jsonl`]
}

/** What an event of this language is to us; null: it cannot be read. */
export function eventOf(name: string, payload: JsonObject): HookEvent | null {
  switch (name) {
    case 'PreToolUse':
      return withCall(payload, (call) => ({ kind: 'call', call }))
    case 'PermissionRequest':
      return withCall(payload, (call) => ({ kind: 'permission', call }))
    case 'PostToolUse':
      return withCall(payload, (call) => ({ kind: 'report', call, report: done(payload) }))
    case 'PostToolUseFailure':
      return withCall(payload, (call) => ({ kind: 'report', call, report: failed(payload) }))
    case 'UserPromptSubmit':
      return { kind: 'prompt', by: promptedBy(payload) }
    case 'SessionStart':
      return { kind: 'begin' }
    case 'SessionEnd':
      return { kind: 'end' }
    case 'Stop':
      return { kind: 'stop' }
    case 'SubagentStart':
      return { kind: 'agent-begin' }
    case 'SubagentStop':
      return { kind: 'agent-stop' }
    case 'ConfigChange':
      return { kind: 'config', file: textIn(payload, 'file_path') }
    default:
      return quietEvents.has(name) ? { kind: 'nothing' } : null
  }
}

/** What else these hosts tell; an event of another name may be a way to call, so it is refused. */
const quietEvents: ReadonlySet<string> = new Set(
  `PostToolBatch Notification UserPromptExpansion StopFailure PreCompact PostCompact
  PreModelSwitch PostModelSwitch PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
  Elicitation ElicitationResult InstructionsLoaded CwdChanged FileChanged DirectoryAdded
  MessageDisplay WorktreeCreate WorktreeRemove Interrupt`.split(/\s+/),
)

function withCall(payload: JsonObject, make: (call: HostCall) => HookEvent): HookEvent | null {
  const call = callIn(payload)
  return call === null ? null : make(call)
}

function done(payload: JsonObject): Report {
  const response: Json = own(payload, 'tool_response') ?? null
  const fields = asObject(response)
  const shell = fields === null ? null : textOfShell(fields)
  if (fields !== null && shell !== null) {
    // In the background it goes on; interrupted, it did not come to its end.
    const isOpen = textIn(fields, 'backgroundTaskId') !== null || fields.interrupted === true
    return reportOf(shell, { exitCode: isOpen ? null : 0 })
  }
  // Codex gives the output of a shell as one text, and nothing of how it ended.
  return reportOf(response)
}

function textOfShell(fields: JsonObject): string | null {
  const { stdout, stderr } = fields
  return typeof stdout === 'string' && typeof stderr === 'string' ? stdout + stderr : null
}

function failed(payload: JsonObject): Report {
  const error = textIn(payload, 'error') ?? ''
  const code = /^Exit code (\d{1,3})\b/.exec(error)?.[1]
  return reportOf(error, { ok: false, exitCode: code === undefined ? null : Number(code) })
}

/** WHY stops in JSON: the exit code of their hook tells whether the hook itself has worked. */
function answer(heard: Heard, word: Word, wire: Wire): HookOutput {
  if (word.kind === 'pass') return say(passed(heard, word))
  const { kind } = heard.event
  const isStop = kind === 'stop' || kind === 'agent-stop'
  if (wire === 'http' || word.kind === 'ask' || isStop) return say(refusal(heard, word))
  return block(word.reason)
}

/** A refusal as JSON: the only form there is over HTTP. */
function refusal({ event }: Heard, word: Exclude<Word, { kind: 'pass' }>): JsonObject {
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

function passed({ name, event }: Heard, word: Extract<Word, { kind: 'pass' }>): JsonObject {
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
