/**
 * Messages of JSON-RPC 2.0, as far as a relay looks at them: who answers whom. What is in them is
 * passed on as it came.
 */
import { asObject, type Json, type JsonObject } from '../core/json.ts'

export type Id = string | number
export type Request = {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly method: string
  readonly params?: JsonObject
}
export type Notification = Omit<Request, 'id'>
export type RpcError = { readonly code: number; readonly message: string; readonly data?: Json }
export type Response =
  | { readonly jsonrpc: '2.0'; readonly id: Id; readonly result: Json }
  | { readonly jsonrpc: '2.0'; readonly id: Id; readonly error: RpcError }
export type Message = Request | Notification | Response

export const codes = {
  notJson: -32_700,
  notRequest: -32_600,
  methodUnknown: -32_601,
  paramsInvalid: -32_602,
  internal: -32_603,
} as const

/** A value as a message; null: it is none. */
export function readMessage(value: Json): Message | null {
  const message = asObject(value)
  if (message === null || message.jsonrpc !== '2.0') return null
  const { id, method, params, result, error } = message
  if (id !== undefined && idOf(id) === null) return null
  if (method !== undefined) {
    if (typeof method !== 'string') return null
    return params === undefined || asObject(params) !== null ? (value as Message) : null
  }
  if (id === undefined) return null
  return result !== undefined || asObject(error) !== null ? (value as Message) : null
}

/** What a message is answered under; null: it says nothing that could be used. */
export function idOf(value: Json | undefined): Id | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message
}

export function isResponse(message: Message): message is Response {
  return !('method' in message)
}

/** A value as a text; null: it nests too deep to be one. */
export function textOf(value: Json | Message): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

export function tooDeep(id: Id): Response {
  const message = 'the answer nests too deep to be passed on'
  return { jsonrpc: '2.0', id, error: { code: codes.internal, message } }
}

/** The token under which whoever asked wants to hear of progress. */
export function progressTokenOf(params: JsonObject | undefined): Id | null {
  return idOf(asObject(params?._meta)?.progressToken)
}
