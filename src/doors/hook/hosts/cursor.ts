/**
 * The hooks of Cursor, written from its documentation. Not tested: Cursor cannot be installed in
 * the test environment.
 */
import { cursorHost } from '../../../core/hosts/cursor.ts'
import { meaningOf } from '../../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  type HostCall,
  jsonAnswer,
} from '../hook-protocol.ts'
import { objectField, reportOf, textField } from '../payload.ts'
import { type EventParts, readEvent } from './read-event.ts'

export const cursorHooks: HookProtocol = {
  host: 'cursor',
  read,
  answer,
  tells: ({ event }) => event.kind === 'begin' || event.kind === 'report',
  asks: cursorHost.canAskUser,
  transcript: null,
}

function read(payload: JsonObject): HookInput | null {
  const name = textField(payload, 'hook_event_name')
  const session = textField(payload, 'conversation_id') ?? textField(payload, 'session_id')
  const event =
    name === null ? null : readEvent(meaningOf('cursor', name), eventParts(name, payload))
  if (name === null || session === null || event === null) return null
  const agent = textField(payload, 'subagent_id')
  const cwd = textField(payload, 'cwd')
  return { host: 'cursor', name, session, agent, cwd, event, transcripts: [], uses: [] }
}

function eventParts(name: string, payload: JsonObject): EventParts {
  const output = own(payload, 'tool_output') ?? own(payload, 'error_message') ?? null
  return {
    call: () => callOf(name, payload),
    report: (meaning) => reportOf(output, { ok: meaning === 'report' }),
    promptedBy: () => 'person',
    prompt: () => textField(payload, 'prompt'),
    file: () => null,
  }
}

function callOf(name: string, payload: JsonObject): HostCall | null {
  const key = textField(payload, 'tool_use_id')
  switch (name) {
    case 'beforeShellExecution': {
      const command = textField(payload, 'command')
      return command === null ? null : { tool: 'Shell', input: { command }, server: null, key }
    }
    case 'beforeReadFile': {
      const path = textField(payload, 'file_path')
      return path === null ? null : { tool: 'Read', input: { file_path: path }, server: null, key }
    }
    default: {
      const tool = textField(payload, 'tool_name')
      const input = objectField(payload, 'tool_input') ?? parsed(own(payload, 'tool_input') ?? null)
      return tool === null || input === null ? null : { tool, input, server: null, key }
    }
  }
}

/** Before a tool of a server, the input comes as a text. */
function parsed(value: Json): JsonObject | null {
  if (typeof value !== 'string') return null
  try {
    return asObject(JSON.parse(value) as Json)
  } catch {
    // Not JSON: nobody can tell what would be called.
    return null
  }
}

function answer({ name, event }: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') {
    return event.kind === 'stop' || event.kind === 'agent-stop'
      ? jsonAnswer({ followup_message: word.reason })
      : blockAnswer(word.reason)
  }
  const { input, context, isOwn } = word
  switch (event.kind) {
    case 'call':
      if (input === null) return jsonAnswer({ permission: 'allow' })
      if (name === 'preToolUse') return jsonAnswer({ permission: 'allow', updated_input: input })
      // WHY: all that would be changed is whom it is from, and that was done before it came here.
      if (isOwn) return jsonAnswer({ permission: 'allow' })
      return blockAnswer('the call has to be changed first, and Cursor cannot do that here')
    case 'prompt':
      return jsonAnswer({ continue: true })
    case 'begin':
    case 'report':
      return jsonAnswer(context === '' ? {} : { additional_context: context })
    default:
      return jsonAnswer({})
  }
}
