/** Credentials that are put in at the door, for hosts that are named, and never come back. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOurNode } from './daemon.contract.ts'
import { openPosting, type Posting } from './mail.contract.ts'

const secret = 'ghp_real+secret/value='

describe.runIf(isOurNode)('secrets at the door', () => {
  let posting: Posting
  let forge: Server
  const reached: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = []
  beforeAll(async () => {
    forge = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request
      reached.push({ method, url, headers, body: await text(request) })
      if (url === '/repos/moved') {
        const location = `http://elsewhere.test/?token=${encodeURIComponent(secret)}`
        return void response.writeHead(302, { location, 'set-cookie': 'a=b' }).end()
      }
      // Hosts that repeat what they were sent are not rare.
      const again = Buffer.from(secret).toString('base64')
      response.setHeader('etag', `"${headers.authorization}"`)
      response.end(`you said ${headers.authorization} ${again} ${encodeURIComponent(secret)}`)
    }).listen(0, '127.0.0.1')
    await once(forge, 'listening')
    const url = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`
    const base = { url, secretFile: 'forge.key', paths: ['/repos/*', '/user'] }
    const write = { ...base, name: 'forge-write', methods: ['GET', 'POST'], paths: ['/repos/*'] }
    posting = await openPosting({ hosts: [{ ...base, name: 'forge' }, write] })
    writeFileSync(join(posting.house.folder, 'forge.key'), secret, { mode: 0o600 })
  })
  afterAll(async () => {
    forge?.close()
    await posting?.close()
  })

  const ask = async (path: string, key: string, more: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, cookie: 'a=b', ...more.headers }
    const answer = await fetch(`${posting.url}${path}`, { redirect: 'manual', ...more, headers })
    return { answer, said: await answer.text() }
  }

  test('the host gets the credential, and the agent gets nothing of it', async () => {
    const { key, runId } = await posting.begin({})
    const { answer, said } = await ask('/to/forge/repos/a?page=2', key)
    expect([answer.status, said]).toEqual([200, 'you said [secret] [secret] [secret]'])
    expect(answer.headers.get('etag')).toBe('"[secret]"')
    const { url, headers } = reached.at(-1) ?? { url: '', headers: {} }
    expect([url, headers.authorization]).toEqual(['/repos/a?page=2', `Bearer ${secret}`])
    expect(headers.cookie).toBeUndefined()
    const { items } = await posting.agent.runs.events({ runId })
    expect(JSON.stringify(items)).toContain('http:forge')
    expect(JSON.stringify(items) + posting.house.log()).not.toContain(secret)
  })

  test('a redirect is not followed, and carries no credential', async () => {
    const { key } = await posting.begin({})
    const { answer } = await ask('/to/forge/repos/moved', key)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('http://elsewhere.test/?token=[secret]')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['a path that is not listed', '/to/forge/admin', {}],
    ['a path that only begins like a listed one', '/to/forge/users', {}],
    ['a method that is not listed', '/to/forge/repos/a', { method: 'POST', body: 'x' }],
    ['a host that nobody named', '/to/other/repos/a', {}],
    ['a way around', '/to/forge/repos/%2e%2e/admin', {}],
    ['dots with parameters', '/to/forge/repos/..;/admin', {}],
    ['dots with parameters in code', '/to/forge/repos/..%3bx=1/admin', {}],
    ['a page in a browser', '/to/forge/user', { headers: { origin: 'http://evil.test' } }],
  ])('%s is refused before anything is sent', async (_, path, more: RequestInit) => {
    const { key } = await posting.begin({})
    const before = reached.length
    const { answer } = await ask(path, key, more)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(reached).toHaveLength(before)
  })

  test('what a person agrees to is all of what is sent', async () => {
    const { key, runId } = await posting.begin({}, { policy: { ask: [{ capability: 'http:*' }] } })
    const long = 'a'.repeat(20_000)
    const post = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
      ask('/to/forge-write/repos/a', key, {
        ...{ method: 'POST', body, headers: { 'content-type': type } },
      })
    const decide = async (granted: boolean) => {
      const { items } = await posting.person.call('approvals.list', { runId, status: 'pending' })
      await posting.person.call('approvals.decide', { id: items[0]?.id ?? '', granted })
      return JSON.stringify(items[0]?.pending)
    }
    expect((await post(`${long}1`, 'text/plain')).answer.status).toBe(403)
    expect(await decide(true)).toContain('"sha256"')
    const others = [
      [`${long}2`, 'text/plain'],
      [`${long}1`, 'text/html'],
    ] as const
    for (const [body, type] of others) {
      expect((await post(body, type)).answer.status).toBe(403)
      await decide(false)
    }
    expect((await post(new Uint8Array([255, 254]), 'text/plain')).answer.status).toBe(403)
    expect(await decide(false)).toContain('"body":"//4="')
    expect((await post(`${long}1`, 'text/plain')).answer.status).toBe(200)
  })

  test('a policy decides about requests as about calls', async () => {
    const policy = { deny: [{ capability: 'http:forge-write' }] }
    const { key } = await posting.begin({}, { policy })
    const before = reached.length
    const denied = await ask('/to/forge-write/repos/a', key, { method: 'POST', body: '{}' })
    expect(denied.answer.status).toBe(403)
    expect(denied.said).toContain('POLICY_DENIED')
    expect(reached).toHaveLength(before)
    expect((await ask('/to/forge/user', key)).answer.status).toBe(200)
  })
})
