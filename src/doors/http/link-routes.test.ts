/** One-time links over HTTP: a look decides nothing, a form does, and nothing else is shown. */
import { expect, onTestFinished, test } from 'vitest'
import type { ApprovalQuestion } from '../../runtime/people/approval-question.ts'
import type { DecideLinks, LinkDecision, LinkReading } from '../../runtime/people/decide-link.ts'
import type { ApprovalRow } from '../../runtime/ports.ts'
import { startRelease } from '../../runtime/runtime.contract.ts'
import { ask, bearer, openDaemon, personToken, type TestResponse } from '../api/daemon.contract.ts'
import { openHttpDoor } from './open-http-door.ts'

const secret = 'S'.repeat(43)
const evil = '</pre><script>alert(1)</script>\u202e"><img src=x onerror=alert(1)>'

type SendRequest = (line: string, more?: Parameters<typeof ask>[2]) => Promise<TestResponse>
type Outside = {
  readonly ask: SendRequest
  readonly port: number
  readonly decisions: readonly LinkDecision[]
  readonly become: (reading: LinkReading) => void
  readonly answer: (outcome: Awaited<ReturnType<DecideLinks['decide']>>) => void
}

const publicUrl = 'https://pawl.example.org'

async function openOutside(): Promise<Outside> {
  let reading: LinkReading = { kind: 'unknown' }
  let outcome: Awaited<ReturnType<DecideLinks['decide']>> = { kind: 'done' }
  const decisions: LinkDecision[] = []
  const links: DecideLinks = {
    read: async (shown) => (shown === secret ? reading : { kind: 'unknown' }),
    decide: async (_, decision) => {
      decisions.push(decision)
      return outcome
    },
    askSignature: async () => ({ nonce: 'n', expiresAt: 0, options: {} }),
    beginKey: async () => ({ id: 'i', options: {} }),
    addKey: async () => '1a2b 3c4d',
  }
  const { api, runtime } = await openDaemon({ api: { people: { links, test: async () => [] } } })
  await startRelease(runtime)
  const door = await openHttpDoor({ api, host: '127.0.0.1', port: 0, publicUrl })
  onTestFinished(door.close)
  reading = { kind: 'open', question: questionWith(evil), person: 'ada', token: 'the-token' }
  return {
    ask: (line, more) => ask(door.port, line, more),
    port: door.port,
    decisions,
    become: (next) => {
      reading = next
    },
    answer: (next) => {
      outcome = next
    },
  }
}

