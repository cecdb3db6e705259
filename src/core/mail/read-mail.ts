/**
 * Parses a mail in the format of Resend's API, field by field. What is not understood is rejected,
 * and the outgoing mail is built from what was parsed.
 */
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'
import { type Address, addressText, readAddress } from './address.ts'

export type Mail = {
  readonly from: Address
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly bcc: readonly Address[]
  readonly replyTo: readonly Address[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly attachments: readonly Attachment[]
  readonly tags: readonly { readonly name: string; readonly value: string }[]
  readonly scheduledAt: string | null
}

export type Attachment = {
  readonly filename: string
  /** In base64. */
  readonly content: string
  readonly contentType: string | null
  readonly contentId: string | null
}

type MailRead =
  | { readonly ok: true; readonly mail: Mail }
  | { readonly ok: false; readonly reason: string }

const addressesMax = 50
const headersMax = 50
const attachmentsMax = 50
const tagsMax = 50
/** Letters of one line of a mail. */
const lineCharsMax = 998

/** The mail in a value. */
export function readMail(body: Json): MailRead {
  try {
    const fields = asObject(body)
    if (fields === null) throw unreadable('a mail must be an object')
    return { ok: true, mail: mailIn(fields) }
  } catch (fault) {
    const isOurs = fault instanceof Error && fault.name === 'Unreadable'
    if (isOurs) return { ok: false, reason: fault.message }
    throw fault
  }
}

/** WHY thrown: a field deep inside ends the reading of the whole, and nothing else does. */
function unreadable(reason: string): Error {
  return Object.assign(new Error(reason), { name: 'Unreadable' })
}

const known: ReadonlySet<string> = new Set(
  'from to cc bcc reply_to subject text html headers attachments tags scheduled_at'.split(' '),
)

function mailIn(fields: JsonObject): Mail {
  const stranger = Object.keys(fields).find((key) => !known.has(key) && fields[key] !== null)
  if (stranger !== undefined) throw unreadable(`the field \`${visible(stranger)}\` is not accepted`)
  const from = own(fields, 'from')
  if (typeof from !== 'string') throw unreadable('the field `from` must be one address')
  const mail = {
    from: addressIn('from', from),
    to: addressesIn(fields, 'to'),
    cc: addressesIn(fields, 'cc'),
    bcc: addressesIn(fields, 'bcc'),
    replyTo: addressesIn(fields, 'reply_to'),
    subject: lineIn(fields, 'subject') ?? '',
    text: bodyIn(fields, 'text'),
    html: bodyIn(fields, 'html'),
    headers: headersIn(fields),
    attachments: attachmentsIn(fields),
    tags: tagsIn(fields),
    scheduledAt: lineIn(fields, 'scheduled_at'),
  }
  if (mail.to.length === 0) throw unreadable('the field `to` needs at least one address')
  if (mail.text === null && mail.html === null) {
    throw unreadable('a mail needs `text` or `html`')
  }
  return mail
}

function addressesIn(fields: JsonObject, field: string): readonly Address[] {
  const value = own(fields, field) ?? null
  if (value === null) return []
  const texts: readonly Json[] = Array.isArray(value) ? value : [value as Json]
  if (texts.length > addressesMax) {
    throw unreadable(`the field \`${field}\` can have at most ${addressesMax} addresses`)
  }
  return texts.map((text) => {
    if (typeof text !== 'string')
      throw unreadable(`the field \`${field}\` must be an address or a list of addresses`)
    return addressIn(field, text)
  })
}

function addressIn(field: string, text: string): Address {
  const address = readAddress(text)
  if (address !== null) return address
  throw unreadable(`\`${visible(text)}\` in \`${field}\` is not a single plain address`)
}

function visible(text: string): string {
  return JSON.stringify(text.slice(0, 100)).slice(1, -1)
}

/** Controls, ends of lines, and letters that are not seen. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

function lineIn(fields: JsonObject, field: string): string | null {
  const value = own(fields, field) ?? null
  if (value === null) return null
  if (typeof value === 'string') return lineOf(`the field \`${field}\``, value)
  throw unreadable(`the field \`${field}\` must be a string`)
}

function lineOf(what: string, value: string): string {
  if (value.length > lineCharsMax) throw unreadable(`${what} is too long`)
  // WHY these two may stay: words of many languages and families of signs are joined by them.
  if (unseen.test(value.replace(/[\u200c\u200d]/g, ''))) {
    throw unreadable(`${what} contains a line break or an invisible character`)
  }
  return value
}

function bodyIn(fields: JsonObject, field: string): string | null {
  const value = own(fields, field) ?? null
  if (value === null || typeof value === 'string') return value
  throw unreadable(`the field \`${field}\` must be a string`)
}

/** Headers that say nothing about who gets a mail, from whom, or who is told of it. */
const plainHeaders: ReadonlySet<string> = new Set(
  `references in-reply-to list-unsubscribe list-unsubscribe-post precedence auto-submitted
  importance priority feedback-id`.split(/\s+/),
)
/** Of those with `X-`: marks for whoever reads a mail. Others steer servers and providers. */
const plainMarks: ReadonlySet<string> = new Set(
  `x-priority x-entity-ref-id x-ref x-reference-id x-request-id x-correlation-id x-campaign-id
  x-message-id x-ticket-id x-order-id x-mailer x-auto-response-suppress`.split(/\s+/),
)

function isPlainHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return plainHeaders.has(lower) || plainMarks.has(lower)
}

