/**
 * A line to a mail server: commands out, replies in, one after the other, never for longer than
 * the limits. Must not know what is said.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export type SmtpLine = {
  readonly send: (text: string) => void
  /** The lines of the next reply, each with its code. */
  readonly reply: () => Promise<readonly string[]>
  /** Goes on encrypted. */
  readonly secure: () => Promise<void>
  readonly close: () => void
}

type Where = {
  readonly host: string
  readonly port: number
  readonly secure: 'tls' | 'starttls' | 'none'
  readonly ca?: string
}

/** One command and its reply. */
const silenceMsMax = 10_000
/** From the first byte to the last. */
const wholeMsMax = 20_000
const replyBytesMax = 64 * 1024

export async function openSmtpLine(where: Where): Promise<SmtpLine> {
  const { host, port } = where
  const named = isIP(host) === 0 ? { servername: host } : {}
  const trust = { ...named, ...(where.ca === undefined ? {} : { ca: where.ca }) }
  const isTls = where.secure === 'tls'
  let socket: Socket = isTls ? connectTls({ host, port, ...trust }) : connectPlain({ host, port })
  const ear = openEar()
  ear.listen(socket)
  const late = setTimeout(() => socket.destroy(new Error('the mail took too long')), wholeMsMax)
  await opened(socket, isTls ? 'secureConnect' : 'connect')
  return {
    send: (text) => void socket.write(`${text}\r\n`),
    reply: ear.reply,
    secure: async () => {
      // WHY: what was said before the line was closed could be anybody's.
      ear.forget(socket)
      const inner = socket
      const tls: TLSSocket = connectTls({ socket: inner, host, ...trust })
      socket = tls
      ear.listen(tls)
      await opened(tls, 'secureConnect')
    },
    close: () => {
      clearTimeout(late)
      socket.end()
      // A server that does not hang up is hung up on.
      socket.setTimeout(silenceMsMax, () => socket.destroy())
      socket.unref()
    },
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new Error('the mail server does not answer')),
      silenceMsMax,
    )
    const end = (fault?: Error): void => {
      clearTimeout(timer)
      if (fault === undefined) resolve()
      else reject(fault)
    }
    socket.once(event, () => end())
    socket.once('error', end)
  })
}

type Ear = {
  readonly listen: (socket: Socket) => void
  readonly forget: (socket: Socket) => void
  readonly reply: () => Promise<readonly string[]>
}

/** Hears replies: lines `250-…` that go on, and one `250 …` that ends them. */
function openEar(): Ear {
  let heard = ''
  let fault: Error | null = null
  let wake: () => void = () => undefined
  const onData = (bytes: Buffer): void => {
    heard += bytes.toString('latin1')
    if (heard.length > replyBytesMax) fault = new Error('the mail server says too much')
    wake()
  }
  const fail = (why: Error): void => {
    fault ??= why
    wake()
  }
  const onEnd = (): void => fail(new Error('the mail server hung up'))
  return {
    listen: (socket) => {
      socket.on('data', onData).on('error', fail).on('close', onEnd)
    },
    forget: (socket) => {
      socket.off('data', onData).off('close', onEnd)
      heard = ''
    },
    reply: async () => {
      for (const end = Date.now() + silenceMsMax; ; ) {
        const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/.exec(heard)
        if (whole !== null) {
          heard = heard.slice(whole[0].length)
          return whole[0].trimEnd().split(/\r?\n/)
        }
        if (fault !== null) throw fault
        if (Date.now() >= end) throw new Error('the mail server does not answer')
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, silenceMsMax)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
  }
}
