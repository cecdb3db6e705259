import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import { openCatalogue } from './catalogue.ts'
import type { GatewayContext } from './gateway-context.ts'
import { openHttpUpstream } from './http-upstream.ts'
import { isRequest, type RpcMessage } from './json-rpc.ts'
import { launchOf } from './launch-settings.ts'
import { openRedactor, parseClean, type WireEnd, type WireListeners } from './server-transport.ts'
import { openUpstream } from './upstream.ts'
import type { Server } from './upstream-server.ts'

test('secrets are taken out of texts, and names of members stay', () => {
  const redact = openRedactor(['abcdefgh'])
  const said = parseClean('{"abcdefgh":{"x":["a abcdefgh","\\u0061bcdefgh"]}}', redact)
  expect(said).toEqual({ abcdefgh: { x: ['a [secret]', '[secret]'] } })
})

test('variables in the command, the arguments and the address are secrets', () => {
  const env = { DB: 'postgres://u:pw@h', HOME: '/home/someone', KEY: 'in-the-address' }
  const entry = { name: 'a', scope: null, folder: '/' }
  const started = {
    ...entry,
    command: 'x',
    args: [`--db=\${DB}`, `\${HOME}/docs`, `\${NO:-other-text}`],
  }
  expect(launchOf(started, '/', env)).toMatchObject({
    args: ['--db=postgres://u:pw@h', '/home/someone/docs', 'other-text'],
    secrets: ['postgres://u:pw@h'],
  })
  const reached = launchOf({ ...entry, url: `http://h/\${KEY}` }, '/', env)
  expect(reached.secrets).toEqual(['in-the-address'])
})

/** A server that answers as it is told to; the second connection is another one. */
function openFake(resultOf: (method: string) => unknown) {
  let ears: WireListeners | null = null
  let opened = 0
  const upstream = openUpstream({
    name: 'fake',
    timeoutMs: 1_000,
    open: async (heard) => {
      ears = heard
      opened += 1
      const send = (message: RpcMessage): void => {
        if (!isRequest(message)) return
        const { id, method } = message
        const result = method === 'initialize' ? { capabilities: {} } : resultOf(method)
        if (result === 'silence') return
        heard.onMessage({ jsonrpc: '2.0', id, result } as RpcMessage)
      }
      return { send, agree: () => undefined, close: async () => undefined }
    },
    greeting: () => ({}),
    onConnected: async () => undefined,
    onMessage: () => undefined,
    log: () => undefined,
  })
  onTestFinished(() => upstream.close())
  const end = (): void => ears?.onEnd({ code: 'UPSTREAM_LOST', reason: 'it went away' })
  const tell = (message: RpcMessage): void => ears?.onMessage(message)
  return { upstream, end, tell, opened: () => opened }
}

test('a silent server is given up, one that tells how far it is has its time anew', async () => {
  const { upstream, tell } = openFake(() => 'silence')
  await upstream.ensure()
  const late = { kind: 'failed', code: 'UPSTREAM_TIMEOUT' }
  const silent = upstream.request('silent', {})
  let isOver = false
  const steady = upstream.request('steady', { _meta: { progressToken: 'p' } }).finally(() => {
    isOver = true
  })
  const beat = (): void =>
    tell({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p' } })
  const beats = setInterval(beat, 100)
  expect(await silent).toMatchObject(late)
  await sleep(600)
  expect(isOver).toBe(false)
  clearInterval(beats)
  expect(await steady).toMatchObject(late)
})

test('an answer that is no object is a fault of the server', async () => {
  const { upstream } = openFake((method) => (method === 'good' ? {} : 'text'))
  await upstream.ensure()
  expect(await upstream.request('good', {})).toEqual({ kind: 'result', result: {} })
  expect(await upstream.request('bad', {})).toMatchObject({ kind: 'error' })
})

test('what a request depends on is asked right before it is sent', async () => {
  const { upstream } = openFake(() => ({}))
  await upstream.ensure()
  const no = { kind: 'failed', code: 'TOOL_UNPINNED', reason: '', hint: '' } as const
  expect(await upstream.request('tools/call', {}, { before: () => no })).toEqual(no)
})

test('a request whose connection is gone is not made over the next one', async () => {
  const asked: string[] = []
  const { upstream, end, opened } = openFake((method) => asked.push(method) && {})
  await upstream.ensure()
  end()
  const answered = await upstream.request('tools/call', {})
  expect(answered).toMatchObject({ kind: 'failed', code: 'UPSTREAM_LOST' })
  await upstream.ensure()
  expect(opened()).toBe(2)
  expect(asked).toEqual([])
})

test('a resource that one server lists and another claims by a template is nobody’s', async () => {
  const lists = { prompts: [], resources: [], resourceTemplates: [] }
  const server = (name: string, more: JsonObject): Server =>
    ({
      name,
      lists: () => ({ ...lists, ...more }),
      upstream: { ensure: async () => null },
    }) as unknown as Server
  const one = server('one', { resources: [{ uri: 'a://x' }, { uri: 'b://x' }] })
  const two = server('two', { resourceTemplates: [{ uriTemplate: 'a://{id}' }] })
  const servers = new Map([one, two].map((each) => [each.name, each]))
  const { findResource } = openCatalogue({
    context: {} as GatewayContext,
    servers,
    onChange: () => undefined,
  })
  expect(await findResource('a://x')).toBe(null)
  expect(await findResource('b://x')).toBe(one)
  expect(await findResource('a://y')).toBe(two)
})

test('a stream for news that breaks does not end the connection', async () => {
  const streams: ServerResponse[] = []
  const web = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
      return void streams.push(response)
    }
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      const { id } = JSON.parse(text)
      if (id === undefined) return void response.writeHead(202).end()
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: {} })
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
      }, 200)
    })
  }).listen(0, '127.0.0.1')
  await once(web, 'listening')
  onTestFinished(() => {
    web.closeAllConnections()
    web.close()
  })
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`
  const heard: RpcMessage[] = []
  const ends: WireEnd[] = []
  const wire = await openHttpUpstream(
    { kind: 'http', url, headers: {}, secrets: [] },
    { onMessage: (message) => heard.push(message), onEnd: (why) => ends.push(why) },
  )
  onTestFinished(() => wire.close())
  wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await expect.poll(() => streams.length).toBe(1)
  wire.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
  streams[0]?.destroy()
  await expect.poll(() => heard.length).toBe(1)
  expect(ends).toEqual([])
})
