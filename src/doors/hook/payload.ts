/** Payload fields that several hosts share. The types of a host's values are always checked. */
import type { Report } from '../../core/engine/types.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { asObject, own } from '../../core/json.ts'
import type { HostCall } from './hook-protocol.ts'

/** A field that is a text with something in it; null: it is not. */
export function textField(payload: JsonObject, field: string): string | null {
  const value = own(payload, field)
  return typeof value === 'string' && value !== '' ? value : null
}

/** A field that is an object; null: it is not. */
export function objectField(payload: JsonObject, field: string): JsonObject | null {
  return asObject(own(payload, field) ?? null)
}

/** The call of a payload with `tool_name` and `tool_input`; null: there is none. */
export function callInPayload(payload: JsonObject): HostCall | null {
  const tool = textField(payload, 'tool_name')
  const input = objectField(payload, 'tool_input')
  if (tool === null || input === null) return null
  const turn = textField(payload, 'prompt_id') ?? textField(payload, 'turn_id') ?? ''
  const key = textField(payload, 'tool_use_id')
  return { tool, input, server: null, key: key === null ? null : `${turn}:${key}` }
}

/**
 * Whether a changed input is the same but for the mark.
 * WHY it may pass unchanged: the mark only says whose call it is, and Pawl's servers do without it.
 */
export function isOnlyMarked(call: HostCall, input: JsonObject): boolean {
  const [{ _pawl: _, ...asked }, { _pawl: __, ...wanted }] = [call.input, input]
  return JSON.stringify(asked) === JSON.stringify(wanted)
}

/**
 * Who speaks in a prompt: hosts also put there what a background task ended with, and what we
 * ourselves said to an agent that wanted to stop.
 */
export function promptedBy(payload: JsonObject): 'person' | 'host' {
  const prompt = textField(payload, 'prompt') ?? ''
  return /^(?:<task-notification>|Pawl: )/.test(prompt) ? 'host' : 'person'
}

/** Letters of an output that are looked into: its end, where a run is summed up. */
const outputCharsMax = 256 * 1024

/** A report on a call, from what the host gives back to its model. */
export function reportOf(output: Json, more: Partial<Report> = {}): Report {
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? null)
  return {
    ok: true,
    output: text.slice(-outputCharsMax),
    exitCode: null,
    bytes: Buffer.byteLength(text),
    costMicroUsd: 0,
    ...more,
  }
}
