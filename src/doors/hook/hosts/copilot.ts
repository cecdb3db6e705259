/**
 * The hooks of Copilot CLI: the format of Claude Code, with measured exceptions. A reason is shown
 * only in JSON, a patch comes as a text, and a sub-agent speaks under a session of its own.
 */
import type { Report } from '../../../core/engine/types.ts'
import { copilotHost } from '../../../core/hosts/copilot.ts'
import { type JsonObject, own } from '../../../core/json.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  type HostCall,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, objectField, promptedBy, reportOf, textField } from '../payload.ts'
import { type ModelUse, minus, momentIn, useOf } from '../spending/model-use.ts'
import { readAs } from './claude.ts'
import type { EventParts } from './read-event.ts'

export const copilotHooks: HookProtocol = {
  host: 'copilot',
  read,
  answer,
  tells: ({ event }) => event.kind !== 'permission',
  asks: copilotHost.canAskUser,
  transcript: { mark: /"session\.usage_record"/, read: readUse },
  // It runs the hooks in a folder's `.claude` too. Claude Code tells no time of an event.
  borrows: { from: 'claude', isOwn: (payload) => own(payload, 'timestamp') !== undefined },
}

const patchTool = 'apply_patch'

function read(payload: JsonObject): HookInput | null {
  if (own(payload, 'hookName') === 'permissionRequest') return permissionIn(payload)
  const heard = readAs('copilot', withCommonNames(payload), eventParts)
  if (heard === null) return null
  // A sub-agent that stops is told of by an event of its own as well.
  const isTwice = heard.event.kind === 'stop' && heard.agent !== null
  return isTwice ? { ...heard, event: { kind: 'nothing' } } : heard
}

/**
 * The hooks of Claude Code are asked about permissions as well.
 * WHY nothing is said: the call was judged before, under the names that a definition knows.
 */
function permissionIn(payload: JsonObject): HookInput | null {
  const session = textField(payload, 'sessionId')
  if (session === null) return null
  const [agent, cwd] = [textField(payload, 'agent_id'), textField(payload, 'cwd')]
  const event = { kind: 'nothing' } as const
  return {
    ...{ host: 'copilot', name: 'PermissionRequest', session, agent, cwd, event },
    ...{ transcripts: [], uses: [] },
  }
}

/** The start of a sub-agent comes without a name, and in another spelling. */
function withCommonNames(payload: JsonObject): JsonObject {
  const isStart = own(payload, 'hook_event_name') === undefined && 'agentName' in payload
  const parent = textField(payload, 'parent_agent_id')
  const session = parent ?? textField(payload, 'session_id')
  const transcript = textField(payload, 'transcriptPath')
  return {
    ...payload,
    ...(isStart ? { hook_event_name: 'SubagentStart' } : {}),
    ...(session === null ? {} : { session_id: session }),
    ...(transcript === null ? {} : { transcript_path: transcript }),
  }
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callOf(payload),
    report: (meaning) => (meaning === 'failure' ? failed(payload) : done(payload)),
    promptedBy: () => speakerOf(payload),
    prompt: () => textField(payload, 'prompt'),
    file: () => null,
  }
}

/** WHY under the tool's own name: its hooks call a patch `Edit`, as they do another tool. */
function callOf(payload: JsonObject): HostCall | null {
  const patch = textField(payload, 'tool_input')
  if (patch === null) return callInPayload(payload)
  const isPatch = textField(payload, 'tool_name') === 'Edit' && patch.startsWith('*** Begin Patch')
  return isPatch ? { tool: patchTool, input: { patch }, server: null, key: null } : null
}

function speakerOf(payload: JsonObject): 'person' | 'host' {
  if (textField(payload, 'agent_id') !== null) return 'host'
  const isNotice = textField(payload, 'prompt')?.startsWith('<system_notification>') === true
  return isNotice ? 'host' : promptedBy(payload)
}

function done(payload: JsonObject): Report {
  const result = objectField(payload, 'tool_result') ?? {}
  const text = textField(result, 'text_result_for_llm') ?? ''
  const exitCode = exitCodeOf(text)
  return reportOf(text, { ok: (exitCode ?? 0) === 0, exitCode })
}

function failed(payload: JsonObject): Report {
  return reportOf(textField(payload, 'error') ?? '', { ok: false })
}

/** Of a command, in the last line of what the model is told. */
function exitCodeOf(told: string): number | null {
  const code = /<shellId: [^\n<>]{1,200} completed with exit code (\d{1,3})>\s*$/.exec(told)?.[1]
  return code === undefined ? null : Number(code)
}

/** WHY never an exit code: it would hide the reason, and at a prompt it does not block. */
function answer(heard: HookInput, word: HookAnswer): HookReply {
  const { event } = heard
  if (word.kind !== 'pass') return jsonAnswer(refusal(event.kind, word.reason))
  const { input, context, isOwn } = word
  const told = context === '' ? {} : { additionalContext: context }
  if (event.kind !== 'call') return jsonAnswer(told)
  if (input !== null && event.call.tool === patchTool) {
    return blockAnswer('the patch has to be changed first, and Copilot CLI cannot do that')
  }
  const decision = isOwn ? { permissionDecision: 'allow' } : {}
  return jsonAnswer({ ...decision, ...(input === null ? {} : { modifiedArgs: input }), ...told })
}

function refusal(kind: HookInput['event']['kind'], reason: string): JsonObject {
  if (kind !== 'call') return { decision: 'block', reason }
  return { permissionDecision: 'deny', permissionDecisionReason: reason }
}

function readUse(line: JsonObject): ModelUse | 'odd' | null {
  const data = objectField(line, 'data')
  const usage = data === null ? null : objectField(data, 'usage')
  if (line.type !== 'session.usage_record' || usage === null) return null
  const cached = own(usage, 'cacheReadTokens') ?? 0
  return useOf({
    ...{ id: textField(line, 'id'), at: momentIn(line), model: textField(usage, 'model') ?? '' },
    input: minus(own(usage, 'inputTokens'), cached, 0),
    output: own(usage, 'outputTokens'),
    ...{ cacheRead: cached, cacheWrite: own(usage, 'cacheWriteTokens') },
  })
}
