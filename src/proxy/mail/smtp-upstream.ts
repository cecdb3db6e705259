/**
 * A mail server as an upstream. It knows no keys, so that nothing is ever tried twice: what was
 * said and not answered counts as sent, and is told as not known.
 */
import { bareText } from '../../core/mail/address.ts'
import type { Mail } from '../../core/mail/read-mail.ts'
import { type SmtpServerAddress, submitMail } from '../../smtp/submit-mail.ts'
import { mimeText } from './mime.ts'
import type { MailSent, MailUpstream } from './upstream.ts'

export function openSmtpUpstream(server: SmtpServerAddress, now: () => number): MailUpstream {
  return {
    name: 'smtp',
    knowsKeys: false,
    send: async ({ mails, key }) => {
      const ids: string[] = []
      const scheduled = mails.some((mail) => mail.scheduledAt !== null)
      if (scheduled) return refused(422, '`scheduled_at` is not taken: the server sends at once')
      for (const [index, mail] of mails.entries()) {
        const messageId = `${key}.${index}@${mail.from.domain}`
        const handed = await submitMail(server, envelopeOf(mail, { messageId, at: now() }))
        if (handed.kind === 'taken') ids.push(messageId)
        // Some of the batch are gone already: what became of the whole is not known.
        else if (handed.kind === 'unclear' || ids.length > 0) return notKnown(handed.why)
        else return refused(502, handed.why)
      }
      return { kind: 'sent', ids }
    },
  }
}

function envelopeOf(mail: Mail, stamp: Parameters<typeof mimeText>[1]) {
  const to = [...mail.to, ...mail.cc, ...mail.bcc].map(bareText)
  return { from: bareText(mail.from), to: [...new Set(to)], text: mimeText(mail, stamp) }
}

function refused(statusCode: number, message: string): MailSent {
  const name = statusCode === 422 ? 'validation_error' : 'application_error'
  return { kind: 'refused', refused: { statusCode, name, message } }
}

function notKnown(why: string): MailSent {
  return { kind: 'unclear', why }
}
