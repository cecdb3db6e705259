/**
 * The hooks of Qwen Code: the format of Claude Code, with measured exceptions. It ignores a changed
 * input and what is told before a call, and reports every result of a tool as a prompt.
 */
import type { Report } from '../../../core/engine/types.ts'
import { qwenHost } from '../../../core/hosts/qwen.ts'
import { type JsonObject, own } from '../../../core/json.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, isOnlyMarked, objectField, reportOf, textField } from '../payload.ts'
import { type ModelUse, minus, momentIn, plus, useOf } from '../spending/model-use.ts'
import { readAs, withFields } from './claude.ts'
import { exitCodeIn } from './gemini.ts'
import type { EventParts } from './read-event.ts'

export const qwenHooks: HookProtocol = {
  host: 'qwen',
  read,
  answer,
  // Before a call it is ignored.
  tells: ({ event }) => event.kind !== 'call',
  asks: qwenHost.canAskUser,
  transcript: { mark: /"usageMetadata"/, read: readUse },
}

function read(payload: JsonObject): HookInput | null {
  const heard = readAs('qwen', payload, eventParts)
  if (heard === null) return null
  const isToolResult = heard.event.kind === 'prompt' && textField(payload, 'prompt') === null
  const event = isToolResult ? ({ kind: 'nothing' } as const) : heard.event
  return { ...heard, event, transcripts: transcriptsOf(heard) }
}

/** Sub-agents have files of their own, beside that of the session. */
function transcriptsOf({ agent, session, transcripts }: HookInput): readonly string[] {
  if (agent === null || [agent, session].some((one) => !/^[\w-]{1,200}$/.test(one))) {
    return agent === null ? transcripts : []
  }
  const file = `/subagents/${session}/agent-${agent}.jsonl`
  return transcripts.map((path) => path.replace(/\/chats\/[^/]*$/, file))
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callInPayload(payload),
    report: (meaning) => (meaning === 'failure' ? failed(payload) : done(payload)),
    // Only what a person has typed is there twice; a prompt of ours or of a task is not.
    promptedBy: () => (textField(payload, 'submitted_prompt') === null ? 'host' : 'person'),
    prompt: () => textField(payload, 'prompt'),
    file: () => null,
  }
}

function done(payload: JsonObject): Report {
  const response = objectField(payload, 'tool_response') ?? {}
  const told = own(response, 'llmContent') ?? null
  const exitCode = exitCodeIn(typeof told === 'string' ? told : '')
  const shown = own(response, 'returnDisplay')
  // Only what a command is shown with is its output; of other tools it is a summary.
  const output = exitCode !== null && typeof shown === 'string' ? shown : told
  return reportOf(output, { ok: (exitCode ?? 0) === 0, exitCode })
}

function failed(payload: JsonObject): Report {
  const error = textField(payload, 'error') ?? ''
  return reportOf(error, { ok: false, exitCode: exitCodeIn(error) })
}

function answer({ name, event }: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') {
    if (event.kind !== 'stop' && event.kind !== 'agent-stop') return blockAnswer(word.reason)
    return jsonAnswer({ decision: 'block', reason: word.reason })
  }
  const { input, context } = word
  switch (event.kind) {
    case 'call':
      if (input === null || isOnlyMarked(event.call, input)) return jsonAnswer({})
      return blockAnswer('the call has to be changed first, and Qwen Code cannot do that')
    case 'report':
    case 'prompt':
    case 'begin':
    case 'agent-begin':
      return jsonAnswer(context === '' ? {} : withFields(name, { additionalContext: context }))
    default:
      return jsonAnswer({})
  }
}

function readUse(line: JsonObject): ModelUse | 'odd' | null {
  const usage = objectField(line, 'usageMetadata')
  if (line.type !== 'assistant' || usage === null) return null
  const cached = own(usage, 'cachedContentTokenCount') ?? 0
  return useOf({
    ...{ id: textField(line, 'uuid'), at: momentIn(line), model: textField(line, 'model') ?? '' },
    input: minus(own(usage, 'promptTokenCount'), cached, 0),
    output: plus(own(usage, 'candidatesTokenCount'), own(usage, 'thoughtsTokenCount')),
    ...{ cacheRead: cached, cacheWrite: 0 },
  })
}
