/**
 * Sends requests that nobody wrote to a daemon, with the credential of an agent: every operation of
 * the API, hooks, `/mcp` and streams. Knows the table of operations. Must not know whose token it
 * is given, or what the token may do.
 */
import { toUSVString } from 'node:util'
import { z } from 'zod'
import { hostIds } from '../../src/core/hosts/registry.ts'
import { contract, streamContract } from '../../src/doors/api/contract.ts'
import {
  operationNames,
  operations,
  pathFields,
  streams,
} from '../../src/doors/api/operations-table.ts'
import { type InputSchema, openRandom, type ValueSource, valueFor } from './request-values.ts'

export type FuzzOptions = {
  readonly url: string
  readonly token: string
  readonly seed: number
  readonly count: number
  /** Requests under way at once. */
  readonly clients: number
  /** Texts that mean something in a field of this name. */
  readonly known: ValueSource['known']
  /** Where hooks say that they are. */
  readonly workspace: string
}

export type Fault = { readonly what: string; readonly status: number; readonly body: string }

export type FuzzReport = {
  readonly sent: number
  /** How often each status came back, and `closed` where none did. */
  readonly statuses: Readonly<Record<string, number>>
  /** Operations, hooks and other places that were asked at least once. */
  readonly places: readonly string[]
  /** Answers of 500 and above. */
  readonly faults: readonly Fault[]
}

type Sent = {
  readonly place: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How long an answer that streams is read. */
  readonly readMs?: number
}

type Place = { readonly name: string; readonly make: (source: ValueSource) => Sent }

const answerMsMax = 20_000
const streamMs = 15
const faultsMax = 100
const oddShares = [0, 0, 0.05, 0.3] as const

/** Sends them; a request without an answer counts as `closed`. */
export async function fuzzRequests(options: FuzzOptions): Promise<FuzzReport> {
  const random = openRandom(options.seed)
  const statuses: Record<string, number> = {}
  const places = new Set<string>()
  const faults: Fault[] = []
  const all = [...operationPlaces(), ...streamPlaces(), ...hookPlaces(options), ...mcpPlaces()]
  let sent = 0
  const work = async (): Promise<void> => {
    while (sent < options.count) {
      // Every place comes in turn, so that a short run reaches all of them.
      const place = all[sent % all.length] as Place
      sent += 1
      const source = { random, known: options.known, oddShare: random.pick(oddShares) }
      const request = place.make(source)
      const { status, body } = await send(options, request)
      statuses[status] = (statuses[status] ?? 0) + 1
      places.add(place.name)
      if (status < 500 || faults.length >= faultsMax) continue
      const what = `${request.method} ${request.path} ${request.body ?? ''}`.slice(0, 600)
      faults.push({ what, status, body: body.slice(0, 400) })
    }
  }
  await Promise.all(Array.from({ length: options.clients }, work))
  return { sent, statuses, places: [...places], faults }
}

async function send(
  { url, token }: FuzzOptions,
  { method, path, headers = {}, body, readMs }: Sent,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined || method === 'GET' ? {} : { body }),
      signal: AbortSignal.timeout(readMs ?? answerMsMax),
    })
    const text = await response.text().catch(() => '')
    return { status: response.status, body: text }
  } catch {
    return { status: 0, body: '' }
  }
}

const schemaOf = (schema: z.ZodType): InputSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as InputSchema

/** The path with fields of the input in it; the rest goes into the query or the body. */
function addressed(
  path: string,
  input: unknown,
): { readonly path: string; readonly rest: unknown } {
  if (typeof input !== 'object' || input === null) return { path, rest: input }
  const rest = { ...(input as Record<string, unknown>) }
  let whole = path
  for (const field of pathFields(path)) {
    const value = rest[field]
    delete rest[field]
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? 'x')
    whole = whole.replace(`:${field}`, encodeURIComponent(toUSVString(text)))
  }
  return { path: whole, rest }
}

