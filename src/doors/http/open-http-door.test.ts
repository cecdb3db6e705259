import { createConnection, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import {
  agentToken,
  ask as askPort,
  bearer,
  jsonBearer,
  openDaemon,
  personToken,
} from '../api/daemon.contract.ts'

const agent = { headers: jsonBearer(agentToken) }

test('problems are told as problems, with our code and what to do', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const unknown = await ask('GET /v1/runs/nobody', agent)
  expect(unknown.headers['content-type']).toBe('application/problem+json')
  expect(JSON.parse(unknown.text)).toEqual({
    type: 'urn:pawl:problem:run-unknown',
    title: 'unknown',
    status: 404,
    code: 'RUN_UNKNOWN',
    detail: expect.stringContaining('nobody'),
    hint: expect.any(String),
  })
  const refused = await ask(`POST /v1/runs/${runId}/signals`, { ...agent, body: '{"name":"X"}' })
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([409, 'SIGNAL_UNKNOWN'])
  const denied = await ask(`POST /v1/runs/${runId}/calls`, { ...agent, body: '{"tool":"Bash"}' })
  expect(denied.status).toBe(200)
  expect(JSON.parse(denied.text).reply).toMatchObject({ kind: 'verdict', verdict: 'deny' })
})

test('wrong methods, addresses and bodies each get their own number', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const line = `POST /v1/runs/${runId}/signals`
  const status = async (body: string | Buffer) => (await ask(line, { ...agent, body })).status
  expect((await ask('GET /v1/nothing', agent)).status).toBe(404)
  const method = await ask('GET /v1/approvals/a/b', agent)
  expect(method.status).toBe(404)
  const get = await ask(`GET /v1/runs/${runId}/signals`, agent)
  expect([get.status, get.headers.allow]).toEqual([405, 'POST'])
  const remove = await ask('DELETE /v1/runs', agent)
  expect([remove.status, remove.headers.allow]).toEqual([405, 'POST, GET'])
  expect(await status('{')).toBe(400)
  expect(await status(Buffer.from([0x7b, 0xff, 0x7d]))).toBe(400)
  expect(await status('[]')).toBe(422)
  expect(await status('null')).toBe(422)
  expect(await status('{"name":7}')).toBe(422)
  expect(await status('{"name":"READY","colour":"red"}')).toBe(422)
  expect(await status(`{"runId":"${runId}","name":"READY"}`)).toBe(422)
  expect(await status('{"name":"READY"}')).toBe(200)
})

test('keys that reach into the machinery of objects are not taken, at any depth', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const bodies = [
    '{"name":"READY","__proto__":{"granted":true}}',
    '{"name":"READY","data":{"a":{"__proto__":{"x":1}}}}',
    '{"name":"READY","data":{"a":{"\\u005f_proto__":{"x":1}}}}',
    '{"name":"READY","data":{"a":[{"constructor":{"prototype":{"x":1}}}]}}',
    `{"name":"READY","data":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
    `{"name":"READY","data":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
  ]
  for (const body of bodies) {
    const told = await ask(`POST /v1/runs/${runId}/signals`, { ...agent, body })
    expect(told.status, body.slice(0, 80)).toBe(422)
  }
  expect(({} as { x?: number }).x).toBeUndefined()
  // As a mere name it is a name like any other.
  const body = '{"tool":"mcp__shop__buy","input":{"prototype":true,"constructor":"acme"}}'
  expect((await ask(`POST /v1/runs/${runId}/calls`, { ...agent, body })).status).toBe(200)
})

