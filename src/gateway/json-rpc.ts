/**
 * Messages of JSON-RPC 2.0, as far as a relay reads them: which answer belongs to which request.
 * Contents are passed on unchanged.
 */
import { asObject, type Json, type JsonObject } from '../core/json.ts'

export type RpcId = string | number
export type RpcRequest = {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly method: string
  readonly params?: JsonObject
}
export type RpcNotification = Omit<RpcRequest, 'id'>
export type RpcError = { readonly code: number; readonly message: string; readonly data?: Json }
export type RpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RpcId; readonly result: Json }
  | { readonly jsonrpc: '2.0'; readonly id: RpcId; readonly error: RpcError }
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

export const codes = {
  notJson: -32_700,
  notRequest: -32_600,
  methodUnknown: -32_601,
  paramsInvalid: -32_602,
  internal: -32_603,
} as const

/** A value as a message; null: it is none. */
export function readRpcMessage(value: Json): RpcMessage | null {
  const message = asObject(value)
  if (message === null || message.jsonrpc !== '2.0') return null
  const { id, method, params, result, error } = message
  if (id !== undefined && messageIdOf(id) === null) return null
  if (method !== undefined) {
    if (typeof method !== 'string') return null
    return params === undefined || asObject(params) !== null ? (value as RpcMessage) : null
  }
  if (id === undefined) return null
  return result !== undefined || asObject(error) !== null ? (value as RpcMessage) : null
}

/** What a message is answered under; null: it says nothing that could be used. */
export function messageIdOf(value: Json | undefined): RpcId | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function isRequest(message: RpcMessage): message is RpcRequest {
  return 'method' in message && 'id' in message
}

export function isResponse(message: RpcMessage): message is RpcResponse {
  return !('method' in message)
}

/** A value as a text; null: it nests too deep to be one. */
export function messageText(value: Json | RpcMessage): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

export function tooDeep(id: RpcId): RpcResponse {
  const message = 'the answer is nested too deep to be forwarded'
  return { jsonrpc: '2.0', id, error: { code: codes.internal, message } }
}

/** The token under which whoever asked wants to hear of progress. */
export function progressTokenOf(params: JsonObject | undefined): RpcId | null {
  return messageIdOf(asObject(params?._meta)?.progressToken)
}
