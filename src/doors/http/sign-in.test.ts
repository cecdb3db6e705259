import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import {
  agentToken,
  ask as askPort,
  bearer,
  bobToken,
  type Daemon,
  jsonBearer,
  openDaemon,
  personToken,
} from '../api/daemon.contract.ts'
import type { Access } from '../api/sign-in-access.ts'
import { openHttpDoor } from './open-http-door.ts'

function originOf({ http }: Daemon): Record<string, string> {
  return { origin: `http://127.0.0.1:${http.port}` }
}

async function enter(
  daemon: Daemon,
  access: Access = 'admin',
  token = personToken,
): Promise<Record<string, string>> {
  const { code } = await daemon.client('http', token).signIns.invite({ access })
  const told = await daemon.ask('POST /v1/sign-in', {
    headers: { ...originOf(daemon), 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  expect(told.status).toBe(200)
  expect(told.headers).not.toHaveProperty('set-cookie')
  const { key } = JSON.parse(told.text)
  expect(key).toMatch(/^[\w-]{43}$/)
  return { 'x-pawl-key': key }
}

test('a daemon proves to be the one that a key is of, for its own port only', async () => {
  const daemon = await openDaemon()
  const key = (await enter(daemon))['x-pawl-key'] ?? ''
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const [of, nonce] = [hash(`of ${hash(key)}`), 'ab'.repeat(24)]
  const ask = (query: string, headers = {}) =>
    daemon.ask(`GET /v1/sign-in/proof?${query}`, { headers })
  const { status, text } = await ask(`of=${of}&nonce=${nonce}`)
  expect(status).toBe(200)
  const host = `127.0.0.1:${daemon.http.port}`
  const sign = (words: string) => createHmac('sha256', hash(key)).update(words).digest('hex')
  expect(JSON.parse(text)).toEqual({ proof: sign(`${nonce} ${host}`) })
  expect((await ask(`of=${of}&nonce=${nonce}`, { host: '127.0.0.1:1' })).status).toBe(403)
  expect((await ask(`of=${hash('of x')}&nonce=${nonce}`)).status).toBe(401)
  expect((await ask(`of=${of}&nonce=1`)).status).toBe(401)
  expect((await ask('')).status).toBe(401)
})

test('whoever has signed in may look with the key in its header, and nowhere else', async () => {
  const daemon = await openDaemon()
  const signIn = await enter(daemon)
  const status = async (headers: Record<string, string>) =>
    (await daemon.ask('GET /v1/runs', { headers })).status
  const key = signIn['x-pawl-key'] ?? ''
  expect(await status(signIn)).toBe(200)
  for (const other of ['', 'x', `${key}x`, key.slice(1), `${key}, ${key}`]) {
    expect(await status({ 'x-pawl-key': other }), other).toBe(401)
  }
  const { port } = daemon.http
  const cookie = `pawl_${port}=${key}; pawl.key=${key}; x-pawl-key=${key}`
  expect(await status({ cookie })).toBe(401)
  expect(await status(bearer(key))).toBe(401)
  expect(await status({ ...signIn, cookie: `pawl_${port}=x; pawl_${port}=y` })).toBe(200)
  expect(await status({ ...signIn, origin: 'https://evil.test' })).toBe(403)
  expect(await status({ ...signIn, 'sec-fetch-site': 'same-site' })).toBe(403)
})

test('a change needs to say that it comes from our own page', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  const signIn = await enter(daemon)
  const pause = (headers: Record<string, string>) =>
    daemon.ask(`POST /v1/runs/${runId}/pause`, {
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    })
  expect((await pause(signIn)).status).toBe(401)
  expect((await pause(originOf(daemon))).status).toBe(401)
  expect((await pause({ ...signIn, origin: 'null' })).status).toBe(403)
  expect((await pause({ ...signIn, ...originOf(daemon) })).status).toBe(200)
})

test('what a role may not do is refused by the API, whatever the page shows', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  const tryAs = async (access: Access, line: string, body = '{}') => {
    const headers = {
      ...(await enter(daemon, access)),
      ...originOf(daemon),
      'content-type': 'application/json',
    }
    return (await daemon.ask(line, { headers, body })).status
  }
  expect(await tryAs('viewer', `POST /v1/runs/${runId}/pause`)).toBe(403)
  expect(await tryAs('approver', `POST /v1/runs/${runId}/pause`)).toBe(200)
  expect(await tryAs('approver', 'POST /v1/definitions', '{"source":"{}"}')).toBe(403)
  expect(await tryAs('author', 'POST /v1/definitions', '{"source":"{}"}')).toBe(422)
  expect(await tryAs('author', 'POST /v1/signIns')).toBe(403)
  expect(await tryAs('author', 'POST /v1/stop')).toBe(403)
  expect(await tryAs('viewer', 'POST /v1/check', '{"source":"{}"}')).toBe(200)
})

test('a person who is not the owner signs in as themselves', async () => {
  const daemon = await openDaemon()
  const headers = await enter(daemon, 'admin', bobToken)
  const told = await daemon.ask('GET /v1/me', { headers })
  expect(JSON.parse(told.text)).toEqual({ role: 'person', name: 'bob', access: 'admin' })
})

test('an agent gets nobody in', async () => {
  const daemon = await openDaemon()
  const invite = await daemon.ask('POST /v1/signIns', {
    headers: jsonBearer(agentToken),
    body: '{}',
  })
  expect(invite.status).toBe(403)
  for (const code of [agentToken, personToken, '']) {
    const told = await daemon.ask('POST /v1/sign-in', {
      headers: { ...originOf(daemon), 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    expect(told.status).toBe(401)
  }
})

test('signing in is for a page of ours: a form of another site has no way to do it', async () => {
  const daemon = await openDaemon()
  const { code } = await daemon.client('http').signIns.invite({})
  const body = JSON.stringify({ code })
  const status = async (headers: Record<string, string>) =>
    (await daemon.ask('POST /v1/sign-in', { headers, body })).status
  expect(await status({ 'content-type': 'application/json' })).toBe(403)
  const evil = { 'content-type': 'application/json', origin: 'https://evil.test' }
  expect(await status(evil)).toBe(403)
  expect(await status({ ...originOf(daemon), 'content-type': 'text/plain' })).toBe(415)
  expect((await daemon.ask(`GET /v1/sign-in?code=${code}`)).status).toBe(405)
})

test('whoever has signed out is out', async () => {
  const daemon = await openDaemon()
  const signIn = await enter(daemon)
  const other = await enter(daemon)
  const headers = { ...signIn, ...originOf(daemon), 'content-type': 'application/json' }
  await daemon.ask('POST /v1/sign-out', { headers, body: '{}' })
  expect((await daemon.ask('GET /v1/runs', { headers: signIn })).status).toBe(401)
  expect((await daemon.ask('GET /v1/runs', { headers: other })).status).toBe(200)
})

test('a token in the header wins over a key beside it', async () => {
  const daemon = await openDaemon()
  const viewer = await enter(daemon, 'viewer')
  const headers = { ...viewer, ...bearer(personToken) }
  const told = await daemon.ask('GET /v1/me', { headers })
  expect(JSON.parse(told.text)).toEqual({ role: 'person', name: 'ada', access: 'admin' })
})

test('the page has a policy that lets nothing in, and only the files of the build', async () => {
  const daemon = await openDaemon()
  const folder = mkdtempSync(join(tmpdir(), 'pawl-page-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'assets', 'main.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'no')
  const door = await openHttpDoor({
    api: daemon.api,
    host: '127.0.0.1',
    port: 0,
    pageFolder: folder,
  })
  onTestFinished(async () => {
    await door.close()
    rmSync(folder, { recursive: true })
  })
  const page = await askPort(door.port, 'GET /')
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  const script = await askPort(door.port, 'GET /assets/main.js')
  expect([script.status, script.text]).toEqual([200, 'export {}'])
  expect(script.headers['content-type']).toContain('text/javascript')
  for (const path of ['/assets/none.js', '/assets/..%2fsecret.txt', '/secret.txt', '/assets/']) {
    expect((await askPort(door.port, `GET ${path}`)).status, path).toBe(404)
  }
})
