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
  'from' | 'to' | 'cc' | 'replyTo' | 'date' | 'messageId' | 'text' | 'html' | 'attachments'
> & { readonly subject?: string; readonly headers?: Readonly<Record<string, string>> }

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
/** A header value that is longer is encoded, so that no line exceeds the limit of RFC 5322. */
const plainHeaderCharsMax = 200

/** The bytes of a mail (RFC 5322, MIME). Reads no file and no URL. */
export async function composeMail(content: MailContent): Promise<Buffer> {
  const { default: Composer } = await import('nodemailer/lib/mail-composer')
  const { encodeWord } = await import('nodemailer/lib/mime-funcs')
  // WHY: readers decode what looks like an encoded word, so a person would approve another text.
  const literal = (text: string): string =>
    text.includes('=?') || text.length > plainHeaderCharsMax ? encodeWord(text, 'B', 52) : text
  const { subject = '', headers = {} } = content
  const encoded = {
    subject: literal(subject),
    headers: Object.fromEntries(Object.entries(headers).map(([key, text]) => [key, literal(text)])),
  }
  const encoding = { encoding: 'base64', textEncoding: 'base64' } as const
  const closed = { disableFileAccess: true, disableUrlAccess: true }
  return new Composer({ ...content, ...encoded, ...encoding, ...closed }).compile().build()
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
    return { kind: isBegun && !isRejection(fault) ? 'unclear' : 'refused', why: whyOf(fault) }
  } finally {
    connection.close()
  }
}

/** Whether the server answered the text with an SMTP error; any other line says nothing. */
function isRejection(fault: unknown): boolean {
  if (!(fault instanceof Error) || !('code' in fault) || fault.code !== 'EMESSAGE') return false
  const reply = 'responseCode' in fault ? Number(fault.responseCode) : Number.NaN
  return reply >= 400 && reply < 600
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
    // WHY: nodemailer would send the password to a server that asks for none.
    if (!connection.allowsAuth) throw new Error('the server does not offer a login')
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
  return text.replace(/[\s\p{C}]+/gu, ' ').slice(0, whyCharsMax)
}
