/**
 * One-time links over HTTP. GET only shows, since mail programs open links before people do; POST
 * of the shown form decides.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DecideLinks, LinkOutcome } from '../../runtime/people/decide-link.ts'
import { decideHeaders, decidePage } from './approval-page.ts'
import { readForm } from './read-body.ts'
import { safeHeaders, sendProblem } from './send.ts'

export const linkPath = '/decide/:secret'

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }
type LinkRequest = { readonly links: DecideLinks; readonly secret: string }

export async function showLink(
  { links, secret }: LinkRequest,
  { outgoing }: Exchange,
): Promise<void> {
  const reading = await links.read(secret)
  const page = decidePage(reading, null)
  sendPage(outgoing, { page, status: reading.kind === 'unknown' ? 404 : 200 })
}

/** A reason, a token and a choice. */
const formBytesMax = 16 * 1024

export async function decideLink(
  { links, secret }: LinkRequest,
  { incoming, outgoing }: Exchange,
): Promise<void> {
  const form = await readForm(incoming, formBytesMax)
  if (!form.ok) return sendProblem(outgoing, form.problem)
  const choice = form.value.get('decision')
  const token = form.value.get('token') ?? ''
  const note = form.value.get('note') ?? ''
  const outcome: LinkOutcome =
    choice === 'approve' || choice === 'refuse'
      ? await links.decide(secret, { granted: choice === 'approve', note, token })
      : { kind: 'stale' }
  if (outcome.kind === 'done') {
    // WHY: going back or reloading must not send the form again.
    outgoing.writeHead(303, { ...safeHeaders, location: incoming.url ?? '/', 'content-length': 0 })
    return void outgoing.end()
  }
  const reading = await links.read(secret)
  const status = reading.kind === 'unknown' ? 404 : 409
  sendPage(outgoing, { page: decidePage(reading, remarkOf(outcome)), status })
}

function remarkOf(outcome: LinkOutcome): string | null {
  if (outcome.kind === 'refused') return `${outcome.reason}; ${outcome.hint}`
  if (outcome.kind !== 'stale') return null
  return 'Nothing was decided: the approval has changed since it was shown. Check it again.'
}

type Page = { readonly page: string; readonly status: number }

function sendPage(response: ServerResponse, { page, status }: Page): void {
  const length = { 'content-length': Buffer.byteLength(page) }
  response.writeHead(status, { ...safeHeaders, ...decideHeaders, ...length })
  response.end(page)
}
