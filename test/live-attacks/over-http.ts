/**
 * The HTTP attempts of the corpus as requests to the daemon: its place-holder addresses, tokens and
 * port become real ones, everything else is sent as it is written.
 */
import {
  askPerson,
  type Live,
  type Question,
  type Role,
  startRun,
  verdictsOf,
  wrongUnlessDecided,
  wrongUnlessPending,
} from './live.ts'
import type { RawRequest } from './raw-http.ts'
import type { AttackOutcome, AttackRecord } from './records.ts'

/** The attempt of a record, as far as it is HTTP. */
type Attempt = {
  readonly http: string
  readonly headers?: { readonly [name: string]: string }
  readonly request_changed_after_display?: boolean
}

/** Tries to decide a question that really waits, and looks what became of it. */
export async function tryApproval(live: Live, record: AttackRecord): Promise<AttackOutcome> {
  const attempt = record.attempt as Attempt
  const asked = await askPerson(live, record.setting)
  const request = approvalRequest(live, asked, attempt)
  const { status } = await live.send(request)
  const decision = attempt.http.includes('/reject') ? 'refused' : 'granted'
  const wrong =
    record.expected === 'allow'
      ? await wrongUnlessDecided(live, asked, decision)
      : await wrongUnlessPending(live, asked)
  return { verdicts: verdictsOf(status), wrong }
}

function approvalRequest(live: Live, asked: Question, attempt: Attempt): RawRequest {
  const [method = '', target = ''] = attempt.http.split(' ')
  const granted = !target.includes('/reject')
  // WHY the query: a GET of the question itself is a harmless look; this one means to decide.
  const meant = method === 'GET' ? `?granted=${granted}` : ''
  const mapped = target
    .replace(/^\/api\/approvals\/ap1\/(?:approve|reject)/, `/v1/approvals/${asked.id}${meant}`)
    .replace(/^\/api\/approvals\/\.\.\/sessions\/s1\//, `/v1/approvals/../runs/${asked.runId}/`)
  if (!mapped.startsWith('/v1/')) throw new Error(`no address for ${attempt.http}`)
  // Another hash than that of what waits now: what the person saw has changed since.
  const hash = attempt.request_changed_after_display ? 'f'.repeat(64) : asked.hash
  const isForce = mapped.endsWith('/force')
  const body = JSON.stringify(isForce ? { stage: 'shipped' } : { granted, hash })
  return requestOf(live, { method, target: mapped, headers: attempt.headers ?? {}, body }, 'agent')
}

/** Asks the local API, with each of the two valid tokens. */
export async function tryLocal(
  live: Live,
  record: AttackRecord,
  role: Role,
): Promise<AttackOutcome> {
  const runId = await startRun(live)
  const { head } = await live.as.agent.runs.read({ runId })
  const attempt = record.attempt as Attempt
  const { status, body } = await live.send(localRequest(live, runId, { attempt, role }))
  const after = await live.as.agent.runs.read({ runId })
  const isAllowed = record.expected === 'allow'
  // What is refused tells nothing of the run; what is let through is about it.
  const isTold = body.includes(runId) || body.includes('run.started')
  return {
    verdicts: verdictsOf(status),
    wrong: [
      ...(isTold === isAllowed ? [] : [`the answer ${isTold ? 'tells' : 'does not tell'} the run`]),
      ...(after.head.seq === head.seq ? [] : ['the run has moved']),
    ],
  }
}

type AttemptByRole = { readonly attempt: Attempt; readonly role: Role }

function localRequest(live: Live, runId: string, { attempt, role }: AttemptByRole): RawRequest {
  const [method = '', target = ''] = attempt.http.split(' ')
  const { headers = {} } = attempt
  const mapped = target
    .replace(/^\/api\/state/, `/v1/runs/${runId}`)
    .replace(/^\/api\/transition/, `/v1/runs/${runId}/signals`)
    .replace(/^\/(?:events|ws)$/, `/v1/runs/${runId}/stream`)
  const body = method === 'POST' ? '{"name":"STAY"}' : ''
  return requestOf(live, { method, target: mapped, headers: spoken(headers), body }, role)
}

/**
 * WHY: Pawl streams over plain HTTP. A token that a page hands to a WebSocket, which can't have
 * headers, comes in the header there. Without one the upgrade is sent as it is.
 */
function spoken(headers: Headers): Headers {
  const { 'Sec-WebSocket-Protocol': protocol, ...others } = headers
  if (protocol === undefined) return headers
  const { Upgrade: _, ...plain } = others
  return { ...plain, Authorization: `Bearer ${protocol.split(', ')[1]}` }
}

type Headers = { readonly [name: string]: string }
type Draft = {
  readonly method: string
  readonly target: string
  readonly headers: Headers
  readonly body: string
}

/** Fills in what stands for something, and what no request goes without. */
function requestOf(live: Live, draft: Draft, role: Role): RawRequest {
  const real = (text: string): string => realText(live, role, text)
  const { method, target, headers, body } = draft
  const told = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const own: [string, string][] = Object.entries(headers).map(([k, v]) => [k, real(v)])
  const add = (name: string, value: string): void => {
    if (!told.has(name.toLowerCase())) own.push([name, value])
  }
  add('Host', `127.0.0.1:${live.port}`)
  if (method === 'POST') {
    add('Content-Type', 'application/json')
    add('Content-Length', String(Buffer.byteLength(body)))
  }
  return { method, target: real(target), headers: own, body: method === 'POST' ? body : '' }
}

function realText({ tokens, port }: Live, role: Role, text: string): string {
  return (
    text
      .replaceAll('<valid token>', tokens[role])
      .replaceAll('<agent token>', tokens.agent)
      .replaceAll('<human token>', tokens.person)
      .replaceAll('<human token prefix only>', tokens.person.slice(0, 20))
      // Not a cookie of the page, which has its own tests: the best that a thief could put there.
      .replaceAll('<human session>', tokens.person)
      .replaceAll('PORT', String(port))
  )
}
