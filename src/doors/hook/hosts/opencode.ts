/**
 * What our opencode plugin sends and receives. opencode has no hook commands: the plugin throws to
 * block a call, and changes the arguments in place.
 */
import type { HookMeaning } from '../../../core/hosts/host-descriptor.ts'
import { opencodeHost } from '../../../core/hosts/opencode.ts'
import { meaningOf } from '../../../core/hosts/registry.ts'
import type { JsonObject } from '../../../core/json.ts'
import { own } from '../../../core/json.ts'
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
import { type ModelUse, useOf } from '../spending/model-use.ts'
import { type EventParts, readEvent } from './read-event.ts'

export const opencodeHooks: HookProtocol = {
  host: 'opencode',
  read,
  answer,
  // The plugin cannot add to a conversation that has not begun.
  tells: ({ name }) => name !== 'session.created',
  asks: opencodeHost.canAskUser,
  transcript: null,
}

function read(payload: JsonObject): HookInput | null {
  const name = textField(payload, 'hook_event_name')
  const own = textField(payload, 'sessionID')
  const event = name === null ? null : readEvent(meaningFor(name, payload), eventParts(payload))
  if (name === null || own === null || event === null) return null
  // A sub-agent has a session of its own; the plugin names the one at its root as its parent.
  const parent = textField(payload, 'parentID')
  const whose = { session: parent ?? own, agent: parent === null ? null : own }
  const cwd = textField(payload, 'directory')
  return { host: 'opencode', name, ...whose, cwd, event, transcripts: [], uses: usesIn(payload) }
}

/** A sub-agent is a session with a parent, and its events mean something else. */
function meaningFor(name: string, payload: JsonObject): HookMeaning | null {
  const meaning = meaningOf('opencode', name)
  if (!isSubAgent(payload)) return meaning
  if (name === 'session.created') return 'agent-begin'
  if (meaning === 'stop') return 'agent-stop'
  // The run is that of the session above, which goes on.
  return meaning === 'end' ? 'nothing' : meaning
}

function isSubAgent(payload: JsonObject): boolean {
  return textField(payload, 'parentID') !== null
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callOf(payload),
    report: () => reportIn(payload),
    promptedBy: () => (isSubAgent(payload) ? 'host' : 'person'),
    prompt: () => textField(payload, 'prompt'),
    file: () => null,
  }
}

/** An answer of a model that is complete, as opencode itself counts it. */
function usesIn(payload: JsonObject): readonly ModelUse[] {
  const message = objectField(payload, 'message')
  const tokens = message === null ? null : objectField(message, 'tokens')
  if (message === null || tokens === null) return []
  const cache = objectField(tokens, 'cache') ?? {}
  const [output, reasoning] = [own(tokens, 'output'), own(tokens, 'reasoning') ?? 0]
  const use = useOf({
    ...{ id: textField(message, 'id'), at: null, model: textField(message, 'modelID') ?? '' },
    input: own(tokens, 'input'),
    output: typeof output === 'number' ? output + Number(reasoning) : output,
    cacheRead: own(cache, 'read'),
    cacheWrite: own(cache, 'write'),
    costUsd: own(message, 'cost') ?? null,
  })
  return use === 'odd' ? [] : [use]
}

function callOf(payload: JsonObject): HostCall | null {
  const tool = textField(payload, 'tool')
  const input = objectField(payload, 'args')
  if (tool === null || input === null) return null
  return { tool, input, server: null, key: textField(payload, 'callID') }
}

function reportIn(payload: JsonObject): ReturnType<typeof reportOf> {
  const result = objectField(payload, 'output') ?? {}
  const exit = own(objectField(result, 'metadata') ?? {}, 'exit')
  const exitCode = typeof exit === 'number' && Number.isInteger(exit) ? exit : null
  // Null is the code of a command that was ended; what is no command has none.
  const ok = exit === undefined || exitCode === 0
  return reportOf(own(result, 'output') ?? null, { ok, exitCode })
}

function answer(_heard: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') return blockAnswer(word.reason)
  return jsonAnswer({ allow: true, args: word.input, context: word.context })
}
