/**
 * One-time links: each is a secret that lets one person decide one approval, once, while it is
 * open. Only the hash of the secret is stored, in a document beside the runs.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../runtime/clock.ts'
import { keyCodeOf } from '../runtime/passkeys/proposals.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { ApprovalQuestion } from '../runtime/people/approval-question.ts'
import type {
  DecideLinks,
  LinkDecision,
  LinkOutcome,
  LinkReading,
} from '../runtime/people/decide-link.ts'
import { decisionStatement } from '../runtime/people/resolve-approval.ts'
import type { DocumentStore, StoredDocument } from '../runtime/ports.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** What the document of a link says. */
type Link = {
  readonly approvalId: string
  /** Hash of what is asked: the link is for that and nothing else. */
  readonly hash: string
  readonly person: string
  readonly expiresAt: number
  readonly decided: 'approved' | 'refused' | null
}

export type ApprovalLinks = DecideLinks & {
  /** A new link for a person to what a question asks now; gives the secret, which is not kept. */
  readonly make: (question: ApprovalQuestion, person: string) => Promise<string>
  /** Removes the documents of links that are long over. */
  readonly sweep: () => Promise<void>
}

type Tools = {
  readonly documents: DocumentStore
  readonly clock: Clock
  readonly runtime: Pick<Runtime, 'readQuestion' | 'resolve' | 'passkeys'>
}

export const linkCollection = 'decide-link'
const secretBytes = 32
const secretForm = /^[A-Za-z0-9_-]{43}$/
/** A link to a question that never runs out is over after this. */
const linkMsMax = 7 * 86_400_000
/** How long a link that is over still tells what became of the question. */
const afterMs = 7 * 86_400_000

export function openApprovalLinks(tools: Tools): ApprovalLinks {
  const { documents, clock } = tools
  return {
    make: async (question, person) => {
      const secret = randomBytes(secretBytes).toString('base64url')
      const { id: approvalId, hash, expiresAt } = question.row
      const at = clock.now()
      const ends = Math.min(expiresAt ?? at + linkMsMax, at + linkMsMax)
      const link: Link = { approvalId, hash, person, expiresAt: ends, decided: null }
      await put(tools, { key: keyOf(secret), link, expected: 0 })
      return secret
    },
    read: (secret) => read(tools, secret),
    decide: (secret, decision) => decide(tools, secret, decision),
    ...signingOf(tools),
    sweep: () => sweepLinks(documents, linkCollection, clock.now() - linkMsMax - afterMs),
  }
}

function keyOf(secret: string): string {
  return createHash('sha256').update(`pawl link ${secret}`).digest('hex')
}

/** Bound to the link and to what was shown; only a page that was shown has it. */
function tokenOf(secret: string, { row }: ApprovalQuestion): string {
  const shown = `pawl page ${secret} ${row.hash} ${row.note}`
  return createHash('sha256').update(shown).digest('base64url')
}

type StoredLink = { readonly key: string; readonly document: StoredDocument; readonly link: Link }

async function find({ documents }: Tools, secret: string): Promise<StoredLink | null> {
  if (!secretForm.test(secret)) return null
  const key = keyOf(secret)
  const document = await documents.readDocument(linkCollection, key)
  // WHY the cast: nobody but this file writes this collection.
  return document === null ? null : { key, document, link: JSON.parse(document.data) as Link }
}

async function read(tools: Tools, secret: string): Promise<LinkReading> {
  const known = await find(tools, secret)
  if (known === null) return { kind: 'unknown' }
  const { link } = known
  const question = await questionOf(tools, link)
  if (question === null) return { kind: 'unknown' }
  if (!isOpen(tools, link, question)) return { kind: 'closed', question, own: link.decided }
  return { kind: 'open', question, person: link.person, token: tokenOf(secret, question) }
}

/** Null: the run was removed meanwhile. */
async function questionOf(
  { runtime }: Tools,
  { approvalId }: Link,
): Promise<ApprovalQuestion | null> {
  try {
    return await runtime.readQuestion(approvalId)
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'APPROVAL_UNKNOWN') return null
    throw fault
  }
}

function isOpen({ clock }: Tools, link: Link, { row }: ApprovalQuestion): boolean {
  const isSame = row.status === 'pending' && row.hash === link.hash
  return isSame && link.decided === null && clock.now() <= link.expiresAt
}