function questionWith(text: string): ApprovalQuestion {
  const row: ApprovalRow = {
    id: 'r:a1',
    runId: 'r',
    member: 'r',
    kind: 'call',
    message: text,
    hash: 'h',
    status: 'pending',
    requestedAt: 1,
    expiresAt: 2,
    decidedAt: null,
    decidedBy: null,
    note: text,
    pending: '{}',
  }
  const head = {
    ...{ id: 'r', machine: '', definition: text, dialect: 'workflow', status: 'waiting', seq: 1 },
    ...{ stage: 'a', hash: '', workspace: text, callsCount: 0, costMicroUsd: 0 },
    ...{ startedAt: 0, updatedAt: 0, endedAt: null },
  }
  const looks = ['line', 'text', 'removed', 'added'] as const
  const parts = looks.map((look) => ({ label: text, look, text: `a\n${text}`, source: null }))
  return { row, head, title: text, stage: text, parts }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const body = 'token=the-token&decision=approve&note=fine'

test('a look at a link shows what is asked, as text, and decides nothing', async () => {
  const { ask: get, decisions } = await openOutside()
  const told = await get(`GET /decide/${secret}`)
  expect(told.status).toBe(200)
  expect(told.headers['content-type']).toContain('text/html')
  expect(told.text).not.toMatch(/<script|<img|onerror=alert\(1\)>[^&]*"/)
  expect(told.text).not.toContain('\u202e')
  expect(told.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u202e&quot;&gt;&lt;img')
  expect(told.text).toContain('It cannot be undone')
  const csp = String(told.headers['content-security-policy'])
  for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"]) {
    expect(csp).toContain(part)
  }
  expect(csp).not.toMatch(/script-src|unsafe/)
  expect(told.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  for (const line of ['HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
    expect((await get(`${line} /decide/${secret}`, { headers: form })).status).toBe(405)
  }
  expect(decisions).toEqual([])
})

test('a form decides, in its own words, and leads to what became of it', async () => {
  const { ask: post, decisions, port } = await openOutside()
  const origin = `http://127.0.0.1:${port}`
  const told = await post(`POST /decide/${secret}`, { headers: { ...form, origin }, body })
  expect([told.status, told.headers.location]).toEqual([303, `/decide/${secret}`])
  const decided = { granted: true, note: 'fine', token: 'the-token' }
  expect(decisions).toEqual([{ ...decided, peer: expect.any(Function) }])
  for (const odd of ['token=the-token', 'decision=maybe', 'decision=', '']) {
    const answer = await post(`POST /decide/${secret}`, { headers: form, body: odd })
    expect(answer.status, odd).toBe(409)
    expect(answer.text).toContain('Nothing was decided')
  }
  const json = { 'content-type': 'application/json' }
  expect((await post(`POST /decide/${secret}`, { headers: json, body: '{}' })).status).toBe(415)
  const large = { headers: form, body: `note=${'x'.repeat(20_000)}` }
  expect((await post(`POST /decide/${secret}`, large)).status).toBe(413)
  expect(decisions).toHaveLength(1)
})

test('no other site can send the form, though every message may lead to the page', async () => {
  const { ask: say, decisions } = await openOutside()
  const cross = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  expect((await say(`GET /decide/${secret}`, { headers: cross })).status).toBe(200)
  const strangers: readonly Record<string, string>[] = [
    { ...form, origin: 'https://evil.test' },
    { ...form, origin: 'null' },
    { ...form, origin: publicUrl },
    { ...form, ...cross },
    { ...form, 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of strangers) {
    const told = await say(`POST /decide/${secret}`, { headers, body })
    expect(told.status, JSON.stringify(headers)).toBe(403)
  }
  expect(decisions).toEqual([])
})

test('by its public name the door shows links, and nothing else of the house', async () => {
  const { ask: say, decisions } = await openOutside()
  const host = 'pawl.example.org'
  const forwarded = { 'x-forwarded-for': '10.0.0.1', 'x-forwarded-proto': 'https' }
  const link = `/decide/${secret}`
  expect((await say(`GET ${link}`, { headers: { host, ...forwarded } })).status).toBe(200)
  const sent = { host, ...form, ...forwarded, origin: publicUrl }
  expect((await say(`POST ${link}`, { headers: sent, body })).status).toBe(303)
  expect(decisions).toHaveLength(1)
  const paths = ['/', '/v1/health', '/v1/runs', '/metrics', '/decide', '/decide/a/../../v1/runs']
  for (const path of [...paths, '/decide/%2e%2e', `${link}?x=1`, `${link}/x`]) {
    const headers = { host, ...bearer(personToken) }
    expect((await say(`GET ${path}`, { headers })).status, path).toBe(403)
  }
  // From here on it is a stranger again.
  const own = { ...form, host, origin: 'http://127.0.0.1' }
  expect((await say(`POST ${link}`, { headers: own, body })).status).toBe(403)
  expect((await say(`GET ${link}`, { headers: forwarded })).status).toBe(403)
  expect((await say(`GET ${link}`, { headers: { host: 'evil.test' } })).status).toBe(403)
})

test('what is over says what became of it, and a wrong link says nothing', async () => {
  const { ask: say, become, answer } = await openOutside()
  expect((await say(`GET /decide/${'x'.repeat(43)}`)).status).toBe(404)
  const { row, ...rest } = questionWith('ship?')
  const titles = { granted: 'Already approved', refused: 'Already refused' } as const
  for (const [status, title] of Object.entries(titles)) {
    const decided = { ...row, status: status as 'granted', decidedBy: 'bob', decidedAt: 5 }
    become({ kind: 'closed', question: { ...rest, row: decided }, own: null })
    const told = await say(`GET /decide/${secret}`)
    expect(told.text).toContain(title)
    expect(told.text).toContain('by bob')
    expect(told.text).not.toContain('<form')
  }
  answer({ kind: 'closed' })
  const late = await say(`POST /decide/${secret}`, { headers: form, body })
  expect([late.status, late.text.includes('Already refused')]).toEqual([409, true])
  become({ kind: 'open', question: { ...rest, row }, person: 'ada', token: 't' })
  answer({ kind: 'refused', reason: 'it does not count', hint: 'ask bob' })
  const refused = await say(`POST /decide/${secret}`, { headers: form, body })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('it does not count; ask bob')
})
