/**
 * Neighbours of the records in the attack corpus: the same classes, spelt otherwise. Each is tried
 * on a question that really waits, and with the person's own token, so that nothing but the trick
 * itself can be what holds it.
 */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOurNode } from '../../src/main/daemon.contract.ts'
import {
  askPerson,
  type Live,
  openLive,
  type Question,
  startRun,
  verdictsOf,
  wrongUnlessDecided,
  wrongUnlessPending,
} from './live.ts'
import { refusalOf } from './over-calls.ts'
import { exchange, type RawRequest, textOf } from './raw-http.ts'
import type { Verdict } from './records.ts'

type Pair = readonly [name: string, value: string]

/** A request that decides a question, with whatever is odd about it in place of the usual. */
type Odd = {
  readonly method?: string
  readonly target?: (path: string, port: number) => string
  /** In place of the usual ones of the same name, or beside them. */
  readonly headers?: (live: Live) => readonly Pair[]
  readonly without?: readonly string[]
  readonly body?: string
  readonly version?: string
}

function requestOf(live: Live, asked: Question, odd: Odd): RawRequest {
  const { method = 'POST', body = '{"granted":true}', target = (path) => path } = odd
  const usual: readonly Pair[] = [
    ['Host', `127.0.0.1:${live.port}`],
    ['Authorization', `Bearer ${live.tokens.person}`],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
  ]
  const own = odd.headers?.(live) ?? []
  const left = [...own.map(([name]) => name), ...(odd.without ?? [])].map((n) => n.toLowerCase())
  const headers = [...usual.filter(([name]) => !left.includes(name.toLowerCase())), ...own]
  const path = target(`/v1/approvals/${asked.id}`, live.port)
  const { version = '1.1' } = odd
  return { method, target: path, headers, body, version }
}

const header = (name: string, value: string): Odd => ({
  headers: ({ port }) => [[name, value.replaceAll('PORT', String(port))]],
})
const auth = (value: (live: Live) => string): Odd => ({
  headers: (live) => [['Authorization', value(live)]],
})

