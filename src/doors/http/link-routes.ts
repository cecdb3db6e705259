/**
 * One-time links over HTTP. GET only shows, since mail programs open links before people do; POST
 * of the shown form decides.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DecisionPeer } from '../../core/engine/decision-peer.ts'
import type { Signature } from '../../runtime/passkeys/passkeys.ts'
import type { DecideLinks, LinkOutcome, LinkReading } from '../../runtime/people/decide-link.ts'
import { readLinkKey, readLinkSign, readLinkSignature } from '../api/link-contract.ts'
import { parseJson } from '../api/parse-json.ts'
import { type ProblemDocument, problem } from '../api/problem.ts'
import { decideHeaders, decidePage, isSignPage, signHeaders } from './approval-page.ts'
import { readBody, readForm } from './read-body.ts'
import { safeHeaders, sendProblem, sendText } from './send.ts'

export const linkPath = '/decide/:secret'
export const linkSignPath = `${linkPath}/sign`
export const linkKeyPath = `${linkPath}/key`

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }
type LinkRequest = {
  readonly links: DecideLinks
  readonly secret: string
  /** Looks which program asks. */
  readonly peer: () => Promise<DecisionPeer | null>
}

export async function showLink(
  { links, secret }: LinkRequest,
  { outgoing }: Exchange,
): Promise<void> {
  const reading = await links.read(secret)
  sendPage(outgoing, { reading, remark: null, status: reading.kind === 'unknown' ? 404 : 200 })
}

/** A reason, a token and a choice. */
const formBytesMax = 16 * 1024

export async function decideLink(
  { links, secret, peer }: LinkRequest,
  { incoming, outgoing }: Exchange,
): Promise<void> {
  const form = await readForm(incoming, formBytesMax)
  if (!form.ok) return sendProblem(outgoing, form.problem)
  const signature = signatureIn(form.value.get('signature') ?? '')
  if (signature === 'invalid') return sendProblem(outgoing, noSignature)
  const choice = form.value.get(signature === null ? 'decision' : 'signed')
  const token = form.value.get('token') ?? ''
  const note = form.value.get('note') ?? ''
  const outcome: LinkOutcome =
    choice === 'approve' || choice === 'refuse'
      ? await links.decide(secret, {
          ...{ granted: choice === 'approve', note, token, peer },
          ...(signature === null ? {} : { signature }),
        })
      : { kind: 'stale' }
  if (outcome.kind === 'done') {
    // WHY: going back or reloading must not send the form again.
    outgoing.writeHead(303, { ...safeHeaders, location: incoming.url ?? '/', 'content-length': 0 })
    return void outgoing.end()
  }
  const reading = await links.read(secret)
  const status = reading.kind === 'unknown' ? 404 : 409
  sendPage(outgoing, { reading, remark: remarkOf(outcome), status })
}

/** Null: the form is not signed. */
function signatureIn(sent: string): Signature | 'invalid' | null {
  if (sent === '') return null
  const json = parseJson(Buffer.from(sent))
  return (json.ok ? readLinkSignature(json.value) : null) ?? 'invalid'
}

const noSignature = problem('REQUEST_INVALID', { detail: 'this is no signature' })

/** Answers what the page of a link asks before it can be signed. */
export async function signLink(
  { links, secret }: LinkRequest,
  { incoming, outgoing }: Exchange,
): Promise<void> {
  const asked = await readAsked(incoming, readLinkSign)
  if (!asked.ok) return sendProblem(outgoing, asked.problem)
  const { nonce, options } = await links.askSignature(secret, asked.value)
  sendText(outgoing, asJson, JSON.stringify({ nonce, options }))
}

/** A key on the device on which a link was opened: begun, or made. */
export async function addLinkKey(
  { links, secret }: LinkRequest,
  { incoming, outgoing }: Exchange,
): Promise<void> {
  const asked = await readAsked(incoming, readLinkKey)
  if (!asked.ok) return sendProblem(outgoing, asked.problem)
  const { id: keyId, credentialId, attestationObject = '', clientDataJson = '' } = asked.value
  const { token, origin } = asked.value
  if (keyId === undefined || credentialId === undefined) {
    return sendText(outgoing, asJson, JSON.stringify(await links.beginKey(secret, asked.value)))
  }
  const attestation = { id: credentialId, attestationObject, clientDataJson }
  const code = await links.addKey(secret, { token, origin, keyId, attestation })
  sendText(outgoing, asJson, JSON.stringify({ added: true, code }))
}

const asJson = { 'content-type': 'application/json' }
type Asked<T> =
  | { readonly ok: true; readonly value: T & { readonly origin: string } }
  | { readonly ok: false; readonly problem: ProblemDocument }

/** What a page of ours sends; the guard has seen that its origin is ours. */
async function readAsked<T>(
  incoming: IncomingMessage,
  read: (value: unknown) => T | null,
): Promise<Asked<T>> {
  const { origin } = incoming.headers
  if (origin === undefined) return { ok: false, problem: notOurs }
  const body = await readBody(incoming, formBytesMax * 2)
  if (!body.ok) return body
  const value = read(body.value)
  if (value !== null) return { ok: true, value: { ...value, origin } }
  return { ok: false, problem: problem('REQUEST_INVALID', { detail: 'these are not the fields' }) }
}

const notOurs = problem('NOT_PERMITTED', { detail: 'only the page of a link can sign' })

function remarkOf(outcome: LinkOutcome): string | null {
  if (outcome.kind === 'refused') return `${outcome.reason}; ${outcome.hint}`
  if (outcome.kind !== 'stale') return null
  return 'Nothing was decided: the approval has changed since it was shown. Check it again.'
}

type Page = {
  readonly reading: LinkReading
  readonly remark: string | null
  readonly status: number
}

function sendPage(response: ServerResponse, { reading, remark, status }: Page): void {
  const page = decidePage(reading, remark)
  const length = { 'content-length': Buffer.byteLength(page) }
  const headers = isSignPage(reading) ? signHeaders : decideHeaders
  response.writeHead(status, { ...safeHeaders, ...headers, ...length })
  response.end(page)
}
