/**
 * The hooks of Kimi Code: the format of Claude Code, with measured exceptions. It waits only for
 * hooks before a call, at a prompt and when its agent stops; it ignores a changed input.
 */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import type { Report } from '../../../core/engine/types.ts'
import { kimiHost } from '../../../core/hosts/kimi.ts'
import { asObject, type JsonObject, own } from '../../../core/json.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, isOnlyMarked, objectField, reportOf, textField } from '../payload.ts'
import { type ModelUse, useOf } from '../spending/model-use.ts'
import { readAs, withFields } from './claude.ts'
import type { EventParts } from './read-event.ts'

export const kimiHooks: HookProtocol = {
  host: 'kimi',
  read,
  answer,
  // Everywhere else it is ignored.
  tells: ({ event }) => event.kind === 'prompt',
  asks: kimiHost.canAskUser,
  namesAgents: false,
  transcript: { mark: /"usage\.record"/, read: readUse },
}

function read(payload: JsonObject): HookInput | null {
  const heard = readAs('kimi', payload, eventParts)
  return heard === null ? null : { ...heard, transcripts: transcriptsOf(heard) }
}

/**
 * The files of a session: one for each agent.
 * WHY by the rule by which it names folders: its payloads do not name them.
 */
function transcriptsOf({ session, cwd }: HookInput): readonly string[] {
  if (cwd === null || !/^session_[\w-]{1,100}$/.test(session)) return []
  const { folder, variable } = kimiHost.userHooks
  const named = process.env[variable.name] ?? ''
  const home = isAbsolute(named) ? named : join(homedir(), folder)
  const agents = join(home, 'sessions', folderKey(cwd), session, 'agents')
  try {
    return readdirSync(agents).map((agent) => join(agents, agent, 'wire.jsonl'))
  } catch {
    // Not there: nothing has been written down yet, or somewhere else.
    return []
  }
}

const nameLettersMax = 40

function folderKey(folder: string): string {
  const trim = (text: string): string => text.replaceAll(/^-+|-+$/g, '')
  const words = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
  const name = trim(trim(words).slice(0, nameLettersMax))
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  return `wd_${/^\.{0,2}$/.test(name) ? 'workspace' : name}_${hash}`
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callInPayload({ ...payload, tool_use_id: own(payload, 'tool_call_id') ?? null }),
    report: (meaning) => (meaning === 'failure' ? failed(payload) : done(payload)),
    // It does not report prompts of its own: of tasks that have ended, of goals, of stop hooks.
    promptedBy: () => 'person',
    prompt: () => promptIn(payload),
    file: () => null,
  }
}

/** A prompt is a list of parts, of which pictures say nothing. */
function promptIn(payload: JsonObject): string | null {
  const parts = own(payload, 'prompt')
  if (!Array.isArray(parts)) return textField(payload, 'prompt')
  return parts.map((part) => own(asObject(part) ?? {}, 'text') ?? '').join('\n')
}

function done(payload: JsonObject): Report {
  const output = textField(payload, 'tool_output') ?? ''
  const isShell = textField(payload, 'tool_name') === kimiHost.tools.shell
  // In the background it goes on.
  const isOpen = objectField(payload, 'tool_input')?.run_in_background === true
  return reportOf(output, { exitCode: isShell && !isOpen ? 0 : null })
}

function failed(payload: JsonObject): Report {
  const error = textField(objectField(payload, 'error') ?? {}, 'message') ?? ''
  // The last line is its own; what the command has printed stands before it.
  const code = /(?:^|\n)Command failed with exit code: (\d{1,3})\.$/.exec(error)?.[1]
  return reportOf(error, { ok: false, exitCode: code === undefined ? null : Number(code) })
}

function answer({ name, event }: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') {
    // It does not say which sub-agent stops, and waits for no answer.
    if (event.kind === 'agent-stop') return jsonAnswer({})
    if (event.kind !== 'stop') return blockAnswer(word.reason)
    // WHY in JSON: its hook for a stop ends with 0 in any case, so that an agent can stop.
    const denied = { permissionDecision: 'deny', permissionDecisionReason: word.reason }
    return jsonAnswer(withFields(name, denied))
  }
  const { input, context } = word
  if (event.kind === 'prompt') return jsonAnswer(context === '' ? {} : { message: context })
  if (event.kind !== 'call' || input === null) return jsonAnswer({})
  if (isOnlyMarked(event.call, input)) return jsonAnswer({})
  return blockAnswer('the call has to be changed first, and Kimi Code cannot do that')
}

function readUse(line: JsonObject): ModelUse | 'odd' | null {
  const usage = objectField(line, 'usage')
  if (line.type !== 'usage.record' || usage === null) return null
  const time = own(line, 'time')
  return useOf({
    // It has no name of its own; an agent gets one answer at a time.
    id: `${textField(line, 'agentId')} ${time}`,
    at: typeof time === 'number' ? time : null,
    model: textField(line, 'model') ?? '',
    input: own(usage, 'inputOther'),
    output: own(usage, 'output'),
    cacheRead: own(usage, 'inputCacheRead'),
    cacheWrite: own(usage, 'inputCacheCreation'),
  })
}
