/**
 * Sends one mail to people over SMTP. Knows addresses. Must not know the protocol.
 */
import { type SmtpServerAddress as Server, submitMail } from '../smtp/submit-mail.ts'
import { mailText, type NotificationMail } from './mail-text.ts'
import { readSecretFile } from './read-secret.ts'

export type { NotificationMail } from './mail-text.ts'

/** Where mail is handed in. */
export type NotifySmtpServer = Omit<Server, 'password'> & {
  /** Read when it is needed, and not kept. */
  readonly passwordFile?: string
}

/** Recipients of one mail. */
const recipientsMax = 100

/** Hands a mail in; resolves when the server has taken it for all of its recipients. */
export async function sendMail(server: NotifySmtpServer, mail: NotificationMail): Promise<void> {
  if (mail.to.length === 0 || mail.to.length > recipientsMax) {
    throw new Error(`a mail has 1 to ${recipientsMax} recipients`)
  }
  // WHY first: what can not be written is refused before anybody is called.
  const text = mailText(mail)
  const { passwordFile, ...where } = server
  const password =
    passwordFile === undefined ? {} : { password: () => readSecretFile(passwordFile) }
  const envelope = { from: bareAddress(mail.from), to: mail.to.map(bareAddress), text }
  const handed = await submitMail({ ...where, ...password }, envelope)
  if (handed.kind !== 'taken') throw new Error(handed.why)
}

const addressForm = /^[\x21-\x7e]{1,200}@[A-Za-z0-9.-]{1,200}$/

/** The address of `Name <address>` or by itself; nothing that could end the command. */
export function bareAddress(text: string): string {
  const inner = /^[^<>\r\n]*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text
  const address = inner.trim()
  if (addressForm.test(address) && !/[<>"\\,;]/.test(address)) return address
  throw new Error(`\`${JSON.stringify(text).slice(1, -1)}\` is no address that mail can be sent to`)
}
