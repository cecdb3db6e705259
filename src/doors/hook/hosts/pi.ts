/**
 * What our Pi extension sends and receives. Pi has no hook commands: the extension blocks a call,
 * and changes its input in place.
 */
import { piHost } from '../../../core/hosts/pi.ts'
import { meaningOf } from '../../../core/hosts/registry.ts'
import type { JsonObject } from '../../../core/json.ts'
import { own } from '../../../core/json.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, objectField, reportOf, textField } from '../payload.ts'
import { type ModelUse, useOf } from '../spending/model-use.ts'
import { type EventParts, readEvent } from './read-event.ts'

export const piHooks: HookProtocol = {
  host: 'pi',
  read,
  answer,
  // What it says is added to the next prompt or result, except where there is none.
  tells: ({ event }) => event.kind !== 'end' && event.kind !== 'nothing',
  asks: piHost.canAskUser,
  transcript: null,
}

function read(payload: JsonObject): HookInput | null {
  const name = textField(payload, 'hook_event_name')
  const session = textField(payload, 'session_id')
  const event = name === null ? null : readEvent(meaningOf('pi', name), eventParts(payload))
  if (name === null || session === null || event === null) return null
  const cwd = textField(payload, 'cwd')
  return {
    ...{ host: 'pi', name, session, agent: null, cwd, event, transcripts: [] },
    uses: usesIn(payload),
  }
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callInPayload(payload),
    report: () => reportIn(payload),
    // Another extension may speak in place of the user.
    promptedBy: () => (textField(payload, 'source') === 'extension' ? 'host' : 'person'),
    prompt: () => textField(payload, 'prompt'),
    file: () => null,
  }
}

/** An answer of a model, as Pi itself counts it. */
function usesIn(payload: JsonObject): readonly ModelUse[] {
  const message = objectField(payload, 'message')
  const usage = message === null ? null : objectField(message, 'usage')
  if (message === null || usage === null) return []
  const use = useOf({
    ...{ id: textField(message, 'id'), at: null, model: textField(message, 'model') ?? '' },
    input: own(usage, 'input'),
    output: own(usage, 'output'),
    cacheRead: own(usage, 'cacheRead'),
    cacheWrite: own(usage, 'cacheWrite'),
    costUsd: own(objectField(usage, 'cost') ?? {}, 'total') ?? null,
  })
  return use === 'odd' ? [] : [use]
}

/** Pi says how a command ended in the last line of what its model is told. */
const exitLine = /(?:^|\n)Command exited with code (\d{1,3})$/

function reportIn(payload: JsonObject): ReturnType<typeof reportOf> {
  const output = own(payload, 'output') ?? null
  const isShell = textField(payload, 'tool_name') === piHost.tools.shell
  const ok = own(payload, 'isError') === false
  const said = typeof output === 'string' ? exitLine.exec(output)?.[1] : undefined
  const failed = said === undefined ? null : Number(said)
  return reportOf(output, { ok, exitCode: isShell ? (ok ? 0 : failed) : null })
}

function answer(_heard: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') return blockAnswer(word.reason)
  return jsonAnswer({ allow: true, args: word.input, context: word.context })
}
