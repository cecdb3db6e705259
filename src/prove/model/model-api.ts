/**
 * What every model API has in common: a parsed request, and a reply to send.
 * Knows no API by name; each of them has its own file.
 */
import { asObject, type Json, type JsonObject } from '../../core/json.ts'
import type { CallKind } from './script.ts'

/** A request to the model, whatever the API. */
export type ModelRequest = {
  readonly model: string
  readonly isStream: boolean
  /** Names of the tools on offer. */
  readonly tools: readonly string[]
  readonly firstWords: string
  readonly system: string
  /** What came since the model spoke last. */
  readonly told: readonly ModelInput[]
  /** The answer has to be JSON of this schema; left out: words. */
  readonly replySchema?: JsonObject | null
}

/** Something that the host tells the model: the result of a call, or words. */
export type ModelInput = {
  /** The call that it is the result of; null: words of somebody. */
  readonly callId: string | null
  readonly text: string
  readonly isError: boolean
}

/** A call that the model makes. */
export type ModelCall = {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly kind: CallKind
  readonly namespace: string | null
}

/** What the model says in one answer. */
export type ModelReply = {
  readonly id: string
  readonly model: string
  /** Seconds. */
  readonly at: number
  readonly text: string | null
  readonly calls: readonly ModelCall[]
  /** What the request came to. */
  readonly promptTokens: number
}

/** What an answer comes to. */
export const replyTokens = 5

export type ModelApi = {
  readonly path: RegExp
  readonly callPrefix: string
  readonly read: (body: JsonObject, url: string) => ModelRequest
  /** The answer in one piece. */
  readonly whole: (speech: ModelReply) => JsonObject
  /** The answer as server-sent events. */
  readonly pieces: (speech: ModelReply) => readonly string[]
}

/** A member that should be a list of objects; what is none is left out. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return []
  return value.map((one) => asObject(one)).filter((one) => one !== null)
}

/** A member that should be text. */
export function payloadText(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The words in whatever shape an API gives them: a text, parts with texts, or anything. */
export function promptWords(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(promptWords).join('\n')
  const { text, content } = value as JsonObject
  if (typeof text === 'string') return text
  return content === undefined ? JSON.stringify(value) : promptWords(content)
}

/** The end of a list, as far as it holds. */
export function trailing<T>(list: readonly T[], holds: (one: T) => boolean): readonly T[] {
  return list.slice(list.findLastIndex((one) => !holds(one)) + 1)
}

/** The arguments of a call as the text that OpenAI's APIs carry. */
export function argumentsOf({ input }: ModelCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

/** One server-sent event with a name. */
export function namedEvent(type: string, data: JsonObject): string {
  return `event: ${type}\n${dataEvent({ type, ...data })}`
}

/** One server-sent event without a name. */
export function dataEvent(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
