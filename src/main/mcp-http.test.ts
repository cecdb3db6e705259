/** The MCP server of the daemon itself: real clients over streamable HTTP, and bad ones. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { ask, type TestRequest } from '../doors/api/daemon.contract.ts'
import { isOurNode, release } from './daemon.contract.ts'
import { form, httpAddress, openAgent, useHouse } from './mcp.contract.ts'

const house = useHouse({ near: [form.definition], stored: [release] })

const eras = ['2025-11-25', '2026-07-28'] as const
const wire = 'http'

describe.runIf(isOurNode)('clients over HTTP', () => {
  test.each(eras)(
    'a workflow is walked to its end, and waiting is told meanwhile (%s)',
    async (era) => {
      const { client, call } = await openAgent(house(), { era, wire })
      expect(client.getNegotiatedProtocolVersion()).toBe(era)
      await call('pawl_load_workflow', { name: 'release' })
      await call('pawl_transition', { event: 'READY' })
      const asked = await call('pawl_transition', { event: 'SHIP' })
      expect(asked.values.run).toMatchObject({ status: 'waiting' })
      const heard: string[] = []
      const waiting = client.callTool(
        { name: 'pawl_wait', arguments: {} },
        { onprogress: ({ message = '' }) => void heard.push(message) },
      )
      await expect.poll(() => heard).toContain('ship it?')
      const { items } = await house().json('approvals')
      await house().json('approve', items[0]?.id ?? '')
      expect((await waiting).structuredContent).toMatchObject({ run: { status: 'completed' } })
    },
  )

  test.each(eras)('the tools change with the step, and listeners are told (%s)', async (era) => {
    const { call, tools, changes } = await openAgent(house(), { era, wire })
    await tools()
    await call('pawl_load_workflow', { name: 'trip' })
    await expect.poll(() => changes.at(-1)).toContain('book_trip')
    await call('book_trip', { city: 'Oslo', mail: 'a@b.cd' })
    const done = await call('book_trip', { sure: true })
    expect(done.values.run).toMatchObject({ status: 'completed' })
    await expect.poll(() => changes.at(-1)).not.toContain('book_trip')
  })

  test('a client that could ask its person does not, as long as that would not count', async () => {
    const questions: string[] = []
    const onQuestion = (message: string) => {
      questions.push(message)
      return { action: 'accept' as const, content: { decision: 'approve' } }
    }
    const { call } = await openAgent(house(), { wire, onQuestion })
    await call('pawl_load_workflow', { name: 'release' })
    await call('pawl_transition', { event: 'READY' })
    await call('pawl_transition', { event: 'SHIP' })
    const waited = await call('pawl_wait', { timeout_seconds: 0.1 })
    expect(waited.values).toMatchObject({ timed_out: true, run: { status: 'waiting' } })
    expect(questions).toEqual([])
  })

  test('a session is its own, and over when its client says so', async () => {
    const [one, other] = [await openAgent(house(), { wire }), await openAgent(house(), { wire })]
    const first = await one.call('pawl_load_workflow', { name: 'release' })
    const second = await other.call('pawl_load_workflow', { name: 'trip' })
    expect(second.values.run).toMatchObject({ workflow: 'trip' })
    expect((await one.call('pawl_get_state')).values.run.run).toBe(first.values.run.run)
    const { transport } = one
    if (!(transport instanceof StreamableHTTPClientTransport)) throw new Error('another wire')
    const session = transport.sessionId ?? ''
    await transport.terminateSession()
    const late = await post(ping, { headers: { 'mcp-session-id': session } })
    expect(late).toMatchObject({ status: 404, json: { error: { code: -32001 } } })
  })
})

// ── bad ones ────────────────────────────────────────────────────────────────

const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
})

type HttpResult = { readonly status: number; readonly json: unknown; readonly headers: object }

async function post(
  body: string,
  { headers = {} }: TestRequest = {},
  search = '',
): Promise<HttpResult> {
  const { url, headers: own } = httpAddress(house())
  const all = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...own,
    ...headers,
  }
  const line = `POST /mcp${search === '' ? url.search : search}`
  const told = await ask(Number(url.port), line, { headers: all, body })
  const text = told.text.startsWith('{') ? told.text : (/^data: (.*)$/m.exec(told.text)?.[1] ?? '')
  return { status: told.status, json: text === '' ? null : JSON.parse(text), headers: told.headers }
}

describe.runIf(isOurNode)('bad requests over HTTP', () => {
  test('whoever has no token, or that of a person, is not let in', async () => {
    const none = await post(initialize, { headers: { authorization: 'Bearer nobody' } })
    expect(none).toMatchObject({ status: 401, json: { code: 'TOKEN_INVALID' } })
    expect(none.headers).toMatchObject({ 'www-authenticate': 'Bearer' })
    const token = readFileSync(join(house().folder, 'person.token'), 'utf8').trim()
    const person = await post(initialize, { headers: { authorization: `Bearer ${token}` } })
    expect(person).toMatchObject({ status: 403, json: { code: 'NOT_PERMITTED' } })
  })

  test('a foreign Host or Origin is refused', async () => {
    const host = await post(initialize, { headers: { host: 'evil.example' } })
    expect(host).toMatchObject({ status: 403, json: { code: 'NOT_PERMITTED' } })
    const origin = await post(initialize, { headers: { origin: 'http://evil.example' } })
    expect(origin).toMatchObject({ status: 403, json: { code: 'NOT_PERMITTED' } })
  })

  test('what is no message gets an error in the form of the protocol', async () => {
    expect(await post('{')).toMatchObject({ status: 400, json: { error: { code: -32700 } } })
    const odd = await post('{"jsonrpc":"2.0","id":3,"method":7}')
    expect(odd).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: {} } })
    const large = await post(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`)
    expect(large).toMatchObject({ status: 413, json: { error: { code: -32600 } } })
    const form = await post(ping, { headers: { 'content-type': 'text/plain' } })
    expect(form).toMatchObject({ status: 415, json: { error: {} } })
  })

  test('a session that is not there is unknown, and none is missing', async () => {
    const unknown = await post(ping, { headers: { 'mcp-session-id': 'nobody' } })
    expect(unknown).toMatchObject({ status: 404, json: { id: 7, error: { code: -32001 } } })
    expect(await post(ping)).toMatchObject({ status: 400, json: { id: 7, error: {} } })
  })

  test('an address that does not say where the agent works begins nothing', async () => {
    const nowhere = await post(initialize, {}, '?run=r1')
    expect(nowhere).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('?workspace=') } },
    })
    const odd = await post(initialize, {}, '?workspace=/tmp&colour=red')
    expect(odd).toMatchObject({ status: 400, json: { error: {} } })
  })

  test('an unknown tool and wrong arguments are told apart, and the run is unharmed', async () => {
    const { client, call } = await openAgent(house(), { wire })
    await call('pawl_load_workflow', { name: 'release' })
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 })
    const wrong = await call('pawl_transition', { evnt: 'READY' })
    expect(wrong.values.error).toMatchObject({ code: 'REQUEST_INVALID' })
    expect((await call('pawl_get_state')).values.run).toMatchObject({ state: 'plan' })
  })
})
