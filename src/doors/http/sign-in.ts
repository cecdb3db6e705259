/**
 * Signing in and out over HTTP: the key, and the headers a request needs. The API decides whether
 * someone is signed in.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../api/api.ts'
import type { Caller } from '../api/caller.ts'
import { type ProblemDocument, problem } from '../api/problem.ts'
import { readBody } from './read-body.ts'
import { sendProblem, sendText } from './send.ts'

export const signInPath = '/v1/sign-in'
export const signOutPath = '/v1/sign-out'
export const proofPath = '/v1/sign-in/proof'
/** Sent with every request of the page; a form or a picture of another site cannot. */
export const keyHeader = 'x-pawl-key'

const bodyBytesMax = 4_096
const asJson = { 'content-type': 'application/json' }

type Exchanged = {
  readonly api: Api
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Whoever has signed in; null: nobody, or the request could be another site's. */
export function signedInCaller({ api, incoming }: Omit<Exchanged, 'outgoing'>): Caller | null {
  const key = incoming.headers[keyHeader]
  if (api.signIns === null || typeof key !== 'string') return null
  // WHY: every browser says where a change comes from; the guard has seen that it is us.
  if (incoming.method !== 'GET' && incoming.headers.origin === undefined) return null
  return api.signIns.find(key)
}

/** A code becomes a key that the page keeps. */
export async function answerSignIn({ api, incoming, outgoing }: Exchanged): Promise<void> {
  const refusal = refuseForeign(incoming)
  if (refusal !== null) return sendProblem(outgoing, refusal)
  const body = await readBody(incoming, bodyBytesMax)
  if (!body.ok) return sendProblem(outgoing, body.problem)
  const signed = api.signIns?.redeem(codeIn(body.value)) ?? null
  if (signed === 'busy') return sendProblem(outgoing, tooMany)
  if (signed === null) return sendProblem(outgoing, unknownCode)
  const { key, caller } = signed
  sendText(outgoing, asJson, JSON.stringify({ key, name: caller.name, access: caller.access }))
}

/** Ends a sign-in here, whoever else has one. */
export async function answerSignOut({ api, incoming, outgoing }: Exchanged): Promise<void> {
  const refusal = refuseForeign(incoming)
  if (refusal !== null) return sendProblem(outgoing, refusal)
  const key = incoming.headers[keyHeader]
  const isSignedIn = signedInCaller({ api, incoming }) !== null
  if (isSignedIn && typeof key === 'string') api.signIns?.end(key)
  sendText(outgoing, asJson, '{"signedOut":true}')
}

/**
 * Shows a page that this is the daemon which it is signed in to, before it sends its key.
 * WHY the host: the guard has seen that it is ours, port included, so that nobody who has taken
 * another port can pass this on as their own.
 */
export function giveProof({ api, incoming, outgoing }: Exchanged): void {
  const query = new URL(incoming.url ?? '', 'http://localhost').searchParams
  const [of, nonce] = [query.get('of') ?? '', query.get('nonce') ?? '']
  const host = incoming.headers.host?.toLowerCase() ?? ''
  const isAsked = proofWord.test(of) && proofWord.test(nonce)
  const proof = isAsked ? (api.signIns?.prove(of, `${nonce} ${host}`) ?? null) : null
  if (proof === null) return sendProblem(outgoing, unknownKey)
  sendText(outgoing, asJson, JSON.stringify({ proof }))
}

const proofWord = /^[0-9a-f]{32,128}$/

const unknownKey = problem('TOKEN_INVALID', {
  detail: 'no sign-in has this key',
  hint: 'run `pawl open`',
})

function refuseForeign({ headers }: IncomingMessage): ProblemDocument | null {
  if (headers.origin !== undefined) return null
  const detail = "only this daemon's page can sign in or out"
  return problem('NOT_PERMITTED', { detail, hint: 'open the link that `pawl open` prints' })
}

const tooMany = problem('OVERLOADED', {
  detail: 'too many codes were tried',
  hint: 'try again in a minute',
})

const unknownCode = problem('TOKEN_INVALID', {
  detail: 'this code is unknown, expired or already used',
  hint: 'run `pawl open` for a new one',
})

function codeIn(value: unknown): string {
  const isObject = typeof value === 'object' && value !== null && 'code' in value
  return isObject && typeof value.code === 'string' ? value.code : ''
}
