/**
 * Sends one mail to people over SMTP. Knows addresses. Must not know the protocol.
 */
import { composeMail, type SmtpServerAddress as Server, submitMail } from '../smtp/submit-mail.ts'
import { readSecretFile } from './read-secret.ts'

export type NotificationMail = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The same for every try, so that a second copy is recognized as the same mail. */
  readonly id: string
  readonly at: number
}

/** The server that mail is submitted to. */
export type NotifySmtpServer = Omit<Server, 'password'> & {
  /** Read when it is needed, and not kept. */
  readonly passwordFile?: string
}

/** Recipients of one mail. */
const recipientsMax = 100

/** Submits a mail; resolves when the server has taken it for all of its recipients. */
export async function sendMail(server: NotifySmtpServer, mail: NotificationMail): Promise<void> {
  if (mail.to.length === 0 || mail.to.length > recipientsMax) {
    throw new Error(`a mail has 1 to ${recipientsMax} recipients`)
  }
  // WHY first: a mail that cannot be written is refused before any connection is made.
  const raw = await composeNotification(mail)
  const { passwordFile, ...where } = server
  const password =
    passwordFile === undefined ? {} : { password: () => readSecretFile(passwordFile) }
  const envelope = { from: bareAddress(mail.from), to: mail.to.map(bareAddress), raw }
  const submitted = await submitMail({ ...where, ...password }, envelope)
  if (submitted.kind !== 'taken') throw new Error(submitted.why)
}

/** The bytes of a mail; throws when an address cannot be read. */
export async function composeNotification(mail: NotificationMail): Promise<Buffer> {
  const { from, to, subject, text, id, at } = mail
  return composeMail({
    ...{ from: namedAddress(from), to: to.map(namedAddress), subject, text },
    date: new Date(at),
    messageId: `<${id.replace(/[^A-Za-z0-9._-]/g, '-')}@pawl.invalid>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}

/** An address and the name beside it. WHY not a text: a library could read it differently. */
function namedAddress(text: string): { readonly name: string; readonly address: string } {
  const address = bareAddress(text)
  const before = text.slice(0, Math.max(text.lastIndexOf('<'), 0)).trim()
  return { name: before.replace(/^"(.*)"$/, '$1'), address }
}

const addressForm = /^[\x21-\x7e]{1,200}@[A-Za-z0-9.-]{1,200}$/

/** The address of `Name <address>` or by itself; nothing that could end the command. */
export function bareAddress(text: string): string {
  const inner = /^[^<>\r\n]*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text
  const address = inner.trim()
  if (addressForm.test(address) && !/[<>"\\,;]/.test(address)) return address
  throw new Error(
    `\`${JSON.stringify(text).slice(1, -1)}\` is not an address that mail can be sent to`,
  )
}