function queryOf(rest: unknown): string {
  if (typeof rest !== 'object' || rest === null) return ''
  const query = new URLSearchParams()
  for (const [field, value] of Object.entries(rest)) {
    query.append(field, typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  }
  return query.size === 0 ? '' : `?${query}`
}

function operationPlaces(): readonly Place[] {
  return operationNames.map((name): Place => {
    const { method, path } = operations[name]
    const schema = schemaOf(contract[name].input)
    const make = (source: ValueSource): Sent => {
      const at = addressed(path, valueFor(source, schema))
      const key = source.random.next() < 0.3 ? { 'idempotency-key': 'k1' } : {}
      const base = { place: name, method, headers: key as Record<string, string> }
      if (method === 'GET') return { ...base, path: at.path + queryOf(at.rest) }
      return { ...base, path: at.path, body: JSON.stringify(at.rest) ?? 'undefined' }
    }
    return { name, make }
  })
}

function streamPlaces(): readonly Place[] {
  return (Object.keys(streams) as (keyof typeof streams)[]).map((name): Place => {
    const schema = schemaOf(streamContract[name].input)
    const make = (source: ValueSource): Sent => {
      const at = addressed(streams[name].path, valueFor(source, schema))
      const last = source.random.pick(['', '0', '-1', 'x', '9007199254740993', '5'])
      const headers = last === '' ? {} : { 'last-event-id': last }
      const path = at.path + queryOf(at.rest)
      return { place: name, method: 'GET', path, headers, readMs: streamMs }
    }
    return { name, make }
  })
}

const hookEvents = [
  ...['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'SessionStart', 'SubagentStop'],
  ...['PreCompact', 'Notification', 'BeforeTool', 'AfterTool', 'tool.execute.before', 'nothing'],
] as const
const tools = ['Read', 'Bash', 'Edit', 'Write', 'mcp__pawl__pawl_transition', 'Task', ''] as const

function hookPlaces({ workspace }: FuzzOptions): readonly Place[] {
  return [...hostIds, 'nobody'].map((host): Place => {
    const make = (source: ValueSource): Sent => {
      const { random } = source
      const schema = { type: 'object', properties: { a: {}, command: { type: 'string' } } }
      const payload = {
        hook_event_name: random.pick(hookEvents),
        session_id: random.pick(['s1', 's2', '']),
        cwd: workspace,
        tool_name: random.pick(tools),
        tool_use_id: random.pick(['t1', 't2', 't3']),
        tool_input: valueFor(source, { ...schema, required: ['command'] }),
        tool_response: valueFor(source, schema),
        prompt: 'hello',
      }
      for (const field of Object.keys(payload) as (keyof typeof payload)[]) {
        // WHY not the folder: a hook of another folder is about another run.
        if (field === 'cwd' || random.next() > source.oddShare) continue
        payload[field] = valueFor({ ...source, oddShare: 1 }, {}) as never
      }
      const body = random.next() < 0.02 ? '{"a":' : JSON.stringify(payload)
      return { place: `hooks.${host}`, method: 'POST', path: `/v1/hooks/${host}`, body }
    }
    return { name: `hooks.${host}`, make }
  })
}

const mcpMethods = [
  ...['initialize', 'tools/list', 'tools/call', 'ping', 'resources/list', 'resources/read'],
  ...['prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel', 'nothing', ''],
] as const
const mcpTools = [
  ...['pawl_get_state', 'pawl_transition', 'pawl_list', 'pawl_start', 'process_run', 'nothing'],
] as const
const mcpHeaders = { accept: 'application/json, text/event-stream' }

function mcpPlaces(): readonly Place[] {
  return ['/mcp', '/mcp/process'].map((path): Place => {
    const make = (source: ValueSource): Sent => {
      const { random } = source
      const base = { place: path, path, readMs: 2_000 }
      if (random.next() < 0.1) {
        const method = random.pick(['GET', 'DELETE'])
        return { ...base, method, headers: mcpHeaders, readMs: streamMs }
      }
      const message = {
        jsonrpc: '2.0',
        id: random.below(100),
        method: random.pick(mcpMethods),
        params: paramsFor(source),
      }
      const body = random.next() < 0.05 ? JSON.stringify([message]) : JSON.stringify(message)
      return { ...base, method: 'POST', headers: mcpHeaders, body }
    }
    return { name: path, make }
  })
}

function paramsFor(source: ValueSource): unknown {
  const { random } = source
  if (random.next() < source.oddShare) return valueFor(source, {})
  const schema = { type: 'object', properties: { run_id: { type: 'string' }, event: {} } }
  const client = { clientInfo: { name: 'fuzz', version: '1' }, capabilities: {} }
  const call = { name: random.pick(mcpTools), arguments: valueFor(source, schema), uri: 'pawl://x' }
  return { protocolVersion: '2025-06-18', ...client, ...call }
}
