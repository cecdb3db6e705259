/** Transport over loopback HTTP: an operation is a request, a stream is server-sent events. */
import type { OperationAnswer, OperationInput } from '../doors/api/contract.ts'
import {
  type OperationName,
  operations,
  pathFields,
  type StreamName,
  streams,
} from '../doors/api/operations-table.ts'
import { PawlProblem, type ProblemDocument, problem } from '../doors/api/problem.ts'
import { openLineSplitter } from '../doors/api/split-lines.ts'
import {
  type Transport,
  type TransportOptions,
  type TransportReply,
  transportSilenceMsMax,
  unreachable,
} from './transport.ts'

/** Where a daemon listens, and who asks. */
export type HttpAddress = { readonly url: string; readonly token: string }

/** Bytes of one message of a stream. */
const messageBytesMax = 64 * 1024 * 1024

/** Opens the wire; nothing is sent yet. */
export function openHttpTransport(address: HttpAddress): Transport {
  const ask = async <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: TransportOptions,
  ): Promise<OperationAnswer<Name>> => {
    const { request, init } = requestOf(address, name, input)
    if (options.commandId !== null) init.headers['idempotency-key'] = options.commandId
    const response = await reach(address, request, { ...init, signal: options.signal })
    const text = await response.text().catch((cause: unknown) => {
      throw unreachable(address.url, cause)
    })
    if (!response.ok) throw problemOf(response.status, text)
    return parsed(address, text) as OperationAnswer<Name>
  }
  return { ask, stream: (name, input, signal) => read(address, { name, input, signal }), close }
}

// The connections belong to Node, which closes them when they are idle.
function close(): void {
  return
}

type Init = {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
}

function requestOf(
  address: HttpAddress,
  name: OperationName,
  input: object,
): { readonly request: string; readonly init: Init } {
  const { method, path } = operations[name]
  const { filled, rest } = fillPath(path, input)
  const headers: Record<string, string> = { authorization: `Bearer ${address.token}` }
  if (method === 'GET' || method === 'DELETE') {
    return { request: filled + queryOf(rest), init: { method, headers } }
  }
  headers['content-type'] = 'application/json'
  return { request: filled, init: { method, headers, body: JSON.stringify(rest) } }
}

function fillPath(path: string, input: object): { filled: string; rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...input }
  let filled = path
  for (const field of pathFields(path)) {
    const value = String(rest[field] ?? '')
    // WHY: an address forgets such parts, and would name something else.
    if (value === '' || value === '.' || value === '..') {
      throw new PawlProblem(
        problem('REQUEST_INVALID', { detail: `\`${field}\` cannot be \`${value}\`` }),
      )
    }
    filled = filled.replace(`:${field}`, () => encodeURIComponent(value))
    Reflect.deleteProperty(rest, field)
  }
  return { filled, rest }
}

function queryOf(values: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue
    query.set(key, Array.isArray(value) ? value.join(',') : String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

async function reach(address: HttpAddress, request: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(request, address.url), { ...init, redirect: 'error' })
  } catch (cause) {
    throw unreachable(address.url, cause)
  }
}

function problemOf(status: number, text: string): PawlProblem {
  try {
    const told = JSON.parse(text) as ProblemDocument
    if (typeof told.code === 'string') return new PawlProblem(told)
  } catch {
    // Not ours: said below with its number.
  }
  return new PawlProblem(problem('INTERNAL', { detail: `the daemon answered ${status}`, status }))
}

function parsed(address: HttpAddress, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreachable(address.url, cause)
  }
}

type StreamRequest<Name extends StreamName> = {
  readonly name: Name
  readonly input: object
  readonly signal: AbortSignal
}

async function* read<Name extends StreamName>(
  address: HttpAddress,
  { name, input, signal }: StreamRequest<Name>,
): AsyncGenerator<TransportReply<Name> | null, void, void> {
  const { filled, rest } = fillPath(streams[name].path, input)
  const headers: Record<string, string> = {
    authorization: `Bearer ${address.token}`,
    accept: 'text/event-stream',
  }
  if (rest.after !== undefined) headers['last-event-id'] = String(rest.after)
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), transportSilenceMsMax)
  try {
    const both = AbortSignal.any([signal, silence.signal])
    const response = await reach(address, filled, { headers, signal: both })
    if (!response.ok) throw problemOf(response.status, await response.text())
    const cutter = openLineSplitter()
    let id = 0
    for await (const chunk of response.body ?? []) {
      timer.refresh()
      for (const line of cutter.push(Buffer.from(chunk), messageBytesMax) ?? []) {
        const text = line.toString()
        if (text.startsWith('id: ')) id = Number(text.slice(4))
        else if (text.startsWith('data: ')) {
          yield { id, message: parsed(address, text.slice(6)) as TransportReply<Name>['message'] }
        } else if (text.startsWith(':')) yield null
      }
    }
  } catch (error) {
    throw error instanceof PawlProblem ? error : unreachable(address.url, error)
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}
