import { expect, onTestFinished, test } from 'vitest'
import { PawlProblem, problem } from '../api/problem.ts'
import { type HttpMcp, type HttpMcpLimits, openHttpMcp } from './open-http-mcp.ts'
import type { ReconnectingClient } from './reconnecting-client.ts'

/** A daemon that is away: sessions are none of its business. */
const away: ReconnectingClient = {
  ask: async () => {
    throw new PawlProblem(problem('DAEMON_UNREACHABLE', { detail: 'away' }))
  },
  // biome-ignore lint/correctness/useYield: it ends before it begins
  stream: async function* () {
    throw new PawlProblem(problem('DAEMON_UNREACHABLE', { detail: 'away' }))
  },
  close: () => undefined,
}

function open(limits: Partial<HttpMcpLimits>): HttpMcp {
  const mcp = openHttpMcp({
    endpoint: 'runs',
    link: () => away,
    version: '0',
    onFault: () => undefined,
    limits,
  })
  onTestFinished(mcp.close)
  return mcp
}

function requestOf(method: string, message: object | null, session?: string): Request {
  return new Request('http://127.0.0.1/mcp?workspace=/tmp', {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    ...(message === null ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  })
}

const agent = { role: 'agent', name: 'agent' } as const

async function begin({ answer }: HttpMcp): Promise<string> {
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const response = await answer(requestOf('POST', { id: 1, method: 'initialize', params }), agent)
  await response.text()
  return response.headers.get('mcp-session-id') ?? `none: ${response.status}`
}

const ping = { id: 2, method: 'ping' }

async function statusOf({ answer }: HttpMcp, session: string): Promise<number> {
  const response = await answer(requestOf('POST', ping, session), agent)
  await response.text()
  return response.status
}

test('a session that says nothing for long is forgotten, one that listens is not', async () => {
  const mcp = open({ silenceMs: 40 })
  const [quiet, listening] = [await begin(mcp), await begin(mcp)]
  expect(await statusOf(mcp, quiet)).toBe(200)
  const stream = await mcp.answer(requestOf('GET', null, listening), agent)
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  await expect.poll(() => statusAfter(mcp, quiet, 150)).toBe(404)
  expect(await statusOf(mcp, listening)).toBe(200)
  await stream.body?.cancel()
  await expect.poll(() => statusAfter(mcp, listening, 150)).toBe(404)
})

/** WHY after a while: whoever asks is not silent. */
async function statusAfter(mcp: HttpMcp, session: string, ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return statusOf(mcp, session)
}

test('one session too many takes the place of the longest idle, or is refused', async () => {
  const mcp = open({ clientsMax: 2 })
  const [first, second] = [await begin(mcp), await begin(mcp)]
  expect(await statusOf(mcp, first)).toBe(200)
  const third = await begin(mcp)
  const statuses = await Promise.all([first, second, third].map((one) => statusOf(mcp, one)))
  expect(statuses).toEqual([200, 404, 200])
  const streams = [first, third].map((one) => mcp.answer(requestOf('GET', null, one), agent))
  expect((await Promise.all(streams)).map((one) => one.status)).toEqual([200, 200])
  expect(await begin(mcp)).toBe('none: 503')
})

test('DELETE ends a session and no other', async () => {
  const mcp = open({})
  const [one, other] = [await begin(mcp), await begin(mcp)]
  expect((await mcp.answer(requestOf('DELETE', null, one), agent)).status).toBe(200)
  expect(await statusOf(mcp, one)).toBe(404)
  expect(await statusOf(mcp, other)).toBe(200)
})

test('closing ends streams', async () => {
  const mcp = open({})
  const stream = await mcp.answer(requestOf('GET', null, await begin(mcp)), agent)
  await mcp.close()
  expect(await stream.text()).not.toContain('data:')
})

test('an answer of the newer era is a stream, which beats while a call waits', async () => {
  const mcp = open({})
  const key = 'io.modelcontextprotocol'
  const version = '2026-07-28'
  const _meta = {
    [`${key}/protocolVersion`]: version,
    [`${key}/clientInfo`]: { name: 'raw', version: '1' },
    [`${key}/clientCapabilities`]: {},
  }
  const request = requestOf('POST', { id: 1, method: 'tools/list', params: { _meta } })
  request.headers.set('mcp-protocol-version', version)
  request.headers.set('mcp-method', 'tools/list')
  const response = await mcp.answer(request, agent)
  // WHY: the door ends connections on which nothing is said, and a wait may last ten minutes.
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(await response.text()).toContain('pawl_load_workflow')
})
