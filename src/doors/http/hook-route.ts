/**
 * Hooks over HTTP, for hosts that send a request instead of starting a program. The answer is the
 * host's own JSON; on anything else the host must block.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostIds } from '../../core/hosts/registry.ts'
import { asObject, type Json } from '../../core/json.ts'
import type { Api } from '../api/api.ts'
import { problem } from '../api/problem.ts'
import { readBody } from './read-body.ts'
import { sendProblem, sendText } from './send.ts'

export const hookPath = '/v1/hooks/:host'
/** A payload may hold a whole file. */
const bytesMax = 16 * 1024 * 1024

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }
type HookRouteRequest = {
  readonly api: Api
  readonly host: string
  /** As it stands in the header; empty: there is none. */
  readonly secret: string
  /** Hears that the secret is right. */
  readonly onKnown: () => void
  /** Raised when the host is gone. */
  readonly signal: AbortSignal
}

export async function answerHook(
  { api, host, secret, onKnown, signal }: HookRouteRequest,
  { incoming, outgoing }: Exchange,
): Promise<void> {
  const workspace = decoded(incoming.headers['x-pawl-workspace'])
  if (!api.checkHook(secret, { workspace })) {
    const isKnownHost = (hostIds as readonly string[]).includes(host)
    api.noteRefusal(`hooks of ${isKnownHost ? host : 'no host'}`, null, wrongSecret)
    return sendProblem(outgoing, wrongSecret)
  }
  onKnown()
  const body = await readBody(incoming, bytesMax)
  if (!body.ok) return sendProblem(outgoing, body.problem)
  if (api.answerHook === null) {
    return sendProblem(outgoing, problem('REQUEST_INVALID', { detail: 'no hooks', status: 404 }))
  }
  const { headers } = incoming
  const payload = asObject(body.value as Json) ?? {}
  const runId = runIn(headers['x-pawl-run'])
  const reply = await api.answerHook({ host, payload, workspace, runId }, signal)
  if (reply.kind === 'block') {
    return sendProblem(outgoing, problem('REQUEST_INVALID', { detail: reply.reason }))
  }
  sendText(outgoing, { 'content-type': 'application/json' }, JSON.stringify(reply.json))
}

const wrongSecret = problem('TOKEN_INVALID', {
  detail: 'this is not the secret for hooks of this folder',
  hint: 'run `pawl init` in the folder to renew its hooks',
})

type Header = string | string[] | undefined

function decoded(header: Header): string | null {
  if (typeof header !== 'string' || header === '') return null
  try {
    return decodeURIComponent(header)
  } catch {
    // Nothing that our installer wrote: the payload has to tell.
    return null
  }
}

/** A host that does not know the variable sends it as it stands, or nothing. */
function runIn(header: Header): string | null {
  return typeof header === 'string' && header.startsWith('$') ? null : decoded(header)
}
