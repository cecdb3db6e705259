/**
 * Records of sent mail, kept as documents: a mail is recorded and counted before it is sent, and
 * marked as sent afterwards, so that a crash in between loses nothing.
 */
import { hash } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import type { DocumentChange, DocumentStore, StoredDocument } from '../../runtime/ports.ts'
import type { ResendProblem } from '../resend-error.ts'

/** Being sent. */
export type OpenMail = {
  readonly runId: string
  /** Of what is sent: the same key for something else is a mistake. */
  readonly hash: string
  /** The upstream's key. */
  readonly key: string
  readonly kind: 'one' | 'batch'
  readonly bodies: readonly JsonObject[]
  readonly callId: string | null
  readonly begunAt: number
  /** Nobody else tries before. */
  readonly leaseUntil: number
}

/** Over, one way or the other. */
export type DoneMail = {
  readonly hash: string
  readonly end:
    | { readonly kind: 'sent'; readonly ids: readonly string[] }
    | { readonly kind: 'refused'; readonly refused: ResendProblem }
    /** Nobody knows; it counts as sent. */
    | { readonly kind: 'unknown' }
  readonly kind: 'one' | 'batch'
}

export type FoundMail =
  | { readonly state: 'open'; readonly mail: OpenMail; readonly version: number }
  | { readonly state: 'done'; readonly mail: DoneMail }
  | null

export type SentMailLog = {
  readonly find: (key: string) => Promise<FoundMail>
  readonly countOf: (runId: string) => Promise<number>
  /** `full`: there is no room for so many; nothing was written. */
  readonly begin: (key: string, mail: OpenMail, mailsMax: number | null) => Promise<Begun>
  /** Crosses it off; what was refused counts nothing. `moved`: somebody else did. */
  readonly settle: (key: string, open: OpenMail, end: DoneMail['end']) => Promise<void>
  /** Holds it for another while. False: somebody else was faster. */
  readonly lease: (key: string, found: OpenMail, lease: Lease) => Promise<boolean>
  /** Those that are being sent, by anybody. */
  readonly listOpen: () => Promise<readonly { readonly key: string; readonly mail: OpenMail }[]>
}

type Begun = 'begun' | 'full' | 'known'
type Lease = { readonly version: number; readonly until: number }
type Documents = Pick<DocumentStore, 'readDocument' | 'writeDocuments' | 'listDocuments'>

/** Answers by the keys of agents: needed as long as somebody may ask again. */
export const sentMailCollection = 'mail-done'
/** How many mails a run has sent, by its id. */
export const mailCountCollection = 'mail-count'
const collections = { counts: mailCountCollection, open: 'mail-open', done: sentMailCollection }
/** Tries to write before the store is called too busy. */
const triesMax = 50
const openMax = 500

/** Where a request is kept: by the agent's own key, or by one that nobody else has. */
export function sentMailKey(runId: string, own: string): string {
  return `${runId}/${hash('sha256', own)}`
}

export function openSentMailLog(documents: Documents, now: () => number): SentMailLog {
  return {
    find: (key) => find(documents, key),
    countOf: async (runId) => countIn(await documents.readDocument(collections.counts, runId)),
    begin: (key, mail, mailsMax) => begin({ documents, now }, { key, mail }, mailsMax),
    settle: (key, mail, end) => settle({ documents, now }, { key, mail }, end),
    lease: async (key, mail, { version, until }) => {
      const data = JSON.stringify({ ...mail, leaseUntil: until })
      const document = { collection: collections.open, key, expected: version, data, at: now() }
      return (await documents.writeDocuments([document])) === 'written'
    },
    listOpen: async () => {
      const query = { collection: collections.open, prefix: '', after: null, limit: openMax }
      const { items } = await documents.listDocuments(query)
      return items.map((document) => ({ key: document.key, mail: openIn(document) }))
    },
  }
}

type SentMailContext = { readonly documents: Documents; readonly now: () => number }
type Entry = { readonly key: string; readonly mail: OpenMail }

async function find(documents: Documents, key: string): Promise<FoundMail> {
  const open = await documents.readDocument(collections.open, key)
  if (open !== null) return { state: 'open', mail: openIn(open), version: open.version }
  const done = await documents.readDocument(collections.done, key)
  // WHY the casts here and below: this file alone writes these documents.
  return done === null ? null : { state: 'done', mail: JSON.parse(done.data) as DoneMail }
}

function openIn(document: StoredDocument): OpenMail {
  return JSON.parse(document.data) as OpenMail
}

function countIn(document: StoredDocument | null): number {
  return document === null ? 0 : (JSON.parse(document.data) as { count: number }).count
}

async function begin(
  context: SentMailContext,
  { key, mail }: Entry,
  mailsMax: number | null,
): Promise<Begun> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const count = await context.documents.readDocument(collections.counts, mail.runId)
    const next = countIn(count) + mail.bodies.length
    if (mailsMax !== null && next > mailsMax) return 'full'
    const at = context.now()
    const written = await context.documents.writeDocuments([
      countChange(mail.runId, { document: count, next, at }),
      { collection: collections.open, key, expected: 0, data: JSON.stringify(mail), at },
    ])
    if (written === 'written') return 'begun'
    if ((await find(context.documents, key)) !== null) return 'known'
  }
  throw new Error('too many mails are being sent at once')
}

type Count = {
  readonly document: StoredDocument | null
  readonly next: number
  readonly at: number
}

function countChange(runId: string, { document, next, at }: Count): DocumentChange {
  const data = JSON.stringify({ count: next })
  return { collection: collections.counts, key: runId, expected: document?.version ?? 0, data, at }
}

async function settle(
  context: SentMailContext,
  { key, mail }: Entry,
  end: DoneMail['end'],
): Promise<void> {
  const { documents } = context
  const { runId, bodies, kind } = mail
  const done: DoneMail = { hash: mail.hash, end, kind }
  for (let tries = 0; tries < triesMax; tries += 1) {
    const open = await documents.readDocument(collections.open, key)
    if (open === null) return
    const at = context.now()
    const count =
      end.kind === 'refused' ? await documents.readDocument(collections.counts, runId) : null
    const next = Math.max(0, countIn(count) - bodies.length)
    const written = await documents.writeDocuments([
      { collection: collections.open, key, expected: open.version, data: null, at },
      { collection: collections.done, key, expected: null, data: JSON.stringify(done), at },
      ...(count === null ? [] : [countChange(runId, { document: count, next, at })]),
    ])
    if (written === 'written') return
  }
  throw new Error('the outcome of a mail could not be saved')
}
