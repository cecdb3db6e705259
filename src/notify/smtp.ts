/**
 * Sends one mail to one server over SMTP (RFC 5321), with TLS and a password where they are set.
 * Knows the protocol. Must not know what a mail is about.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { type Mail, mailText } from './mail-text.ts'
import { secretIn } from './secret-in.ts'
import { expectReply, openSmtpLine, type SmtpLine } from './smtp-line.ts'

export type { Mail } from './mail-text.ts'

/** Where mail is handed in. */
export type SmtpServer = {
  readonly host: string
  readonly port: number
  readonly secure: 'tls' | 'starttls' | 'none'
  readonly user?: string
  /** Read when it is needed, and not kept. */
  readonly passwordFile?: string
  /** Certificates that are trusted beside those of the system; absent: none. */
  readonly ca?: string
}

/** Recipients of one mail. */
const recipientsMax = 100

/** Hands a mail in; resolves when the server has taken it for all of its recipients. */
export async function sendMail(server: SmtpServer, mail: Mail): Promise<void> {
  if (mail.to.length === 0 || mail.to.length > recipientsMax) {
    throw new Error(`a mail has 1 to ${recipientsMax} recipients`)
  }
  // WHY first: what can not be written is refused before anybody is called.
  const text = mailText(mail)
  const line = await openSmtpLine(server)
  try {
    await greet(line, server)
    await expectReply(line, `MAIL FROM:<${bareAddress(mail.from)}>`, 250)
    for (const to of mail.to) await expectReply(line, `RCPT TO:<${bareAddress(to)}>`, 250)
    await expectReply(line, 'DATA', 354)
    await expectReply(line, `${dotted(text)}\r\n.`, 250)
    line.send('QUIT')
  } finally {
    line.close()
  }
}

async function greet(line: SmtpLine, server: SmtpServer): Promise<void> {
  await expectReply(line, null, 220)
  let offers = await hello(line)
  if (server.secure === 'starttls') {
    if (!offers.includes('STARTTLS')) throw new Error('the mail server offers no STARTTLS')
    await expectReply(line, 'STARTTLS', 220)
    await line.secure()
    offers = await hello(line)
  }
  if (server.user === undefined) return
  // WHY: a password over an open line is everybody's.
  if (server.secure === 'none' && !isLoopback(server.host)) {
    throw new Error('a password needs `secure`: `tls` or `starttls`')
  }
  const { user, passwordFile } = server
  const password = passwordFile === undefined ? '' : secretIn(passwordFile)
  await logIn(line, offers, { user, password })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** What the server offers, in capitals. */
async function hello(line: SmtpLine): Promise<readonly string[]> {
  const name = /^[A-Za-z0-9.-]+$/.test(hostname()) ? hostname() : 'localhost'
  const lines = await expectReply(line, `EHLO ${name}`, 250)
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
    await expectReply(line, `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235)
    return
  }
  if (!ways.includes('LOGIN')) throw new Error('the mail server offers no way to log in')
  await expectReply(line, 'AUTH LOGIN', 334)
  await expectReply(line, base64(user), 334)
  await expectReply(line, base64(password), 235)
}

const addressForm = /^[\x21-\x7e]{1,200}@[A-Za-z0-9.-]{1,200}$/

/** The address of `Name <address>` or by itself; nothing that could end the command. */
export function bareAddress(text: string): string {
  const inner = /^[^<>\r\n]*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text
  const address = inner.trim()
  if (addressForm.test(address) && !/[<>"\\,;]/.test(address)) return address
  throw new Error(`\`${JSON.stringify(text).slice(1, -1)}\` is no address that mail can be sent to`)
}

/** A line that begins with a dot would end the mail. */
function dotted(text: string): string {
  return text.replace(/^\./gm, '..')
}
