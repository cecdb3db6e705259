/**
 * Composes a mail and submits it to an SMTP server, with TLS and a password where they are set.
 * MIME and the protocol are nodemailer's; this file adds the limits, "all recipients or none",
 * and whether a mail that failed may have been sent. Must not know what a mail is about.
 */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import type { Options as ComposerOptions } from 'nodemailer/lib/mail-composer'
import type SmtpConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPConnectionEnvelope as TriedEnvelope } from 'nodemailer/lib/smtp-connection'

export type SmtpServerAddress = {
  readonly host: string
  readonly port: number
  readonly secure: 'tls' | 'starttls' | 'none'
  readonly user?: string
  /** Read when it is needed, and not kept. */
  readonly password?: () => string
  /** Certificates to trust in place of the system's. */
  readonly ca?: string
}

/** What recipients see: headers and parts. Blind copies are not in it. */
export type MailContent = Pick<
  ComposerOptions,
  | ('from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'date' | 'messageId' | 'headers')
  | ('text' | 'html' | 'attachments')
>

export type MailEnvelope = {
  readonly from: string
  readonly to: readonly string[]
  /** The whole mail, as `composeMail` returns it. */
  readonly raw: Buffer
}

type Submitted =
  | { readonly kind: 'taken' }
  /** The server has certainly not taken it. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The server may have taken it: the text was on its way, and no reply came. */
  | { readonly kind: 'unclear'; readonly why: string }

/** Waiting for the connection, and for each reply. */
const silenceMsMax = 10_000
/** The whole submission. */
const wholeMsMax = 20_000
const replyBytesMax = 64 * 1024
const whyCharsMax = 300

/** The bytes of a mail (RFC 5322, MIME). Reads no file and no URL. */
export async function composeMail(content: MailContent): Promise<Buffer> {
  const { default: Composer } = await import('nodemailer/lib/mail-composer')
  const encoding = { encoding: 'base64', textEncoding: 'base64' } as const
  const closed = { disableFileAccess: true, disableUrlAccess: true }
  return new Composer({ ...content, ...encoding, ...closed }).compile().build()
}

/** Submits a mail for all of its recipients, or for none. Never tries twice. */
export async function submitMail(
  server: SmtpServerAddress,
  { from, to, raw }: MailEnvelope,
): Promise<Submitted> {
  // WHY: anyone on the way could read a password on an open line.
  if (server.user !== undefined && server.secure === 'none' && !isLoopback(server.host)) {
    return { kind: 'refused', why: 'a password needs `secure`: `tls` or `starttls`' }
  }
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection(optionsOf(server))
  // nodemailer adds the recipients that the server rejects.
  const envelope: Partial<TriedEnvelope> = { from, to: [...to], size: raw.length }
  let isBegun = false
  // Read once the server has answered the envelope and is waiting for the text.
  const text = Readable.from(
    (function* () {
      const [rejected] = envelope.rejectedErrors ?? []
      // WHY thrown: the connection closes before the final dot, so the server sends to nobody.
      if (rejected !== undefined) throw new Error(rejected.message)
      isBegun = true
      yield raw
    })(),
  )
  try {
    await talk(connection, server, (done) => connection.send(envelope, text, done))
    connection.quit()
    return { kind: 'taken' }
  } catch (fault) {
    const isAnswered = fault instanceof Error && 'code' in fault && fault.code === 'EMESSAGE'
    return { kind: isBegun && !isAnswered ? 'unclear' : 'refused', why: whyOf(fault) }
  } finally {
    connection.close()
  }
}

type Done = (fault?: Error | null) => void

/** Connects, logs in and sends, one after the other, within the time limit. */
async function talk(
  connection: SmtpConnection,
  { user, password }: SmtpServerAddress,
  send: (done: Done) => void,
): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    connection.on('error', reject)
    const late = AbortSignal.timeout(wholeMsMax)
    late.addEventListener('abort', () => reject(new Error('the mail took too long')))
  })
  const step = (start: (done: Done) => void): Promise<void> => {
    const done = new Promise<void>((resolve, reject) => {
      start((fault) => (fault == null ? resolve() : reject(fault)))
    })
    return Promise.race([done, failed])
  }
  await step((done) => connection.connect(done))
  if (user !== undefined) {
    await step((done) => connection.login({ user, pass: password?.() ?? '' }, done))
  }
  await step(send)
}

function optionsOf({ host, port, secure, ca }: SmtpServerAddress) {
  return {
    ...{ host, port, secure: secure === 'tls', maxResponseSize: replyBytesMax },
    ...{ requireTLS: secure === 'starttls', ignoreTLS: secure === 'none' },
    ...{ connectionTimeout: silenceMsMax, greetingTimeout: silenceMsMax },
    ...{ dnsTimeout: silenceMsMax, socketTimeout: silenceMsMax },
    ...(ca === undefined ? {} : { tls: { ca } }),
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function whyOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : 'a fault'
  return text.replace(/\s+/g, ' ').slice(0, whyCharsMax)
}
