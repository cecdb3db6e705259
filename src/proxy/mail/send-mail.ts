/**
 * Sends a mail: parses it, checks it against the definition, has it judged like a call, records
 * it, sends it, and marks it as sent. Every request for the same mail under the same key gets the
 * same answer.
 */
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json, JsonObject } from '../../core/json.ts'
import { hashJson } from '../../core/machine/hash.ts'
import { type Mail, mailBody, readMail } from '../../core/mail/read-mail.ts'
import { mailsMaxOf, ruleOnMail } from '../../core/mail/rule-on-mail.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { endRequest, openRequestJudge, type RequestJudge } from '../judge-request.ts'
import { resendError } from '../resend-error.ts'
import {
  type DoneMail,
  type FoundMail,
  type OpenMail,
  type SentMailLog,
  sentMailKey,
} from './sent-mail.ts'
import type { MailSent, MailUpstream } from './upstream.ts'

type PostOptions = {
  readonly runtime: Runtime
  readonly ledger: SentMailLog
  readonly upstream: MailUpstream
  readonly askWaitMs: number
  readonly now: () => number
  /** Other processes may send what is left open, too. */
  readonly isShared: boolean
  readonly log: (what: string, about: JsonObject) => void
}

type MailRequest = {
  readonly runId: string
  readonly kind: 'one' | 'batch'
  readonly body: Json
  /** The agent's own; null: it sends none, and does not retry. */
  readonly idempotencyKey: string | null
}

export type MailSender = {
  /** The answer of the API; what is refused is thrown. */
  readonly send: (request: MailRequest) => Promise<JsonObject>
  /** Tries what was left open again; gives how many. */
  readonly resume: () => Promise<number>
  readonly close: () => Promise<void>
}

/** The name that policies, tool lists and people give it. */
const mailTool = 'mail:send'

const batchMax = 100
const keyCharsMax = 256
const triesMax = 3
const tryMsMax = 20_000
const pauseMs = 250
const leaseMs = 120_000
const closeRoundsMax = 100
/** What is refused for a reason that a person has to mend: our key, the line. */
const upstreamFault = 502
/** Keys of the provider are good for a day. */
const resumeMsMax = 23 * 3_600_000

type MailContext = PostOptions & {
  readonly judge: RequestJudge
  /** What is underway here. */
  readonly busy: Map<string, Promise<unknown>>
  readonly closing: AbortController
}

export function openMailSender(options: PostOptions): MailSender {
  const judge = openRequestJudge(options)
  const context: MailContext = {
    ...options,
    judge,
    busy: new Map(),
    closing: new AbortController(),
  }
  return {
    send: (request) => send(context, request),
    resume: () => resume(context),
    close: async () => {
      context.closing.abort()
      // WHY again and again: a mail that ends begins to be crossed off and reported.
      for (let rounds = 0; context.busy.size > 0 && rounds < closeRoundsMax; rounds += 1) {
        await Promise.allSettled(context.busy.values())
      }
      if (context.busy.size > 0)
        context.log('mails were still being sent at shutdown', { count: context.busy.size })
    },
  }
}

async function send(context: MailContext, request: MailRequest): Promise<JsonObject> {
  const { runId, kind, idempotencyKey } = request
  if (idempotencyKey !== null && !isKey(idempotencyKey)) {
    resendError(
      400,
      'invalid_idempotency_key',
      `an idempotency key has 1 to ${keyCharsMax} printable ASCII characters`,
    )
  }
  const mails = readMails(request)
  const bodies = mails.map(mailBody)
  const content = hashJson({ kind, bodies } as unknown as JsonObject)
  const key = sentMailKey(runId, idempotencyKey ?? randomUUID())
  // It is crossed off in a moment, and then there is an answer.
  await context.busy.get(settlingKey(key))
  if (context.busy.has(key)) return concurrent()
  return hold(context, key, async () => {
    const found = await context.ledger.find(key)
    if (found !== null) return repeat(context, { key, content }, found)
    const mailsMax = await ruleOn(context, runId, mails)
    const callId = await context.judge(runId, { tool: mailTool, input: shownInput(kind, bodies) })
    const at = context.now()
    const mail: OpenMail = {
      ...{ runId, hash: content, key: `pawl-${hash('sha256', `${key} ${at}`)}`, kind, bodies },
      ...{ callId, begunAt: at, leaseUntil: at + leaseMs },
    }
    const begun = await context.ledger.begin(key, mail, mailsMax)
    if (begun === 'begun') return deliver(context, { key, mail, doubt: null })
    await report(context, mail, 'failed')
    return begun === 'full' ? full(mailsMax) : concurrent()
  })
}