const held: readonly (readonly [what: string, odd: Odd, verdict: Verdict])[] = [
  ['a Host without the port', header('Host', '127.0.0.1'), 'deny'],
  ['a Host with another port', header('Host', '127.0.0.1:1'), 'deny'],
  ['a Host that ends in ours', header('Host', 'evil.test.127.0.0.1:PORT'), 'deny'],
  ['a Host that begins with ours', header('Host', '127.0.0.1:PORT.evil.test'), 'deny'],
  ['a Host with a dot behind it', header('Host', 'localhost.:PORT'), 'deny'],
  ['a Host with a user in front', header('Host', 'evil@127.0.0.1:PORT'), 'deny'],
  ['another spelling of the address', header('Host', '127.1:PORT'), 'deny'],
  ['the address as one number', header('Host', '2130706433:PORT'), 'deny'],
  ['another address of loopback', header('Host', '127.0.0.2:PORT'), 'deny'],
  ['IPv4 inside of IPv6', header('Host', '[::ffff:127.0.0.1]:PORT'), 'deny'],
  ['the address of everybody in IPv6', header('Host', '[::]:PORT'), 'deny'],
  ['IPv6 without brackets', header('Host', '::1:PORT'), 'deny'],
  ['a name that leads to loopback', header('Host', 'localtest.me:PORT'), 'deny'],
  ['no Host at all', { without: ['Host'] }, 'deny'],
  ['no Host, as before HTTP 1.1', { without: ['Host'], version: '1.0' }, 'deny'],
  [
    'two Hosts, one of them ours',
    {
      headers: ({ port }) => [
        ['Host', `127.0.0.1:${port}`],
        ['Host', 'evil.test'],
      ],
    },
    'error',
  ],
  ['a Host put right by Forwarded', header('Forwarded', 'host=127.0.0.1:PORT'), 'deny'],
  ['X-Forwarded-For', header('X-Forwarded-For', '127.0.0.1'), 'deny'],
  ['an Origin on another port', header('Origin', 'http://127.0.0.1:1'), 'deny'],
  ['an Origin without a port', header('Origin', 'http://127.0.0.1'), 'deny'],
  ['an Origin of https', header('Origin', 'https://127.0.0.1:PORT'), 'deny'],
  ['an Origin of nowhere', header('Origin', 'null'), 'deny'],
  ['an empty Origin', header('Origin', ''), 'deny'],
  ['an Origin with a path', header('Origin', 'http://127.0.0.1:PORT/'), 'deny'],
  ['an Origin with a user', header('Origin', 'http://evil.test@127.0.0.1:PORT'), 'deny'],
  ['an Origin of a program', header('Origin', 'vscode-webview://x'), 'deny'],
  [
    'two Origins, one of them ours',
    {
      headers: ({ port }) => [
        ['Origin', `http://127.0.0.1:${port}`],
        ['Origin', 'https://evil.test'],
      ],
    },
    'error',
  ],
  ['a page on another port of this machine', header('Sec-Fetch-Site', 'same-site'), 'deny'],
  ['a page of another site', header('Sec-Fetch-Site', 'cross-site'), 'deny'],
  ['the other scheme of signing in', auth(({ tokens }) => `Basic ${tokens.person}`), 'deny'],
  ['no scheme of signing in', auth(({ tokens }) => tokens.person), 'deny'],
  ['a token with a blank in it', auth(({ tokens }) => `Bearer ${tokens.person} x`), 'deny'],
  ['a token behind two blanks', auth(({ tokens }) => `Bearer  ${tokens.person}`), 'deny'],
  ['a token and a letter', auth(({ tokens }) => `Bearer ${tokens.person}A`), 'deny'],
  [
    'a token in small letters',
    auth(({ tokens }) => `Bearer ${tokens.person.toLowerCase()}x`),
    'deny',
  ],
  ['both tokens', auth(({ tokens }) => `Bearer ${tokens.agent},${tokens.person}`), 'deny'],
  [
    'two headers with a token each',
    {
      headers: ({ tokens }) => [
        ['Authorization', `Bearer ${tokens.agent}`],
        ['Authorization', `Bearer ${tokens.person}`],
      ],
    },
    'error',
  ],
  ['the word undefined as a token', auth(() => 'Bearer undefined'), 'deny'],
  [
    'a token in the body and none in the header',
    { without: ['Authorization'], body: '{"granted":true,"token":"x"}' },
    'deny',
  ],
  [
    'a token in the address',
    {
      without: ['Authorization'],
      target: (path) => `${path}?access_token=x`,
    },
    'deny',
  ],
  ['HEAD', { method: 'HEAD', body: '' }, 'error'],
  ['OPTIONS, as a page asks first', { method: 'OPTIONS', body: '' }, 'error'],
  ['PUT', { method: 'PUT' }, 'error'],
  ['DELETE', { method: 'DELETE', body: '' }, 'error'],
  ['PATCH', { method: 'PATCH' }, 'error'],
  [
    'a POST that says it is a GET',
    { method: 'GET', target: (path) => `${path}?_method=POST` },
    'error',
  ],
  ['two slashes in front', { target: (path) => `/${path}` }, 'error'],
  ['two slashes inside', { target: (path) => path.replace('/approvals', '//approvals') }, 'error'],
  ['a slash behind', { target: (path) => `${path}/` }, 'error'],
  ['a dot in the path', { target: (path) => path.replace('/v1/', '/v1/./') }, 'error'],
  ['two dots in the path', { target: (path) => `/v1/runs/..${path.slice(3)}` }, 'error'],
  ['dots in code', { target: (path) => `/v1/runs/%2e%2e${path.slice(3)}` }, 'error'],
  ['a slash in code', { target: (path) => path.replace('/approvals/', '/approvals%2f') }, 'error'],
  ['a backslash', { target: (path) => path.replace('/approvals/', '/approvals\\') }, 'error'],
  [
    'large letters in the path',
    { target: (path) => path.replace('approvals', 'Approvals') },
    'error',
  ],
  ['something behind a semicolon', { target: (path) => `${path};x=.json` }, 'error'],
  ['an address with another host in it', { target: (path) => `http://evil.test${path}` }, 'error'],
  [
    'a whole address as a target',
    { target: (path, port) => `http://127.0.0.1:${port}${path}` },
    'error',
  ],
  ['a body of a form', header('Content-Type', 'application/x-www-form-urlencoded'), 'error'],
  ['a body of plain text', header('Content-Type', 'text/plain'), 'error'],
  ['JSON by half a name', header('Content-Type', 'application/json-patch+json'), 'error'],
  ['no kind of body', { without: ['Content-Type'] }, 'error'],
  ['a yes that is a text', { body: '{"granted":"true"}' }, 'error'],
  ['two answers in one', { body: '{"granted":true,"granted":"false"}' }, 'error'],
  ['somebody else as the one who decides', { body: '{"granted":true,"actor":"person"}' }, 'error'],
  ['another question in the body', { body: '{"granted":true,"id":"x"}' }, 'error'],
  ['a key of the machinery', { body: '{"granted":true,"__proto__":{"x":1}}' }, 'error'],
  ['a list', { body: '[{"granted":true}]' }, 'error'],
  [
    'a length and pieces at once',
    {
      headers: () => [['Transfer-Encoding', 'chunked']],
      body: '10\r\n{"granted":true}\r\n0\r\n\r\n',
    },
    'error',
  ],
  [
    'two lengths',
    {
      headers: () => [
        ['Content-Length', '16'],
        ['Content-Length', '0'],
      ],
    },
    'error',
  ],
]

