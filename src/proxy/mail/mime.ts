/**
 * A mail as the text that goes over the line (RFC 5322, MIME): headers that nothing can break out
 * of, bodies in base64 so that no letter is changed on the way. Who gets a blind copy is not in it.
 */
import { type Address, bareText } from '../../core/mail/address.ts'
import type { Attachment, Mail } from '../../core/mail/read-mail.ts'

export type MailStamp = { readonly messageId: string; readonly at: number }

/** The text of a mail, with CRLF at the ends of lines. */
export function mimeText(mail: Mail, { messageId, at }: MailStamp): string {
  const { text, html, attachments } = mail
  const bodies = [
    ...(text === null ? [] : [bodyPart('text/plain', text)]),
    ...(html === null ? [] : [bodyPart('text/html', html)]),
  ]
  const [only = ''] = bodies
  const border = messageId.replace(/[^A-Za-z0-9]/g, '').slice(0, 50)
  const body = bodies.length === 1 ? only : joined('alternative', `b${border}`, bodies)
  const files = attachments.map(filePart)
  const whole = files.length === 0 ? body : joined('mixed', `m${border}`, [body, ...files])
  return `${[...headersOf(mail, { messageId, at }), whole].join('\r\n')}`
}

function headersOf(mail: Mail, { messageId, at }: MailStamp): readonly string[] {
  const list = (name: string, addresses: readonly Address[]): readonly string[] =>
    addresses.length === 0 ? [] : [`${name}: ${addresses.map(shown).join(',\r\n ')}`]
  return [
    ...list('From', [mail.from]),
    ...list('To', mail.to),
    ...list('Cc', mail.cc),
    ...list('Reply-To', mail.replyTo),
    `Subject: ${words(mail.subject)}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${messageId}>`,
    ...Object.entries(mail.headers).map(([name, value]) => `${name}: ${words(value)}`),
    'MIME-Version: 1.0',
  ]
}

function shown(address: Address): string {
  const { name } = address
  if (name === '') return bareText(address)
  return `${/^[A-Za-z0-9 ]+$/.test(name) ? name : encoded(name)} <${bareText(address)}>`
}

function bodyPart(type: string, text: string): string {
  const headers = [`Content-Type: ${type}; charset=utf-8`, 'Content-Transfer-Encoding: base64']
  return [...headers, '', ...folded(Buffer.from(text).toString('base64'))].join('\r\n')
}

function filePart({ filename, content, contentType, contentId }: Attachment): string {
  const isType = contentType !== null && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(contentType)
  const isId = contentId !== null && /^[\w.@-]{1,200}$/.test(contentId)
  const name = encodeURIComponent(filename).replace(/['()*]/g, hexOf)
  return [
    `Content-Type: ${isType ? contentType : 'application/octet-stream'}`,
    `Content-Disposition: ${isId ? 'inline' : 'attachment'}; filename*=utf-8''${name}`,
    ...(isId ? [`Content-ID: <${contentId}>`] : []),
    'Content-Transfer-Encoding: base64',
    '',
    ...folded(content.replace(/\s+/g, '')),
  ].join('\r\n')
}

function hexOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
}

function folded(base64: string): readonly string[] {
  return base64.match(/.{1,76}/g) ?? []
}

function joined(kind: string, border: string, parts: readonly string[]): string {
  return [
    `Content-Type: multipart/${kind}; boundary="${border}"`,
    '',
    ...parts.flatMap((part) => [`--${border}`, part]),
    `--${border}--`,
  ].join('\r\n')
}

/** A text for a header: plain and short as it is, else as encoded words (RFC 2047). */
function words(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text.length <= 200 && !text.includes('=?')
  return isPlain ? text : encoded(text)
}

/** Bytes of a word that stay within 75 letters once they are encoded. */
const wordBytesMax = 42

function encoded(text: string): string {
  const pieces: string[] = ['']
  for (const letter of text) {
    const last = pieces.length - 1
    const longer = `${pieces[last]}${letter}`
    if (Buffer.byteLength(longer) > wordBytesMax) pieces.push(letter)
    else pieces[last] = longer
  }
  return pieces.map((piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`).join('\r\n ')
}