async function decide(tools: Tools, secret: string, wish: LinkDecision): Promise<LinkOutcome> {
  const known = await find(tools, secret)
  if (known === null) return { kind: 'closed' }
  const { link, key, document } = known
  const question = await questionOf(tools, link)
  if (question === null || !isOpen(tools, link, question)) return { kind: 'closed' }
  if (!isSameText(wish.token, tokenOf(secret, question))) return { kind: 'stale' }
  const { granted, note, signature, peer } = wish
  const by = { actor: { kind: 'person', name: link.person }, commandId: null } as const
  try {
    const signed = signature === undefined ? {} : { signature }
    const sent = peer === undefined ? {} : { peer }
    const decision = { granted, note, hash: link.hash, edits: null, ...signed, ...sent }
    const { reply } = await tools.runtime.resolve(link.approvalId, decision, by)
    if (reply.kind === 'refused') {
      return { kind: 'refused', reason: reply.reason, hint: reply.hint }
    }
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    if (fault.code === 'APPROVAL_DECIDED') return { kind: 'closed' }
    if (fault.code !== 'PASSKEY_INVALID') throw fault
    return { kind: 'refused', reason: fault.message, hint: fault.hint }
  }
  const decided = granted ? 'approved' : 'refused'
  await put(tools, { key, link: { ...link, decided }, expected: document.version })
  return { kind: 'done' }
}

/** The link that a page shows, while it can be decided. Fault `PASSKEY_INVALID`. */
async function shownLink(
  tools: Tools,
  secret: string,
  token: string,
): Promise<{ readonly link: Link; readonly question: ApprovalQuestion }> {
  const known = await find(tools, secret)
  const question = known === null ? null : await questionOf(tools, known.link)
  if (known !== null && question !== null && isOpen(tools, known.link, question)) {
    if (isSameText(token, tokenOf(secret, question))) return { link: known.link, question }
  }
  const hint = 'reload the page'
  throw new PawlError('PASSKEY_INVALID', 'this link cannot be signed any more', { hint })
}

type Signing = Pick<DecideLinks, 'askSignature' | 'beginKey' | 'addKey'>

function signingOf(tools: Tools): Signing {
  const { runtime } = tools
  return {
    askSignature: async (secret, { granted, note, token, origin }) => {
      const { link, question } = await shownLink(tools, secret, token)
      const { person, approvalId: id, hash } = link
      const said = { granted, note, edits: null }
      const statement = decisionStatement({ ...question.row, id, hash }, said, person)
      return runtime.passkeys.askDecision(statement, { person, origin })
    },
    beginKey: async (secret, { token, origin }) => {
      const { person } = (await shownLink(tools, secret, token)).link
      await refuseFirstKey(tools, person)
      return runtime.passkeys.begin({ person, label: 'from a link', origin, link: keyOf(secret) })
    },
    addKey: async (secret, { token, keyId, attestation }) => {
      const { person } = (await shownLink(tools, secret, token)).link
      await refuseFirstKey(tools, person)
      await runtime.passkeys.add(keyId, person, attestation)
      return keyCodeOf(attestation.id)
    },
  }
}

/** WHY: a first key is trusted as it is, and whoever has read a message has its link. */
async function refuseFirstKey({ runtime }: Tools, person: string): Promise<void> {
  const { keys } = await runtime.passkeys.list()
  if (keys.some((key) => key.person === person && key.untilSeq === null)) return
  const hint = 'open the page with `pawl open` on the machine where Pawl runs'
  throw new PawlError('PASSKEY_INVALID', `\`${person}\` adds the first passkey there`, { hint })
}

function isSameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

type Put = { readonly key: string; readonly link: Link; readonly expected: number }

async function put({ documents, clock }: Tools, { key, link, expected }: Put): Promise<void> {
  const data = JSON.stringify(link)
  await documents.writeDocuments([
    { collection: linkCollection, key, expected, data, at: clock.now() },
  ])
}

/** Documents looked at in one go, and removed in one. */
const sweptMax = 500

/** Removes the documents of a collection that were written before a moment. */
export async function sweepLinks(
  documents: DocumentStore,
  collection: string,
  before: number,
): Promise<void> {
  let after: string | null = null
  do {
    const query = { collection, prefix: '', after, limit: sweptMax }
    const page: Awaited<ReturnType<DocumentStore['listDocuments']>> =
      await documents.listDocuments(query)
    const old = page.items.filter((document) => document.at < before)
    await documents.writeDocuments(
      old.map(({ key, version }) => ({
        collection,
        key,
        expected: version,
        data: null,
        at: before,
      })),
    )
    after = page.next
  } while (after !== null)
}
