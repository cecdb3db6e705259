/**
 * Servers for tests of channels: one for webhooks, one for mail, both strict enough to reject what
 * is wrong.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Post = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type PostOffice = {
  readonly url: string
  readonly posts: readonly Post[]
  /** What the next posts are answered; then 200 again. */
  readonly answer: (...statuses: number[]) => void
  readonly close: () => void
}

export async function openPostOffice(): Promise<PostOffice> {
  const posts: Post[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      posts.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    answer: (...next) => void statuses.push(...next),
    close: () => server.close(),
  }
}

export type Letter = {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  /** The text of its first part. */
  readonly text: string
  readonly isEncrypted: boolean
}

export type MailOffice = {
  readonly port: number
  readonly letters: readonly Letter[]
  readonly close: () => Promise<void>
}

/** A mail server without a login, unless the options say otherwise. */
export async function openMailOffice(options: SMTPServerOptions = {}): Promise<MailOffice> {
  const letters: Letter[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const raw = Buffer.concat(parts).toString()
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const to = rcptTo.map((one) => one.address)
        letters.push({ from, to, raw, text: textOf(raw), isEncrypted: session.secure })
        done()
      })
    },
    ...options,
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  // Some tests close the connection early.
  server.on('error', () => undefined)
  const { port } = server.server.address() as AddressInfo
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  return { port, letters, close }
}

function textOf(raw: string): string {
  const [, rest = ''] = raw.split('Content-Type: text/plain', 2)
  const [, body = ''] = rest.split('\r\n\r\n', 2)
  return Buffer.from(body.split('\r\n--')[0] ?? '', 'base64').toString()
}
