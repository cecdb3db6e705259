/**
 * A mail server as an upstream. SMTP has no idempotency keys, so nothing is tried twice: a mail
 * that was submitted without a reply counts as sent, and is reported as unknown.
 */
import { type Address, bareText } from '../../core/mail/address.ts'
import type { Attachment, Mail } from '../../core/mail/read-mail.ts'
import {
  composeMail,
  type MailEnvelope,
  type SmtpServerAddress,
  submitMail,
} from '../../smtp/submit-mail.ts'
import type { MailSent, MailUpstream } from './upstream.ts'

export function openSmtpUpstream(server: SmtpServerAddress, now: () => number): MailUpstream {
  return {
    name: 'smtp',
    knowsKeys: false,
    send: async ({ mails, key }) => {
      const ids: string[] = []
      const scheduled = mails.some((mail) => mail.scheduledAt !== null)
      if (scheduled)
        return refused(422, '`scheduled_at` is not supported: the server sends immediately')
      for (const [index, mail] of mails.entries()) {
        const messageId = `${key}.${index}@${mail.from.domain}`
        const envelope = await envelopeOf(mail, { messageId, date: new Date(now()) })
        const submitted = await submitMail(server, envelope)
        if (submitted.kind === 'taken') ids.push(messageId)
        // Some of the batch are gone already: what became of the whole is not known.
        else if (submitted.kind === 'unclear' || ids.length > 0) return notKnown(submitted.why)
        else return refused(502, submitted.why)
      }
      return { kind: 'sent', ids }
    },
  }
}

type MailStamp = { readonly messageId: string; readonly date: Date }

/** Recipients of blind copies are in the envelope only. */
async function envelopeOf(mail: Mail, { messageId, date }: MailStamp): Promise<MailEnvelope> {
  const to = [...mail.to, ...mail.cc, ...mail.bcc].map(bareText)
  const raw = await composeMail({
    ...{ from: named(mail.from), to: mail.to.map(named), cc: mail.cc.map(named) },
    ...{ replyTo: mail.replyTo.map(named), subject: mail.subject, headers: mail.headers },
    ...{ text: mail.text ?? undefined, html: mail.html ?? undefined },
    ...{ attachments: mail.attachments.map(attachmentOf), messageId: `<${messageId}>`, date },
  })
  return { from: bareText(mail.from), to: [...new Set(to)], raw }
}

function named(address: Address): { readonly name: string; readonly address: string } {
  return { name: address.name, address: bareText(address) }
}

/** WHY not `multipart` and `message`: their contents would be read as parts of this mail. */
const plainType = /^(?!multipart\/|message\/)[\w.+-]{1,60}\/[\w.+-]{1,60}$/i

const contentIdForm = /^[\w.@-]{1,200}$/

function attachmentOf({ filename, content, contentType, contentId }: Attachment) {
  const isInline = contentId !== null && contentIdForm.test(contentId)
  const isPlain = contentType !== null && plainType.test(contentType)
  return {
    ...{ filename, content, encoding: 'base64', contentTransferEncoding: 'base64' },
    contentType: isPlain ? contentType : 'application/octet-stream',
    contentDisposition: isInline ? 'inline' : 'attachment',
    ...(isInline ? { cid: contentId } : {}),
  }
}

function refused(statusCode: number, message: string): MailSent {
  const name = statusCode === 422 ? 'validation_error' : 'application_error'
  return { kind: 'refused', refused: { statusCode, name, message } }
}

function notKnown(why: string): MailSent {
  return { kind: 'unclear', why }
}
