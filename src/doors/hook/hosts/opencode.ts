/**
 * What our plugin for opencode sends and hears. opencode has no hook commands: the plugin throws to
 * block, and changes the arguments in place.
 */
import type { JsonObject } from '../../../core/json.ts'
import { own } from '../../../core/json.ts'
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

export const opencode: HostDialect = { host: 'opencode', read, answer, asks: false }

function read(payload: JsonObject): Heard | null {
  const name = textIn(payload, 'hook_event_name')
  const own = textIn(payload, 'sessionID')
  const event = name === null ? null : eventOf(name, payload)
  if (name === null || own === null || event === null) return null
  // A sub-agent has a session of its own; the plugin names the one at its root as its parent.
  const parent = textIn(payload, 'parentID')
  const whose = { session: parent ?? own, agent: parent === null ? null : own }
  return { host: 'opencode', name, ...whose, cwd: textIn(payload, 'directory'), event }
}

function eventOf(name: string, payload: JsonObject): HookEvent | null {
  const isSub = textIn(payload, 'parentID') !== null
  switch (name) {
    case 'tool.execute.before': {
      const call = callOf(payload)
      return call === null ? null : { kind: 'call', call }
    }
    case 'tool.execute.after': {
      const call = callOf(payload)
      return call === null ? null : { kind: 'report', call, report: reportIn(payload) }
    }
    case 'chat.message':
      return { kind: 'prompt', by: isSub ? 'host' : 'person' }
    case 'session.created':
      return { kind: isSub ? 'agent-begin' : 'begin' }
    case 'session.compacted':
      return { kind: 'begin' }
    case 'session.idle':
      return { kind: isSub ? 'agent-stop' : 'stop' }
    case 'session.deleted':
      // The run is that of the session, which goes on.
      return { kind: isSub ? 'nothing' : 'end' }
    default:
      return null
  }
}

function callOf(payload: JsonObject): HostCall | null {
  const tool = textIn(payload, 'tool')
  const input = objectIn(payload, 'args')
  if (tool === null || input === null) return null
  return { tool, input, server: null, key: textIn(payload, 'callID') }
}

function reportIn(payload: JsonObject): ReturnType<typeof reportOf> {
  const result = objectIn(payload, 'output') ?? {}
  const exit = own(objectIn(result, 'metadata') ?? {}, 'exit')
  const exitCode = typeof exit === 'number' && Number.isInteger(exit) ? exit : null
  // Null is the code of a command that was ended; what is no command has none.
  const ok = exit === undefined || exitCode === 0
  return reportOf(own(result, 'output') ?? null, { ok, exitCode })
}

function answer(_heard: Heard, word: Word): HookOutput {
  if (word.kind !== 'pass') return block(word.reason)
  return say({ allow: true, args: word.input, context: word.context })
}