function isKey(text: string): boolean {
  return text.length <= keyCharsMax && /^[\x21-\x7e]+$/.test(text)
}

async function hold<T>({ busy }: MailContext, key: string, act: () => Promise<T>): Promise<T> {
  const acting = act()
  busy.set(key, acting)
  try {
    return await acting
  } finally {
    busy.delete(key)
  }
}

function concurrent(): never {
  return resendError(
    409,
    'concurrent_idempotent_requests',
    'a request with this idempotency key is in progress: try again in a moment',
  )
}

function full(mailsMax: number | null): never {
  const most = `max_emails_per_session of email_config is ${mailsMax}`
  return resendError(
    429,
    'daily_quota_exceeded',
    `${most}, which this would exceed; nothing was sent`,
  )
}

function readMails({ kind, body }: MailRequest): readonly Mail[] {
  if (kind === 'batch' && (!Array.isArray(body) || body.length < 1 || body.length > batchMax)) {
    resendError(
      422,
      'validation_error',
      `a batch must be a list of 1 to ${batchMax} mails; nothing was sent`,
    )
  }
  const list = kind === 'batch' ? (body as readonly Json[]) : [body]
  return list.map((one, index) => {
    const read = readMail(one)
    if (read.ok) return read.mail
    const which = kind === 'batch' ? `mail ${index + 1} of the batch: ` : ''
    return resendError(422, 'validation_error', `${which}${read.reason}; nothing was sent`)
  })
}

/** Holds mails to the definition before anybody is asked; gives how many may be sent in all. */
async function ruleOn(
  context: MailContext,
  runId: string,
  mails: readonly Mail[],
): Promise<number | null> {
  const rules = await context.runtime.mailRules(runId)
  if (rules.length === 0) {
    const why = 'the definition of this run does not allow mail'
    return resendError(403, 'validation_error', `${why}; its author can add \`email_config\``)
  }
  for (const mail of mails) {
    for (const rule of rules) {
      const wrong = ruleOnMail(rule, mail)
      if (wrong !== null) resendError(403, 'validation_error', `${wrong}; nothing was sent`)
    }
  }
  const mailsMax = mailsMaxOf(rules)
  if (mailsMax !== null && (await context.ledger.countOf(runId)) + mails.length > mailsMax) {
    full(mailsMax)
  }
  return mailsMax
}

/** What a person sees: everything that is sent; of attachments the name, size and hash. */
function shownInput(kind: MailRequest['kind'], bodies: readonly JsonObject[]): JsonObject {
  const shown = bodies.map(({ attachments, ...body }) => {
    if (!Array.isArray(attachments)) return body
    return { ...body, attachments: attachments.map((one) => shownAttachment(one as JsonObject)) }
  })
  const [first = {}] = shown
  return kind === 'batch' ? { mails: shown } : first
}

function shownAttachment({ content, ...rest }: JsonObject): JsonObject {
  const bytes = Buffer.from(String(content), 'base64')
  return { ...rest, bytes: bytes.length, sha256: hash('sha256', bytes) }
}

type KeyedContent = { readonly key: string; readonly content: string }

/** The same request again: the same answer, or one more try of what was left open. */
async function repeat(
  context: MailContext,
  { key, content }: KeyedContent,
  found: NonNullable<FoundMail>,
): Promise<JsonObject> {
  if (found.mail.hash !== content) {
    return resendError(
      409,
      'invalid_idempotent_request',
      'this idempotency key was used for another mail',
    )
  }
  if (found.state === 'done') return answerOf(found.mail)
  const until = context.now() + leaseMs
  const isFree = !context.isShared || found.mail.leaseUntil <= context.now()
  const lease = { version: found.version, until }
  if (!isFree || !(await context.ledger.lease(key, found.mail, lease))) return concurrent()
  return tryAgain(context, key, found.mail)
}

function answerOf({ end, kind }: DoneMail): JsonObject {
  switch (end.kind) {
    case 'sent':
      return kind === 'batch' ? { data: end.ids.map((id) => ({ id })) } : { id: end.ids[0] ?? '' }
    case 'refused':
      return resendError(end.refused.statusCode, end.refused.name, end.refused.message)
    case 'unknown':
      return resendError(500, 'application_error', unknownText)
  }
}

const unknownText = 'it is unknown whether this was sent, and it is not retried'

/** What an earlier life left open. An upstream that knows no keys could send it twice. */
async function tryAgain(context: MailContext, key: string, mail: OpenMail): Promise<JsonObject> {
  const isTooOld = context.now() - mail.begunAt > resumeMsMax
  if (context.upstream.knowsKeys && !isTooOld) {
    return deliver(context, { key, mail, doubt: { kind: 'unclear', why: 'it was tried before' } })
  }
  context.log('it is unknown whether a mail was sent', { runId: mail.runId, key })
  return finish(context, { key, mail }, { kind: 'unknown' })
}

