/**
 * A mail as the text that goes over the line (RFC 5322, MIME): headers that nothing can break out
 * of, bodies in base64 so that no letter is changed on the way.
 */

export type NotificationMail = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Names the mail for ever: a copy that comes twice is the same mail. */
  readonly id?: string
  readonly at?: number
}

/** The text of a mail, with CRLF at the ends of lines. */
export function mailText(mail: NotificationMail): string {
  const { from, to, subject, text, html, id, at } = mail
  const headers = [
    `From: ${addressHeader(from)}`,
    `To: ${to.map(addressHeader).join(',\r\n ')}`,
    `Subject: ${words(subject)}`,
    ...(at === undefined ? [] : [`Date: ${dateText(at)}`]),
    ...(id === undefined ? [] : [`Message-ID: <${idText(id)}@pawl.invalid>`]),
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
  ]
  const plain = part('text/plain', text)
  if (html === undefined) return [...headers, plain].join('\r\n')
  const border = `=_pawl_${idText(id ?? 'mail')}`
  return [
    ...headers,
    `Content-Type: multipart/alternative; boundary="${border}"`,
    '',
    `--${border}`,
    plain,
    `--${border}`,
    part('text/html', html),
    `--${border}--`,
  ].join('\r\n')
}

function part(type: string, text: string): string {
  const lines =
    Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  const headers = [`Content-Type: ${type}; charset=utf-8`, 'Content-Transfer-Encoding: base64']
  return [...headers, '', ...lines].join('\r\n')
}

/** Bytes of a word that stay within 75 letters once they are encoded. */
const wordBytesMax = 42

/** A text for a header: ASCII as it is, else as encoded words (RFC 2047). Never a line's end. */
function words(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text.length <= 200 && !text.includes('=?')
  return isPlain ? text : encodedWords(text)
}

function encodedWords(text: string): string {
  const encoded: string[] = []
  let piece = ''
  const push = (): void => {
    encoded.push(`=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`)
    piece = ''
  }
  for (const letter of text) {
    if (Buffer.byteLength(piece + letter) > wordBytesMax) push()
    piece += letter
  }
  push()
  return encoded.join('\r\n ')
}

/** `Name <address>` with a name that is only a name, or the address by itself. */
function addressHeader(text: string): string {
  const [, name = '', inner = text] = /^(.*?)<([^<>]*)>\s*$/s.exec(text) ?? []
  if (/[\r\n]/.test(text)) throw new Error('an address is one line')
  const address = inner.trim()
  const shown = name.trim().replace(/^"(.*)"$/, '$1')
  if (shown === '') return address
  const isPlain = /^[A-Za-z0-9 ._-]+$/.test(shown)
  return `${isPlain ? shown : encodedWords(shown)} <${address}>`
}

function idText(id: string): string {
  return id.replace(/[^A-Za-z0-9._-]/g, '-')
}

function dateText(at: number): string {
  return new Date(at).toUTCString().replace('GMT', '+0000')
}