test('a body that is too long is refused by what it says and by what it is', async () => {
  const { ask, http, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const line = `POST /v1/runs/${runId}/signals`
  const long = `{"name":"READY","data":{"a":"${'x'.repeat(1024 * 1024)}"}}`
  expect((await ask(line, { ...agent, body: long })).status).toBe(413)
  const told = await sendRaw(
    http.port,
    `${line} HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\nAuthorization: Bearer ${agentToken}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 999999999\r\n\r\n',
  )
  expect(told).toMatch(/^HTTP\/1.1 413 /)
  const chunks = `10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(20)
  const chunked = await sendRaw(
    http.port,
    `${line} HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\nAuthorization: Bearer ${agentToken}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  )
  expect(chunked).toMatch(/^HTTP\/1.1 413 /)
  expect(runtime.usage().runsCached).toBeLessThan(10)
  expect((await ask('GET /v1/health')).status).toBe(200)
})

function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (bytes) => {
      heard += bytes.toString()
      socket.destroy()
    })
    socket.on('close', () => resolve(heard))
    socket.on('error', () => socket.destroy())
    socket.write(text)
  })
}

test('the idempotency key is the command id', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const send = (key: string) =>
    ask(`POST /v1/runs/${runId}/signals`, {
      headers: { ...jsonBearer(agentToken), 'idempotency-key': key },
      body: '{"name":"READY"}',
    })
  expect(JSON.parse((await send('k1')).text)).toMatchObject({ isRepeated: false, seq: 4 })
  expect(JSON.parse((await send('k1')).text)).toMatchObject({ isRepeated: true, seq: 4 })
  expect((await send('k2')).status).toBe(409)
  expect((await send('x'.repeat(201))).status).toBe(422)
  expect((await send('a b')).status).toBe(422)
})

test('queries are read by their schema, and what is not in it is refused', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const get = async (path: string) => {
    const { status, text } = await ask(`GET ${path}`, agent)
    return { status, value: JSON.parse(text) }
  }
  expect((await get(`/v1/runs/${runId}/events?after=1&limit=1`)).value).toMatchObject({
    items: [{ seq: 2, type: 'stage.entered', data: { stage: 'plan' } }],
    next: 2,
  })
  expect((await get('/v1/runs?statuses=running,paused')).value.items).toHaveLength(1)
  expect((await get('/v1/runs?statuses=paused&statuses=completed')).value.items).toEqual([])
  for (const query of ['after=x', 'after=-1', 'after=1&after=2', 'limit=0', 'colour=red']) {
    expect((await get(`/v1/runs/${runId}/events?${query}`)).status, query).toBe(422)
  }
  expect((await get('/v1/runs?statuses=asleep')).status).toBe(422)
  expect((await get(`/v1/runs/${runId}/wait?after=2&timeoutMs=10`)).value).toEqual({ seq: 2 })
  expect((await get(`/v1/runs/${runId}/wait?timeoutMs=60001`)).status).toBe(422)
})

test('health needs no token and says nothing but whether decisions are kept', async () => {
  const { ask, runtime } = await openDaemon()
  expect(JSON.parse((await ask('GET /v1/health')).text)).toEqual({ ok: true })
  const ill = { ...runtime, findTrouble: async () => 'the disk is full' }
  const other = await openDaemon({ api: { runtime: ill } })
  const told = await other.ask('GET /v1/health')
  expect([told.status, told.headers['retry-after']]).toEqual([503, '1'])
  expect(told.text).not.toContain('disk')
  const status = await other.ask('GET /v1/status', agent)
  expect(JSON.parse(status.text)).toMatchObject({ trouble: 'the disk is full' })
})

test('what we did not foresee is a fault without its insides, and is told to the log', async () => {
  const { runtime } = await openDaemon()
  const faults: unknown[] = []
  const broken = { ...runtime, readRun: () => Promise.reject(new Error('secret path /x')) }
  const { ask } = await openDaemon({
    api: { runtime: broken, onFault: (fault) => faults.push(fault) },
  })
  const told = await ask('GET /v1/runs/r', agent)
  expect([told.status, JSON.parse(told.text).code]).toEqual([500, 'INTERNAL'])
  expect(told.text).not.toContain('secret')
  expect(faults).toHaveLength(1)
})

test('metrics count operations, verdicts and times, for those with a token', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  await ask(`POST /v1/runs/${runId}/calls`, { ...agent, body: '{"tool":"Bash"}' })
  await ask('GET /v1/runs/nobody', agent)
  await ask('GET /v1/status', { headers: { ...bearer(agentToken), host: 'evil.test' } })
  expect((await ask('GET /metrics')).status).toBe(401)
  const told = await ask('GET /metrics', agent)
  expect(told.headers['content-type']).toContain('text/plain; version=0.0.4')
  const lines = told.text.split('\n')
  expect(lines).toContain(
    'pawl_operations_total{operation="runs.read",door="http",outcome="RUN_UNKNOWN"} 1',
  )
  expect(lines).toContain(
    'pawl_operations_total{operation="none",door="http",outcome="NOT_PERMITTED"} 1',
  )
  const denied = 'door="api",host="pawl",decision="denied"'
  expect(lines).toContain(`pawl_verdicts_total{${denied},code="TOOL_NOT_ALLOWED"} 1`)
  expect(lines).toContain(`pawl_verdict_seconds_count{${denied}} 1`)
  expect(lines).toContain('pawl_decision_seconds_bucket{operation="runs.check",le="+Inf"} 1')
  expect(lines.some((line) => /^pawl_http_connections [1-9]/.test(line))).toBe(true)
  for (const line of lines)
    expect(line).toMatch(/^$|^# (HELP|TYPE) |^[a-z_]+(\{[^}]*\})? [\d.e-]+$/)
})

test('silent connections beyond the limit are dropped, and keep nobody out', async () => {
  const { http, ask } = await openDaemon({ http: { connectionsMax: 20 } })
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  let droppedCount = 0
  for (let count = 0; count < 200; count += 1) {
    const socket = createConnection(http.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('close', () => {
      droppedCount += 1
    })
    sockets.push(socket)
  }
  await expect.poll(() => droppedCount).toBe(180)
  expect((await ask('GET /v1/health')).status).toBe(200)
})

test('a request that never comes to an end is not waited for', async () => {
  const { http } = await openDaemon({ http: { headersMs: 200, requestMs: 300 } })
  const begun = `POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\n`
  const token = `Authorization: Bearer ${agentToken}\r\nContent-Type: application/json\r\n`
  expect(await sendRaw(http.port, begun)).toMatch(/^HTTP\/1.1 408 /)
  const body = await sendRaw(http.port, `${begun}${token}Content-Length: 10\r\n\r\n{`)
  expect(body).toMatch(/^(HTTP\/1.1 408 |$)/)
})

test('a reader that takes nothing of a long answer is let go', async () => {
  const { runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const long = { ...(await runtime.exportRun(runId)).head, workspace: 'x'.repeat(50_000_000) }
  const page = { items: [long], next: null }
  const other = await openDaemon({
    api: { runtime: { ...runtime, listRuns: async () => page } },
    http: { silenceMs: 300 },
  })
  const socket = createConnection(other.http.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(
    `GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${other.http.port}\r\n` +
      `Authorization: Bearer ${agentToken}\r\n\r\n`,
  )
  const connections = (): string => other.api.metrics.print()
  await expect.poll(connections).toMatch(/^pawl_http_connections 1$/m)
  await expect.poll(connections).toMatch(/^pawl_http_connections 0$/m)
})

test('whatever a body holds, the answer is a number of ours and the door stays open', async () => {
  const { http, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const lines = [`POST /v1/runs/${runId}/signals`, 'POST /v1/runs', 'POST /v1/check']
  lines.push(`POST /v1/runs/${runId}/calls`, 'POST /v1/judge', 'POST /v1/approvals/a')
  const expected = new Set([200, 400, 404, 409, 422])
  const body = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .dictionary(
        fc.constantFrom('name', 'tool', 'input', 'data', 'source', 'definition', 'granted', 'x'),
        fc.jsonValue(),
      )
      .map((value) => JSON.stringify(value)),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lines), body, async (line, sent) => {
      const told = await askPort(http.port, line, { headers: jsonBearer(personToken), body: sent })
      expect(expected, `${line} ${told.text}`).toContain(told.status)
      expect(() => JSON.parse(told.text)).not.toThrow()
    }),
    { numRuns: 300 },
  )
  expect((await askPort(http.port, 'GET /v1/health')).status).toBe(200)
})