function headersIn(fields: JsonObject): Readonly<Record<string, string>> {
  const value = own(fields, 'headers') ?? null
  if (value === null) return {}
  const headers = asObject(value)
  if (headers === null) throw unreadable('the field `headers` must be an object')
  const entries = Object.entries(headers)
  if (entries.length > headersMax) throw unreadable(`at most ${headersMax} headers are accepted`)
  return Object.fromEntries(entries.map(([name, text]) => [name, headerIn(name, text)]))
}

function headerIn(name: string, text: Json): string {
  if (!isPlainHeader(name)) {
    throw unreadable(`the header \`${visible(name)}\` is not accepted`)
  }
  if (typeof text !== 'string') throw unreadable(`the header \`${name}\` must be a string`)
  const line = lineOf(`the header \`${name}\``, text)
  if (/^list-unsubscribe$/i.test(name) && !/^(?:<https:\/\/[^<>\s,]+>)$/.test(line)) {
    throw unreadable('the header `List-Unsubscribe` must be one `<https://…>`')
  }
  return line
}

function attachmentsIn(fields: JsonObject): readonly Attachment[] {
  return listIn(fields, 'attachments', attachmentsMax).map((one) => {
    const stranger = Object.keys(one).find((key) => !attachmentFields.has(key) && one[key] !== null)
    if (stranger !== undefined) {
      const why = stranger === 'path' ? ': nobody could review the content' : ''
      throw unreadable(`\`${visible(stranger)}\` of an attachment is not accepted${why}`)
    }
    const content = own(one, 'content')
    if (typeof content !== 'string' || !base64Form.test(content.trimEnd())) {
      throw unreadable('the `content` of an attachment must be base64')
    }
    return {
      filename: lineIn(one, 'filename') ?? 'attachment',
      content,
      contentType: lineIn(one, 'content_type'),
      contentId: lineIn(one, 'content_id') ?? lineIn(one, 'inline_content_id'),
    }
  })
}

/** WHY nothing behind the end: two parts that take the same letters are tried in every way. */
const base64Form = /^[A-Za-z0-9+/\r\n]*={0,2}$/

const attachmentFields: ReadonlySet<string> = new Set(
  'content filename content_type content_id inline_content_id'.split(' '),
)

function tagsIn(fields: JsonObject): Mail['tags'] {
  return listIn(fields, 'tags', tagsMax).map((one) => {
    const [name, value] = [own(one, 'name'), own(one, 'value')]
    const isTag = [name, value].every(
      (part) => typeof part === 'string' && /^[\w-]{1,256}$/.test(part),
    )
    if (isTag) return { name: String(name), value: String(value) }
    throw unreadable('a tag needs a `name` and a `value` of letters, digits, `_` and `-`')
  })
}

function listIn(fields: JsonObject, field: string, max: number): readonly JsonObject[] {
  const value = own(fields, field) ?? null
  if (value === null) return []
  const objects = Array.isArray(value) ? value.map((one) => asObject(one as Json)) : null
  if (objects === null || objects.includes(null) || objects.length > max) {
    throw unreadable(`the field \`${field}\` must be a list of at most ${max} objects`)
  }
  return objects.filter((one) => one !== null)
}

/** The mail in the words of the API, as it is sent on. */
export function mailBody(mail: Mail): JsonObject {
  const list = (field: string, addresses: readonly Address[]): JsonObject =>
    addresses.length === 0 ? {} : { [field]: addresses.map(addressText) }
  const { text, html, headers, attachments, tags, scheduledAt } = mail
  return {
    from: addressText(mail.from),
    ...list('to', mail.to),
    ...list('cc', mail.cc),
    ...list('bcc', mail.bcc),
    ...list('reply_to', mail.replyTo),
    subject: mail.subject,
    ...(text === null ? {} : { text }),
    ...(html === null ? {} : { html }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(attachmentBody) }),
    ...(tags.length === 0 ? {} : { tags: tags.map((tag) => ({ ...tag })) }),
    ...(scheduledAt === null ? {} : { scheduled_at: scheduledAt }),
  }
}

function attachmentBody({ filename, content, contentType, contentId }: Attachment): JsonObject {
  return {
    ...{ filename, content },
    ...(contentType === null ? {} : { content_type: contentType }),
    ...(contentId === null ? {} : { content_id: contentId }),
  }
}
