/**
 * The channels: each formats a message and delivers it once. A fault means that it has to be tried
 * again; no fault contains the message.
 */
import { assertNever } from '../core/assert.ts'
import { showDesktop } from './desktop.ts'
import type { Notification } from './message.ts'
import { postJson, signed } from './post-json.ts'
import { readSecretFile } from './read-secret.ts'
import type { Channel } from './settings.ts'
import { sendMail } from './smtp.ts'

/** What channels use of this machine. */
export type ChannelTools = {
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
}

type ChannelOf<T extends Channel['type']> = Extract<Channel, { type: T }>

/** Hands a message over; resolves when the other side has taken it. */
export function sendMessage(
  channel: Channel,
  message: Notification,
  machine: ChannelTools,
): Promise<void> {
  switch (channel.type) {
    case 'webhook':
      return sendWebhook(channel, message)
    case 'mail':
      return sendMail(channel, mailOf(channel, message))
    case 'slack':
      return sendSlack(channel, message)
    case 'ntfy':
      return sendNtfy(channel, message)
    case 'desktop':
      return showDesktop(message, machine)
    default:
      return assertNever(channel)
  }
}

function sendWebhook(
  { url, secretFile }: ChannelOf<'webhook'>,
  message: Notification,
): Promise<void> {
  const { id, kind, at, title, text, link, facts } = message
  const body = JSON.stringify({ ...facts, id, kind, at, title, text, link })
  const secret = secretFile === undefined ? null : readSecretFile(secretFile)
  return postJson(url, body, { 'idempotency-key': id, ...signed(secret, id, body) })
}

function mailOf(
  { from, to }: ChannelOf<'mail'>,
  message: Notification,
): Parameters<typeof sendMail>[1] {
  const { id, title, text } = message
  return { from, to, subject: `[pawl] ${title}`, text: `${text}\n`, id, at: Date.now() }
}

function sendSlack({ url }: ChannelOf<'slack'>, { id, title, text }: Notification): Promise<void> {
  // WHY: three marks mean something to Slack, and could call everybody in the room.
  const safe = `${title}\n${text}`
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
  return postJson(url, JSON.stringify({ text: safe }), { 'idempotency-key': id })
}

/** Characters of a push; a longer one would be sent as a file. */
const ntfyCharsMax = 3_500

function sendNtfy(channel: ChannelOf<'ntfy'>, message: Notification): Promise<void> {
  const { server, topic, tokenFile } = channel
  const { id, title, text, link, kind } = message
  const isAsking = kind === 'gate' || kind === 'ask' || kind === 'notify_human'
  const body = {
    topic,
    title,
    message: text.length <= ntfyCharsMax ? text : `${text.slice(0, ntfyCharsMax)}…`,
    priority: isAsking ? 4 : 3,
    ...(link === null ? {} : { click: link }),
  }
  const token =
    tokenFile === undefined ? {} : { authorization: `Bearer ${readSecretFile(tokenFile)}` }
  return postJson(server, JSON.stringify(body), { 'idempotency-key': id, ...token })
}
