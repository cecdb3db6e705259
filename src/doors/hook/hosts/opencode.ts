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
import { type ModelUse, useOf } from '../spending/model-use.ts'

export const opencode: HostDialect = { host: 'opencode', read, answer, asks: false }

function read(payload: JsonObject): Heard | null {
  const name = textIn(payload, 'hook_event_name')
  const own = textIn(payload, 'sessionID')
  const event = name === null ? null : eventOf(name, payload)
  if (name === null || own === null || event === null) return null
  // A sub-agent has a session of its own; the plugin names the one at its root as its parent.
  const parent = textIn(payload, 'parentID')
  const whose = { session: parent ?? own, agent: parent === null ? null : own }
  const cwd = textIn(payload, 'directory')
  return { host: 'opencode', name, ...whose, cwd, event, transcripts: [], uses: usesIn(payload) }
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
    case 'message.updated':
      return { kind: 'nothing' }
    default:
      return null
  }
}

/** An answer of a model that is complete, as opencode itself counts it. */
function usesIn(payload: JsonObject): readonly ModelUse[] {
  const message = objectIn(payload, 'message')
  const tokens = message === null ? null : objectIn(message, 'tokens')
  if (message === null || tokens === null) return []
  const cache = objectIn(tokens, 'cache') ?? {}
  const [output, reasoning] = [own(tokens, 'output'), own(tokens, 'reasoning') ?? 0]
  const use = useOf({
    ...{ id: textIn(message, 'id'), at: null, model: textIn(message, 'modelID') ?? '' },
    input: own(tokens, 'input'),
    output: typeof output === 'number' ? output + Number(reasoning) : output,
    cacheRead: own(cache, 'read'),
    cacheWrite: own(cache, 'write'),
    costUsd: own(message, 'cost') ?? null,
  })
  return use === 'odd' ? [] : [use]
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