type Unclear = Extract<MailSent, { kind: 'unclear' }>
type Delivery = {
  readonly key: string
  readonly mail: OpenMail
  /** What an earlier life may have sent; null: this is the first try. */
  readonly doubt: Unclear | null
}

async function deliver(context: MailContext, { key, mail, doubt }: Delivery): Promise<JsonObject> {
  const sent = await tryToSend(context, mail, doubt)
  if (sent.kind !== 'unclear') return finish(context, { key, mail }, sent)
  context.log('it is still unknown whether a mail was sent', { runId: mail.runId, why: sent.why })
  // Nobody will ever know more: it is never tried again.
  if (!context.upstream.knowsKeys) return finish(context, { key, mail }, { kind: 'unknown' })
  const how = 'ask again with the same idempotency key; Pawl keeps trying'
  return resendError(500, 'application_error', `it is still unknown whether this was sent: ${how}`)
}

/** How it ended; what one try leaves in doubt, no later no makes certain. */
async function tryToSend(
  context: MailContext,
  mail: OpenMail,
  before: Unclear | null,
): Promise<Exclude<MailSent, { kind: 'later' }>> {
  const mails = mail.bodies.map((body) => {
    const read = readMail(body)
    if (read.ok) return read.mail
    throw new Error(`bug: a mail that was read cannot be read again: ${read.reason}`)
  })
  const sendout = { mails, kind: mail.kind, key: mail.key }
  let doubt = before
  let last: MailSent = { kind: 'unclear', why: 'it was not tried' }
  for (let tries = 0; tries < triesMax && !context.closing.signal.aborted; tries += 1) {
    if (tries > 0) await sleep(pauseMs * 2 ** tries)
    const signal = AbortSignal.timeout(tryMsMax)
    last = await context.upstream.send(sendout, signal).catch(unclear)
    if (last.kind === 'unclear') doubt = last
    if (last.kind === 'sent' || last.kind === 'refused' || !context.upstream.knowsKeys) break
  }
  if (last.kind !== 'later') return last
  return doubt ?? { kind: 'refused', refused: last.refused }
}

/** WHY not the cause of the cause: it may hold an address with a password. */
function unclear(fault: unknown): Unclear {
  return { kind: 'unclear', why: fault instanceof Error ? fault.name : 'an error' }
}

type Entry = { readonly key: string; readonly mail: OpenMail }

async function finish(
  context: MailContext,
  { key, mail }: Entry,
  end: DoneMail['end'],
): Promise<JsonObject> {
  if (end.kind === 'refused' && end.refused.statusCode === upstreamFault) {
    const { message: why } = end.refused
    context.log('a mail could not be sent to the provider', {
      runId: mail.runId,
      upstream: context.upstream.name,
      why,
    })
  }
  const settling = context.ledger.settle(key, mail, end)
  // WHY only these are not waited for: what is lost of it is tried again under the same key, which
  // such an upstream has sent already. What was refused must not be tried again.
  const isRepeatable = end.kind === 'sent' && context.upstream.knowsKeys
  if (!isRepeatable) await settling
  else {
    const log = (fault: unknown): void =>
      context.log('a sent mail is not marked as sent yet', { key, fault: String(fault) })
    void hold(context, settlingKey(key), () => settling.catch(log))
  }
  // WHY not awaited: whoever waits for the mail need not wait for the log of it.
  const reporting = report(context, mail, end.kind === 'sent' ? 'ok' : 'failed')
  void hold(context, `report ${key}`, () => reporting)
  return answerOf({ hash: mail.hash, end, kind: mail.kind })
}

function settlingKey(key: string): string {
  return `settle ${key}`
}

type SendResult = 'ok' | 'failed'

/** The record tells what became of it; a mail that was sent is sent, whatever becomes of that. */
async function report(
  context: MailContext,
  { runId, callId }: OpenMail,
  how: SendResult,
): Promise<void> {
  await endRequest(context.runtime, { runId, callId, ok: how === 'ok', bytes: 0 }).catch(
    (fault: unknown) => context.log('a mail could not be reported', { fault: String(fault) }),
  )
}

async function resume(context: MailContext): Promise<number> {
  let count = 0
  for (const { key } of await context.ledger.listOpen()) {
    if (context.busy.has(key) || context.closing.signal.aborted) continue
    if (context.busy.has(settlingKey(key))) continue
    count += 1
    await hold(context, key, async () => {
      const found = await context.ledger.find(key)
      if (found?.state !== 'open') return
      await repeat(context, { key, content: found.mail.hash }, found)
    }).catch(() => undefined)
  }
  return count
}
