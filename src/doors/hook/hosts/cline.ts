/**
 * What our plugin for Cline sends and receives. Its shell tool takes a list of commands, each of
 * which gets a shell of its own, in several forms; a call is judged as one shell text.
 */
import type { Report } from '../../../core/engine/types.ts'
import { clineHost } from '../../../core/hosts/cline.ts'
import { meaningOf } from '../../../core/hosts/registry.ts'
import { asObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { readShell } from '../../../core/shell/read-shell.ts'
import type { HookReply } from '../../api/hook-exchange.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookProtocol,
  type HostCall,
  jsonAnswer,
} from '../hook-protocol.ts'
import { callInPayload, objectField, reportOf, textField } from '../payload.ts'
import { type ModelUse, useOf } from '../spending/model-use.ts'
import { type EventParts, readEvent } from './read-event.ts'

export const clineHooks: HookProtocol = {
  host: 'cline',
  read,
  answer,
  // What it says is added to the next result.
  tells: ({ event }) => event.kind !== 'end' && event.kind !== 'nothing',
  asks: clineHost.canAskUser,
  transcript: null,
}

function read(payload: JsonObject): HookInput | null {
  const name = textField(payload, 'hook_event_name')
  const session = textField(payload, 'session_id')
  const event = name === null ? null : readEvent(meaningOf('cline', name), eventParts(payload))
  if (name === null || session === null || event === null) return null
  const [agent, cwd] = [textField(payload, 'agent_id'), textField(payload, 'cwd')]
  return {
    ...{ host: 'cline', name, session, agent, cwd, event, transcripts: [] },
    uses: usesIn(payload),
  }
}

function eventParts(payload: JsonObject): EventParts {
  return {
    call: () => callOf(payload),
    report: () => reportIn(payload),
    promptedBy: () => (textField(payload, 'prompt') === null ? 'host' : 'person'),
    prompt: () => textField(payload, 'prompt'),
    file: () => null,
  }
}

function callOf(payload: JsonObject): HostCall | null {
  const call = callInPayload(payload)
  if (call?.tool === clineHost.offered.Edit) return { ...call, input: withOldText(call.input) }
  if (call === null || call.tool !== clineHost.tools.shell) return call
  const command = commandIn(call.input)
  return command === null ? null : { ...call, input: { command } }
}

/** WHY: without it a file is made or added to, so nothing is lost; its size is that of the new. */
function withOldText(input: JsonObject): JsonObject {
  return { ...input, old_text: own(input, 'old_text') ?? '' }
}

/** The commands of a call as one shell text; null: they cannot be read. */
function commandIn(input: JsonObject): string | null {
  const [key, ...others] = Object.keys(input)
  if (others.length > 0 || key === undefined) return programOf(input)
  const given = own(input, key) ?? null
  if (key === 'command' || key === 'cmd') return typeof given === 'string' ? given : null
  if (key !== 'commands') return null
  const texts = (Array.isArray(given) ? given : [given]).map(textOf)
  const known = texts.filter((text) => text !== null)
  if (known.length === 0 || known.length < texts.length) return null
  const [first] = known
  return known.length === 1 && first !== undefined ? first : textOfAll(known)
}

/** What a shell is given for one command. WHY with `args`: else Cline has a shell read it. */
function textOf(given: Json): string | null {
  if (typeof given === 'string') return given
  const program = asObject(given)
  if (program === null) return null
  const { command, ...more } = program
  const isText = typeof command === 'string' && Object.keys(more).length === 0
  return isText ? command : programOf(program)
}

/** Null: what Cline runs is not these texts one by one, or one of them cannot be read. */
function textOfAll(texts: readonly string[]): string | null {
  const isUnclear = texts.some((text, at) => !readShell(text).ok || isJoined(texts, at))
  return isUnclear ? null : texts.map(inShell).join('\n')
}

// As in Cline, which makes one command of a here-document whose lines are commands of their own.
const documentStart = /(?<!<)<<-?\s*(?:"([^"]+)"|'([^']+)'|([\w./-]+))/

function isJoined(texts: readonly string[], from: number): boolean {
  const [, ...names] = documentStart.exec(texts[from] ?? '') ?? []
  const end = names.find((name) => name !== undefined)
  return texts.slice(from + 1).some((text) => text.trim() === end)
}

/** A program with its words, which no shell reads. */
function programOf(input: JsonObject): string | null {
  const { command, args = [], ...more } = input
  if (typeof command !== 'string' || Object.keys(more).length > 0) return null
  if (!Array.isArray(args) || !args.every((word) => typeof word === 'string')) return null
  return [command, ...args].map(quoted).join(' ')
}

/**
 * WHY with a shell of its own: a folder, a variable or a document must not go over to the next.
 * `bash -c` does it for every text, but is on no list of commands.
 */
function inShell(text: string): string {
  const reading = readShell(text)
  const isPlain = reading.ok && reading.isPlain && reading.commands.length > 0
  return isPlain ? `( ${text}\n)` : `bash -c ${quoted(text)}`
}

function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** What became of a command or a file; a call may name several. */
type Result = { readonly text: string; readonly ok: boolean; readonly exitCode: number | null }

const exitText = /^Command exited with code (\d{1,3})$/

function reportIn(payload: JsonObject): Report {
  const output = own(payload, 'output') ?? null
  const isShell = textField(payload, 'tool_name') === clineHost.tools.shell
  const results = Array.isArray(output) ? output.map(resultOf) : []
  const known = results.filter((one) => one !== null)
  const isOk = own(payload, 'isError') === false
  if (known.length === 0 || known.length < results.length) return reportOf(output, { ok: isOk })
  const failed = known.find(({ ok }) => !ok)
  const text = known.map((one) => one.text).join('\n')
  const exitCode = failed === undefined ? 0 : failed.exitCode
  const ok = isOk && failed === undefined
  return reportOf(text, { ok, exitCode: isShell ? exitCode : null })
}

function resultOf(value: Json): Result | null {
  const fields = asObject(value)
  const text = fields === null ? undefined : own(fields, 'result')
  if (fields === null || typeof text !== 'string') return null
  const error = textField(fields, 'error')
  const code = exitText.exec(error ?? '')?.[1]
  const shown = code === undefined ? text : text.replace(/^\[Command exited with code \d+\]\n/, '')
  return {
    text: shown === '' ? (error ?? '') : shown,
    ok: own(fields, 'success') === true,
    exitCode: code === undefined ? null : Number(code),
  }
}

/** An answer of a model, as Cline itself counts it. */
function usesIn(payload: JsonObject): readonly ModelUse[] {
  const message = objectField(payload, 'message')
  const usage = message === null ? null : objectField(message, 'metrics')
  if (message === null || usage === null) return []
  const use = useOf({
    ...{ id: textField(message, 'id'), at: null, model: textField(message, 'model') ?? '' },
    input: own(usage, 'inputTokens'),
    output: own(usage, 'outputTokens'),
    cacheRead: own(usage, 'cacheReadTokens') ?? 0,
    cacheWrite: own(usage, 'cacheWriteTokens') ?? 0,
  })
  return use === 'odd' ? [] : [use]
}

function answer(_heard: HookInput, word: HookAnswer): HookReply {
  if (word.kind !== 'pass') return blockAnswer(word.reason)
  return jsonAnswer({ allow: true, args: word.input, context: word.context })
}
