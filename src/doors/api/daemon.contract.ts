/**
 * What the tests of the doors share: both doors on a runtime in memory, with a token each for an
 * agent and a person, and requests as raw as a test wants them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Client, openClient } from '../../client/index.ts'
import { type Bench, openBench } from '../../runtime/runtime.contract.ts'
import { type HttpDoor, type HttpLimits, openHttpDoor } from '../http/open-http-door.ts'
import { openSocketDoor, type SocketDoor, type SocketLimits } from '../socket/open-socket-door.ts'
import { type AgentSession, openAgentSessions } from './agent-sessions.ts'
import { type Api, type ApiOptions, openApi } from './api.ts'
import type { Caller } from './caller.ts'
import { openSignIns } from './sign-ins.ts'

export const agentToken = 'agent-token-of-the-tests'
export const personToken = 'person-token-of-the-tests'
/** Of somebody who is not the owner. */
export const bobToken = 'bob-token-of-the-tests'

const callers = new Map<string, Caller>([
  [agentToken, { role: 'agent', name: 'claude' }],
  [personToken, { role: 'person', name: 'ada' }],
  [bobToken, { role: 'person', name: 'bob' }],
])

const signInsOfAda = {
  ...{ name: 'ada', isKnown: (name: string) => name === 'bob' },
  ...{ read: () => [], write: () => undefined },
}

export type Daemon = Bench & {
  readonly api: Api
  readonly http: HttpDoor
  readonly socket: SocketDoor
  readonly stops: readonly string[]
  /** A client over the socket or HTTP. */
  readonly client: (wire: 'http' | 'socket', token?: string) => Client
  /** A request over HTTP, as its headers and body say and nothing else. */
  readonly ask: (line: string, more?: TestRequest) => Promise<TestResponse>
  /** Lines over the socket; gives what came back until the other side closed. */
  readonly speak: (text: string | Buffer) => Promise<readonly string[]>
}

export type TestRequest = {
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}
export type TestResponse = {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

export type DaemonOptions = {
  readonly api?: Partial<ApiOptions>
  readonly http?: Partial<HttpLimits>
  readonly socket?: Partial<SocketLimits>
}

function agentOf(session: AgentSession | null): Caller | null {
  return session === null ? null : { role: 'agent', name: 'agent', session }
}

export async function openDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const bench = openBench()
  const folder = mkdtempSync(join(tmpdir(), 'pawl-doors-'))
  const stops: string[] = []
  const agents = openAgentSessions('key-of-the-tests', Date.now)
  const api = openApi({
    runtime: bench.runtime,
    tokens: (presented) => callers.get(presented) ?? agentOf(agents.find(presented)),
    agents,
    about: { version: '0.0.0', found: [], elicitation: false },
    stop: () => stops.push('stop'),
    signIns: openSignIns({ ...signInsOfAda, now: Date.now }),
    ...options.api,
  })
  const http = await openHttpDoor({
    api,
    host: '127.0.0.1',
    port: 0,
    limits: { closeMs: 100, ...options.http },
  })
  const path = join(folder, 'pawl.sock')
  const socket = await openSocketDoor({ api, path, limits: { closeMs: 100, ...options.socket } })
  onTestFinished(async () => {
    await Promise.all([http.close(), socket.close()])
    await bench.runtime.close()
    rmSync(folder, { recursive: true })
  })
  const client = (wire: 'http' | 'socket', token = personToken): Client => {
    const opened = openClient(
      wire === 'http' ? { url: http.url, token } : { socket: socket.path, token },
    )
    onTestFinished(opened.close)
    return opened
  }
  return {
    ...bench,
    api,
    http,
    socket,
    stops,
    client,
    ask: (line, more) => ask(http.port, line, more),
    speak: (text) => speak(socket.path, text),
  }
}

/** Headers of a caller with a token. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** Headers of a caller with a token and a JSON body. */
export function jsonBearer(token: string): Record<string, string> {
  return { ...bearer(token), 'content-type': 'application/json' }
}

export function ask(
  port: number,
  line: string,
  { headers = {}, body }: TestRequest = {},
): Promise<TestResponse> {
  const [method = '', path = ''] = line.split(' ')
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** Says all of it, closes that side, and hears until the other side does. */
export function speak(path: string, text: string | Buffer): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const socket = createConnection({ path, allowHalfOpen: true })
    let heard = ''
    socket.on('data', (bytes) => {
      heard += bytes.toString()
    })
    // Cut off while speaking, what was heard until then counts.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(heard.split('\n').filter((line) => line !== '')))
    socket.end(text)
  })
}
