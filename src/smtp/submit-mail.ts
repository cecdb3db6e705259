/**
 * Hands a mail in at a server over SMTP (RFC 5321), with TLS and a password where they are set,
 * and says whether it was taken. Knows the protocol. Must not know what a mail is about.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { openSmtpLine, type SmtpLine } from './smtp-connection.ts'

/** Where mail is handed in. */
export type SmtpServerAddress = {
  readonly host: string
  readonly port: number
  readonly secure: 'tls' | 'starttls' | 'none'
  readonly user?: string
  /** Read when it is needed, and not kept. */
  readonly password?: () => string
  /** Certificates that are trusted beside those of the system; absent: none. */
  readonly ca?: string
}

export type MailEnvelope = {
  readonly from: string
  readonly to: readonly string[]
  /** The whole mail, with CRLF at the ends of lines. */
  readonly text: string
}

type HandedIn =
  | { readonly kind: 'taken' }
  /** It has certainly not been taken. */
  | { readonly kind: 'refused'; readonly why: string }
  /** It was all said, and no answer came. */
  | { readonly kind: 'unclear'; readonly why: string }

/** Hands a mail in for all of its receivers, or for none. */
export async function submitMail(
  server: SmtpServerAddress,
  envelope: MailEnvelope,
): Promise<HandedIn> {
  let line: SmtpLine | null = null
  let isSaid = false
  try {
    line = await openSmtpLine(server)
    await greet(line, server)
    await expect(line, `MAIL FROM:<${envelope.from}>`, '250')
    for (const to of envelope.to) await expect(line, `RCPT TO:<${to}>`, '25')
    await expect(line, 'DATA', '354')
    isSaid = true
    await expect(line, `${dotted(envelope.text)}\r\n.`, '250')
    line.send('QUIT')
    return { kind: 'taken' }
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : 'a fault'
    const isAnswered = fault instanceof Error && fault.name === spokenFault
    return { kind: isSaid && !isAnswered ? 'unclear' : 'refused', why }
  } finally {
    line?.close()
  }
}

const spokenFault = 'SmtpRefusal'

/** Says something, or nothing, and expects a reply whose code begins so; gives its texts. */
async function expect(
  line: SmtpLine,
  say: string | null,
  code: string,
): Promise<readonly string[]> {
  if (say !== null) line.send(say)
  const lines = await line.reply()
  const last = lines.at(-1) ?? ''
  if (last.startsWith(code)) return lines.map((text) => text.slice(4))
  // WHY not what was said: it may have been a password.
  const fault = new Error(`the mail server says ${JSON.stringify(last.slice(0, 200))}`)
  throw Object.assign(fault, { name: spokenFault })
}

async function greet(line: SmtpLine, server: SmtpServerAddress): Promise<void> {
  await expect(line, null, '220')
  let offers = await hello(line)
  if (server.secure === 'starttls') {
    if (!offers.includes('STARTTLS')) throw new Error('the mail server offers no STARTTLS')
    await expect(line, 'STARTTLS', '220')
    await line.secure()
    offers = await hello(line)
  }
  if (server.user === undefined) return
  // WHY: a password over an open line is everybody's.
  if (server.secure === 'none' && !isLoopback(server.host)) {
    throw new Error('a password needs `secure`: `tls` or `starttls`')
  }
  await logIn(line, offers, { user: server.user, password: server.password?.() ?? '' })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** What the server offers, in capitals. */
async function hello(line: SmtpLine): Promise<readonly string[]> {
  const name = /^[A-Za-z0-9.-]+$/.test(hostname()) ? hostname() : 'localhost'
  const lines = await expect(line, `EHLO ${name}`, '250')
  return lines.slice(1).map((offer) => offer.toUpperCase())
}

type Login = { readonly user: string; readonly password: string }

async function logIn(
  line: SmtpLine,
  offers: readonly string[],
  { user, password }: Login,
): Promise<void> {
  const ways = offers.find((offer) => offer.startsWith('AUTH '))?.split(' ') ?? []
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  if (ways.includes('PLAIN')) {
    await expect(line, `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, '235')
    return
  }
  if (!ways.includes('LOGIN')) throw new Error('the mail server offers no way to log in')
  await expect(line, 'AUTH LOGIN', '334')
  await expect(line, base64(user), '334')
  await expect(line, base64(password), '235')
}

/** A line that begins with a dot would end the mail. */
function dotted(text: string): string {
  return text.replace(/^\./gm, '..')
}
