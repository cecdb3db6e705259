/**
 * The hooks of Cursor, by its documents: it cannot be installed where Pawl is tested.
 */
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
  type Word,
} from '../heard.ts'
import { objectIn, reportOf, textIn } from '../payload.ts'

export const cursor: HostDialect = { host: 'cursor', read, answer, asks: false }

function read(payload: JsonObject): Heard | null {
  const name = textIn(payload, 'hook_event_name')
  const session = textIn(payload, 'conversation_id') ?? textIn(payload, 'session_id')
  const event = name === null ? null : eventOf(name, payload)
  if (name === null || session === null || event === null) return null
  const agent = textIn(payload, 'subagent_id')
  const cwd = textIn(payload, 'cwd')
  return { host: 'cursor', name, session, agent, cwd, event, transcripts: [], uses: [] }
}

function eventOf(name: string, payload: JsonObject): HookEvent | null {
  switch (name) {
    case 'preToolUse':
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
    case 'beforeReadFile': {
      const call = callOf(name, payload)
      return call === null ? null : { kind: 'call', call }
    }
    case 'postToolUse':
    case 'postToolUseFailure': {
      const call = callOf('preToolUse', payload)
      const ok = name === 'postToolUse'
      const output = own(payload, 'tool_output') ?? own(payload, 'error_message') ?? null
      return call === null ? null : { kind: 'report', call, report: reportOf(output, { ok }) }
    }
    case 'beforeSubmitPrompt':
      return { kind: 'prompt', by: 'person' }
    case 'sessionStart':
      return { kind: 'begin' }
    case 'sessionEnd':
      return { kind: 'end' }
    case 'subagentStart':
      return { kind: 'agent-begin' }
    case 'subagentStop':
      return { kind: 'agent-stop' }
    case 'stop':
      return { kind: 'stop' }
    default:
      return quietEvents.has(name) ? { kind: 'nothing' } : null
  }
}

const quietEvents: ReadonlySet<string> = new Set(
  `afterShellExecution afterMCPExecution afterFileEdit afterAgentResponse afterAgentThought
  preCompact`.split(/\s+/),
)

function callOf(name: string, payload: JsonObject): HostCall | null {
  const key = textIn(payload, 'tool_use_id')
  switch (name) {
    case 'beforeShellExecution': {
      const command = textIn(payload, 'command')
      return command === null ? null : { tool: 'Shell', input: { command }, server: null, key }
    }
    case 'beforeReadFile': {
      const path = textIn(payload, 'file_path')
      return path === null ? null : { tool: 'Read', input: { file_path: path }, server: null, key }
    }
    default: {
      const tool = textIn(payload, 'tool_name')
      const input = objectIn(payload, 'tool_input') ?? parsed(own(payload, 'tool_input') ?? null)
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

function answer({ name, event }: Heard, word: Word): HookOutput {
  if (word.kind !== 'pass') {
    return event.kind === 'stop' || event.kind === 'agent-stop'
      ? say({ followup_message: word.reason })
      : block(word.reason)
  }
  const { input, context, isOwn } = word
  switch (event.kind) {
    case 'call':
      if (input === null) return say({ permission: 'allow' })
      if (name === 'preToolUse') return say({ permission: 'allow', updated_input: input })
      // WHY: all that would be changed is whom it is from, and that was done before it came here.
      if (isOwn) return say({ permission: 'allow' })
      return block('the call has to be changed first, and Cursor cannot do that here')
    case 'prompt':
      return say({ continue: true })
    case 'begin':
    case 'report':
      return say(context === '' ? {} : { additional_context: context })
    default:
      return say({})
  }
}