const passing: readonly (readonly [what: string, odd: Odd])[] = [
  ['IPv6 with brackets', header('Host', '[::1]:PORT')],
  ['a name of this machine', header('Host', 'localhost:PORT')],
  ['its own page in large letters', header('Origin', 'HTTP://LocalHost:PORT')],
  ['its own page', header('Sec-Fetch-Site', 'same-origin')],
  ['an address typed by a person', header('Sec-Fetch-Site', 'none')],
  ['a scheme in small letters', auth(({ tokens }) => `bearer ${tokens.person}`)],
  ['a kind of body with letters', header('Content-Type', 'application/json; charset=utf-8')],
  [
    'a body in pieces',
    {
      without: ['Content-Length'],
      headers: () => [['Transfer-Encoding', 'chunked']],
      body: '10\r\n{"granted":true}\r\n0\r\n\r\n',
    },
  ],
]

// WHY so long: a machine may be busy with other tests. By itself it takes some seconds.
describe.runIf(isOurNode)('neighbours of the attacks', () => {
  let live: Live
  beforeAll(async () => {
    live = await openLive()
  })
  afterAll(() => live.close())

  test.each(held)('nobody decides with %s', async (_, odd, verdict) => {
    const asked = await askPerson(live)
    const { status, head } = await live.send(requestOf(live, asked, odd))
    expect(await wrongUnlessPending(live, asked)).toEqual([])
    expect(verdictsOf(status), `${status}`).toContain(verdict)
    expect(head).not.toMatch(/^access-control-/im)
  })

  test.each(passing)('a person decides with %s', async (_, odd) => {
    const asked = await askPerson(live)
    const { status, body } = await live.send(requestOf(live, asked, odd))
    expect(status, body).toBe(200)
    expect(await wrongUnlessDecided(live, asked, 'granted')).toEqual([])
  })

  test('a second request hidden in the body of the first is not answered', async () => {
    const asked = await askPerson(live)
    const hidden = textOf(requestOf(live, asked, {}))
    const outer = requestOf(live, asked, {
      headers: ({ tokens }) => [['Authorization', `Bearer ${tokens.agent}`]],
      target: () => '/v1/check',
      body: hidden,
    })
    const { status } = await live.send(outer)
    expect(verdictsOf(status)).toContain('error')
    const both = textOf({
      ...outer,
      headers: [...outer.headers, ['Transfer-Encoding', 'chunked']],
      body: `0\r\n\r\n${hidden}`,
    })
    expect((await exchange(live.port, both)).status).toBe(400)
    expect(await wrongUnlessPending(live, asked)).toEqual([])
  })

  test('odd ends of lines and blanks in names of headers make no request', async () => {
    const asked = await askPerson(live)
    const usual = textOf(requestOf(live, asked, {}))
    for (const text of [
      usual.replace('Authorization:', 'Authorization :'),
      usual.replace('Host:', ' Host:'),
      usual.replace('Content-Length: 16', 'Content-Length: +16'),
      usual.replace('Content-Length: 16', 'Content-Length: 0x10'),
      usual.replace('HTTP/1.1', 'HTTP/1.1\r\nX: y\rHost: evil.test'),
    ]) {
      const { status } = await exchange(live.port, text)
      expect([400, 403], text).toContain(status)
      expect(await wrongUnlessPending(live, asked)).toEqual([])
    }
  })

  test('a whole handshake for a WebSocket is refused, from whatever page', async () => {
    const asked = await askPerson(live)
    for (const origin of ['https://evil.test', `http://127.0.0.1:${live.port}`]) {
      const { status } = await live.send({
        method: 'GET',
        target: `/v1/runs/${asked.runId}/stream`,
        headers: [
          ['Host', `127.0.0.1:${live.port}`],
          ['Authorization', `Bearer ${live.tokens.person}`],
          ['Origin', origin],
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Version', '13'],
          ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ],
      })
      expect([403, 426]).toContain(status)
    }
  })

  test('an agent does not decide over the socket either, whatever it calls itself', async () => {
    const asked = await askPerson(live)
    const { agent } = live.as
    const { id, runId } = asked
    expect(await refusalOf(() => agent.approvals.decide({ id, granted: true }))).toBe(
      'NOT_PERMITTED',
    )
    expect(await refusalOf(() => agent.runs.force({ runId, stage: 'shipped' }))).toBe(
      'NOT_PERMITTED',
    )
    expect(await refusalOf(() => agent.runs.export({ runId }))).toBe('NOT_PERMITTED')
    const frame = { id: 1, op: 'approvals.decide', input: { id, granted: true } }
    for (const odd of [
      { ...frame },
      { ...frame, token: '' },
      { ...frame, token: live.tokens.agent, role: 'person', actor: 'person' },
      { ...frame, token: live.tokens.person.slice(0, -1) },
      { ...frame, token: ` ${live.tokens.person}` },
    ]) {
      expect(await sendLine(live, odd)).toMatchObject({
        ok: false,
        problem: { status: expect.any(Number) },
      })
    }
    expect(await wrongUnlessPending(live, asked)).toEqual([])
  })

  test('an id that an agent used up does not stand for the decision of a person', async () => {
    const asked = await askPerson(live)
    const commandId = 'the-next-decision'
    const { id, runId } = asked
    await refusalOf(() => live.as.agent.runs.signal({ runId, name: 'SHIP' }, { commandId }))
    await refusalOf(() => live.as.agent.approvals.decide({ id, granted: false }, { commandId }))
    const { isRepeated } = await live.as.person.approvals.decide(
      { id, granted: true },
      { commandId },
    )
    expect(isRepeated).toBe(false)
    expect(await wrongUnlessDecided(live, asked, 'granted')).toEqual([])
  })

  test("an agent that repeats a person's id gets neither the decision nor the reply", async () => {
    const first = await askPerson(live)
    const commandId = 'a-decision-of-a-person'
    await live.as.person.approvals.decide({ id: first.id, granted: true }, { commandId })
    const { agent } = live.as
    const again = () => agent.approvals.decide({ id: first.id, granted: true }, { commandId })
    expect(await refusalOf(again)).toBe('NOT_PERMITTED')
    const second = await askPerson(live)
    const other = () => agent.approvals.decide({ id: second.id, granted: true }, { commandId })
    expect(await refusalOf(other)).toBe('NOT_PERMITTED')
    expect(await wrongUnlessPending(live, second)).toEqual([])
  })

  test('a decision counts once, and not for a question with other contents', async () => {
    const asked = await askPerson(live)
    const other = await live.as.agent.approvals.read({ id: (await askPerson(live)).id })
    const { person } = live.as
    const { id } = asked
    if (other.hash !== asked.hash) {
      const stale = () => person.approvals.decide({ id, granted: true, hash: other.hash })
      expect(await refusalOf(stale)).not.toBeNull()
    }
    expect(await wrongUnlessPending(live, asked)).toEqual([])
    await person.approvals.decide({ id, granted: true, hash: asked.hash })
    expect(await refusalOf(() => person.approvals.decide({ id, granted: false }))).toBe(
      'APPROVAL_DECIDED',
    )
    expect(await wrongUnlessDecided(live, asked, 'granted')).toEqual([])
  })

  test('an agent that paused can resume, and not what a person paused', async () => {
    const runId = await startRun(live)
    const { agent, person } = live.as
    expect(await refusalOf(() => agent.runs.pause({ runId, release: true }))).toBe('NOT_PERMITTED')
    await person.runs.pause({ runId })
    expect(await refusalOf(() => agent.runs.resume({ runId }))).toBe('NOT_PERMITTED')
    expect(await refusalOf(() => agent.runs.signal({ runId, name: 'STAY' }))).not.toBeNull()
    await person.runs.resume({ runId })
    expect(await refusalOf(() => agent.runs.signal({ runId, name: 'STAY' }))).toBeNull()
  })
})

/** One line over the socket, and the line that comes back. */
function sendLine({ house }: Live, frame: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect(house.note()?.socket ?? '')
    let got = ''
    socket.on('error', reject)
    socket.on('data', (part) => {
      got += part
      if (!got.includes('\n')) return
      socket.destroy()
      resolve(JSON.parse(got))
    })
    socket.write(`${JSON.stringify(frame)}\n`)
  })
}
