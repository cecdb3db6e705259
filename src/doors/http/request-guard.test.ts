import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { PawlError } from '../../runtime/pawl-error.ts'
import { release, startRelease } from '../../runtime/runtime.contract.ts'
import {
  agentToken,
  bearer,
  type Daemon,
  jsonBearer,
  openDaemon,
  personToken,
} from '../api/daemon.contract.ts'
import { openHttpDoor } from './open-http-door.ts'

/** A request as bytes: Node's own client would put some of these right. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (bytes) => {
      heard += bytes.toString()
    })
    socket.on('close', () => resolve(heard))
    socket.on('error', reject)
    socket.write(text)
  })
}

async function statusFor(daemon: Daemon, headers: Record<string, string>): Promise<number> {
  return (await daemon.ask('GET /v1/status', { headers: { ...bearer(agentToken), ...headers } }))
    .status
}

test('only its own names are this host, whatever else a request says', async () => {
  const daemon = await openDaemon()
  const { port } = daemon.http
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`]) {
    expect(await statusFor(daemon, { host }), host).toBe(200)
  }
  expect(await statusFor(daemon, { host: `[::1]:${port}` })).toBe(200)
  const strangers = [
    'evil.test',
    `evil.test:${port}`,
    `0.0.0.0:${port}`,
    `127.0.0.1:${port + 1}`,
    '127.0.0.1',
    `127.0.0.1.:${port}`,
    `127.0.0.1:${port}.evil.test`,
    `user@127.0.0.1:${port}`,
    `2130706433:${port}`,
  ]
  for (const host of strangers) expect(await statusFor(daemon, { host }), host).toBe(403)
})

test('a forwarded header never repairs a host, and is refused with a good one', async () => {
  const daemon = await openDaemon()
  const own = `127.0.0.1:${daemon.http.port}`
  expect(await statusFor(daemon, { host: 'evil.test', 'x-forwarded-host': own })).toBe(403)
  expect(await statusFor(daemon, { host: own, 'x-forwarded-host': own })).toBe(403)
  expect(await statusFor(daemon, { host: own, forwarded: `host=${own}` })).toBe(403)
})

test('a missing or doubled host is refused, on the address without a token, too', async () => {
  const { http } = await openDaemon()
  const own = `127.0.0.1:${http.port}`
  const end = 'Connection: close\r\n\r\n'
  expect(await raw(http.port, `GET /v1/health HTTP/1.1\r\n${end}`)).toMatch(/^HTTP\/1.1 403 /)
  expect(await raw(http.port, `GET /v1/health HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /)
  expect(await raw(http.port, `GET /v1/health HTTP/1.1\r\nHost:\r\n${end}`)).toMatch(/ 403 /)
  const twice = `Host: ${own}\r\nHost: evil.test\r\n`
  expect(await raw(http.port, `GET /v1/health HTTP/1.1\r\n${twice}${end}`)).toMatch(/ 400 /)
  const good = `Host: ${own}\r\n`
  expect(await raw(http.port, `GET /v1/health HTTP/1.1\r\n${good}${end}`)).toMatch(/ 200 /)
  const absolute = `GET http://${own}/v1/health HTTP/1.1\r\n${good}${end}`
  expect(await raw(http.port, absolute)).toMatch(/ 404 /)
})

test('another origin is refused, and none of its tricks makes it ours', async () => {
  const daemon = await openDaemon()
  const { port } = daemon.http
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    expect(await statusFor(daemon, { origin }), origin).toBe(200)
  }
  const strangers = [
    'https://evil.test',
    'null',
    '',
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}.evil.test`,
    `http://127.0.0.1:${port + 1}`,
    'http://127.0.0.1',
    `http://127.0.0.1:${port}/`,
    `http://0.0.0.0:${port}`,
  ]
  for (const origin of strangers) expect(await statusFor(daemon, { origin }), origin).toBe(403)
})

test('a page of another site is refused even without an origin', async () => {
  const daemon = await openDaemon()
  expect(await statusFor(daemon, { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await statusFor(daemon, { 'sec-fetch-site': 'same-site' })).toBe(403)
  expect(await statusFor(daemon, { 'sec-fetch-site': 'same-origin' })).toBe(200)
  expect(await statusFor(daemon, { 'sec-fetch-site': 'none' })).toBe(200)
  const health = await daemon.ask('GET /v1/health', { headers: { origin: 'https://evil.test' } })
  expect(health.status).toBe(403)
  const preflight = await daemon.ask('OPTIONS /v1/runs', {
    headers: { origin: `http://127.0.0.1:${daemon.http.port}` },
  })
  expect(preflight.status).toBe(405)
  expect(Object.keys(preflight.headers).join()).not.toContain('access-control')
})

test('a token counts in its header only, whole, and nowhere else', async () => {
  const { ask, http } = await openDaemon()
  const status = async (headers: Record<string, string>, path = '/v1/status') =>
    (await ask(`GET ${path}`, { headers })).status
  expect(await status(bearer(agentToken))).toBe(200)
  const wrong = ['Bearer ', 'Bearer', '', agentToken, `Basic ${agentToken}`]
  wrong.push(`Bearer ${agentToken} x`, `Bearer ${agentToken.slice(0, -1)}`, `Bearer ${agentToken}0`)
  for (const authorization of wrong) {
    const told = await ask('GET /v1/status', { headers: { authorization } })
    expect(told.status, authorization).toBe(401)
    expect(told.headers['www-authenticate']).toBe('Bearer')
  }
  expect(await status({ cookie: `token=${agentToken}` })).toBe(401)
  expect(await status({}, `/v1/status?token=${agentToken}`)).toBe(401)
  expect(await status(bearer(agentToken), `/v1/status?token=${agentToken}`)).toBe(401)
  const own = `Host: 127.0.0.1:${http.port}\r\n`
  const both = `Authorization: Bearer x\r\nAuthorization: Bearer ${agentToken}\r\n`
  const twice = await raw(http.port, `GET /v1/status HTTP/1.1\r\n${own}${both}\r\n`)
  expect(twice).toMatch(/^HTTP\/1.1 400 /)
})

test('what an agent may not do is refused before its body is looked at', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const forbidden = [
    'POST /v1/approvals/a',
    `POST /v1/runs/${runId}/force`,
    'POST /v1/runs/import',
    `GET /v1/runs/${runId}/export`,
    'POST /v1/definitions',
    'PUT /v1/definitions/release',
    'DELETE /v1/definitions/release',
    'POST /v1/stop',
  ]
  for (const line of forbidden) {
    const body = line.startsWith('P') ? { body: 'garbage' } : {}
    const told = await ask(line, { headers: jsonBearer(agentToken), ...body })
    expect(told.status, line).toBe(403)
    expect(JSON.parse(told.text)).toMatchObject({ code: 'NOT_PERMITTED' })
    expect((await ask(line, body)).status, line).toBe(401)
  }
  const named = await ask('POST /v1/approvals/a?approver=ada', {
    headers: jsonBearer(agentToken),
    body: '{"granted":true}',
  })
  expect(named.status).toBe(403)
})

test('who decides is who holds the token, whatever the request says', async () => {
  const { ask, runtime, client } = await openDaemon()
  const runId = await startRelease(runtime)
  await client('http').runs.signal({ runId, name: 'READY' })
  await client('http').runs.signal({ runId, name: 'SHIP' })
  const [approval] = (await client('http').approvals.list()).items
  const line = `POST /v1/approvals/${approval?.id}`
  const headers = jsonBearer(personToken)
  for (const more of ['"by":"bob"', '"decidedBy":"bob"', '"actor":{"kind":"person"}', '"id":"x"']) {
    const body = `{"granted":true,${more}}`
    expect((await ask(line, { headers, body })).status, more).toBe(422)
  }
  expect((await ask(`${line}?approver=bob`, { headers, body: '{"granted":true}' })).status).toBe(
    422,
  )
  const other = await ask(line, { headers, body: '{"granted":true,"hash":"another"}' })
  expect(other.status).toBe(409)
  const good = await ask(line, { headers, body: `{"granted":true,"hash":"${approval?.hash}"}` })
  expect(good.status).toBe(200)
  const decided = await client('http').approvals.read({ id: approval?.id ?? '' })
  expect(decided).toMatchObject({ status: 'granted', decidedBy: 'ada' })
})

test('no form of another site can change anything', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const kinds = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', '']
  for (const kind of [...kinds, 'application/jsonp', 'text/plain; application/json']) {
    const headers = { ...bearer(personToken), 'content-type': kind }
    const told = await ask(`POST /v1/runs/${runId}/pause`, { headers, body: '{}' })
    expect(told.status, kind).toBe(415)
  }
  const without = await ask(`POST /v1/runs/${runId}/pause`, { headers: bearer(personToken) })
  expect(without.status).toBe(415)
  const charset = { ...bearer(personToken), 'content-type': 'application/json; charset=utf-8' }
  expect((await ask(`POST /v1/runs/${runId}/pause`, { headers: charset })).status).toBe(200)
})

test('addresses that another reader would shorten do not exist here', async () => {
  const { http, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const own = `Host: 127.0.0.1:${http.port}\r\nAuthorization: Bearer ${agentToken}\r\n`
  const paths = [
    `/v1/approvals/../runs/${runId}`,
    `/v1/approvals/%2e%2e/runs/${runId}`,
    `/v1/./runs/${runId}`,
    `//v1/runs/${runId}`,
    `/v1/runs//${runId}`,
    `/v1\\runs/${runId}`,
    `/v1/runs/${runId}/..`,
    `/v1/runs/${runId}%00`,
  ]
  for (const path of paths) {
    const told = await raw(http.port, `GET ${path} HTTP/1.1\r\n${own}Connection: close\r\n\r\n`)
    expect(told, path).toMatch(/^HTTP\/1.1 404 /)
  }
})

test('no other protocol is spoken, with whatever origin and token', async () => {
  const { ask, http } = await openDaemon()
  const upgrade = { ...bearer(personToken), connection: 'upgrade', upgrade: 'websocket' }
  expect((await ask('GET /v1/stream', { headers: upgrade })).status).toBe(426)
  const foreign = { ...upgrade, origin: 'https://evil.test' }
  expect((await ask('GET /v1/stream', { headers: foreign })).status).toBe(403)
  const own = `Host: 127.0.0.1:${http.port}\r\n`
  expect(await raw(http.port, `CONNECT evil.test:443 HTTP/1.1\r\n${own}\r\n`)).not.toMatch(/ 200 /)
  expect(await raw(http.port, `TRACE / HTTP/1.1\r\n${own}\r\n`)).toMatch(/ 405 /)
})

test('streams need a token and their own origin', async () => {
  const { ask, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  for (const path of ['/v1/stream', `/v1/runs/${runId}/stream`]) {
    expect((await ask(`GET ${path}`)).status).toBe(401)
    const headers = { ...bearer(agentToken), origin: 'https://evil.test' }
    expect((await ask(`GET ${path}`, { headers })).status).toBe(403)
    expect((await ask(`POST ${path}`, { headers: jsonBearer(agentToken) })).status).toBe(405)
  }
})

test('a door that others could reach is not opened', async () => {
  const { api } = await openDaemon()
  for (const host of ['0.0.0.0', '::', '', '192.168.0.1', 'localhost']) {
    const opening = openHttpDoor({ api, host, port: 0 })
    await expect(opening, host).rejects.toBeInstanceOf(PawlError)
  }
})

test('no answer can be kept, guessed at or put into a page', async () => {
  const { ask, runtime } = await openDaemon()
  await runtime.definitions.create({ source: release, format: 'json' })
  const headers = bearer(agentToken)
  for (const line of ['GET /v1/health', 'GET /v1/definitions', 'GET /v1/none', 'GET /metrics']) {
    const told = await ask(line, { headers })
    expect(told.headers, line).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(Object.keys(told.headers).join()).not.toContain('access-control')
  }
})
