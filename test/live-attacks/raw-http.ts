/**
 * HTTP as it is written on the wire: nothing is added, put right or left out on the way, which
 * every client library does.
 */
import { createConnection } from 'node:net'

export type RawRequest = {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
  /** Default 1.1. */
  readonly version?: string
}

export type RawAnswer = {
  /** 0: the other side hung up without a word. */
  readonly status: number
  readonly head: string
  /** As it came; of a stream its beginning. */
  readonly body: string
}

const answerMsMax = 10_000

/** Sends a request and waits for the whole answer, or for the first message of a stream. */
export function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  return exchange(port, textOf(request))
}

/** Sends bytes as they are. */
export function exchange(port: number, text: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    let got = ''
    const end = (): void => {
      socket.destroy()
      resolve(answerOf(got))
    }
    socket.setEncoding('utf8')
    socket.setTimeout(answerMsMax, () => {
      socket.destroy()
      reject(new Error(`no answer to ${text.slice(0, 300)}; so far: ${got.slice(0, 300)}`))
    })
    socket.on('data', (part) => {
      got += part
      if (isWhole(got)) end()
    })
    socket.on('end', end)
    // A door that refuses may close while it is still being talked to.
    socket.on('error', end)
    socket.write(text)
  })
}

/** A request as it goes over the wire. */
export function textOf({
  method,
  target,
  headers,
  body = '',
  version = '1.1',
}: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${target} HTTP/${version}`, ...lines, '', body].join('\r\n')
}

function isWhole(text: string): boolean {
  const { head, body } = answerOf(text)
  if (!text.includes('\r\n\r\n')) return false
  if (/^content-type: text\/event-stream/im.test(head)) return body.includes('data:')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length !== undefined && Buffer.byteLength(body) >= Number(length)
}

function answerOf(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.\d (\d+)/.exec(head)?.[1] ?? 0),
    head,
    body: rest.join('\r\n\r\n'),
  }
}
