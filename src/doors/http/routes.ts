/**
 * Maps the table of operations to HTTP routes: a request becomes the input of an operation, and
 * its answer a response.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { DecideLinks } from '../../runtime/people/decide-link.ts'
import type { Api, ApiRequest } from '../api/api.ts'
import type { Caller } from '../api/caller.ts'
import { openApiText } from '../api/open-api.ts'
import {
  bytesMaxOf,
  type OperationName,
  operationNames,
  operations,
  pathFields,
  type StreamName,
  streams,
} from '../api/operations-table.ts'
import { type ProblemDocument, problem, problemOfThrown } from '../api/problem.ts'
import { readQuery } from '../api/read-query.ts'
import type { PageFiles } from './dashboard-files.ts'
import { answerHook, hookPath } from './hook-route.ts'
import { page, pageHeaders } from './landing-page.ts'
import type { Connections } from './limit-connections.ts'
import {
  addLinkKey,
  decideLink,
  linkKeyPath,
  linkPath,
  linkSignPath,
  showLink,
  signLink,
} from './link-routes.ts'
import { answerMount, type Mount } from './mount-route.ts'
import { readBody } from './read-body.ts'
import { sendProblem, sendText } from './send.ts'
import { sendStream } from './send-stream.ts'
import {
  answerSignIn,
  answerSignOut,
  giveProof,
  proofPath,
  signedInCaller,
  signInPath,
  signOutPath,
} from './sign-in.ts'

type Ctx = Context<{ Bindings: HttpBindings }>

type Exchange = {
  readonly api: Api
  readonly c: Ctx
  /** Raised when the door closes. */
  readonly closing: AbortSignal
  readonly identify: Connections['identify']
}

/** What answers requests that the guard let through. */
export type HttpRequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>

type RoutesOptions = {
  readonly api: Api
  readonly mounts: readonly Mount[]
  /** Raised when the door closes. */
  readonly closing: AbortSignal
  /** Null: the page was not built. */
  readonly files: PageFiles | null
  /** Hears who is on a connection. */
  readonly identify: Connections['identify']
}

/** The routes of an API, of the page, and of what is reached beside them. */
export function openRoutes(options: RoutesOptions): HttpRequestListener {
  const { api, mounts, closing, files, identify } = options
  const app = new Hono<{ Bindings: HttpBindings }>()
  // WHY answered by hand: making a `Response` only to read it back was a third of what this door
  // costs.
  const route = (method: string, path: string, act: (exchange: Exchange) => Promise<void>) =>
    app.on(method, path, async (c) => {
      await act({ api, c, closing, identify })
      return RESPONSE_ALREADY_SENT
    })
  for (const name of operationNames) {
    const { method, path } = operations[name]
    route(method, path, (exchange) => perform(exchange, name))
  }
  for (const name of Object.keys(streams) as StreamName[]) {
    route('GET', streams[name].path, (exchange) => stream(exchange, name))
  }
  route('POST', hookPath, tellHook)
  route('GET', linkPath, (exchange) => answerLink(exchange, showLink))
  route('POST', linkPath, (exchange) => answerLink(exchange, decideLink))
  route('POST', linkSignPath, (exchange) => answerLink(exchange, signLink))
  route('POST', linkKeyPath, (exchange) => answerLink(exchange, addLinkKey))
  route('GET', '/', (exchange) => showPage(exchange, files))
  route('GET', '/assets/:name', (exchange) => showAsset(exchange, files))
  route('POST', signInPath, ({ c }) => answerSignIn({ api, ...c.env }))
  route('POST', signOutPath, ({ c }) => answerSignOut({ api, ...c.env }))
  route('GET', proofPath, async ({ c }) => giveProof({ api, ...c.env }))
  route('GET', '/v1/openapi.json', describe)
  route('GET', '/metrics', tellMetrics)
  for (const mount of mounts) {
    app.all(mount.path, (c) =>
      answerMount(mount, callerOf({ api, c, closing, identify }), c.req.raw),
    )
  }
  for (const [path, allowed] of allowedMethods()) {
    app.all(path, (c) => refuseMethod(c, allowed))
  }
  app.notFound((c) => {
    const detail = 'there is no such path'
    sendProblem(c.env.outgoing, problem('REQUEST_INVALID', { detail, status: 404 }))
    return RESPONSE_ALREADY_SENT
  })
  app.onError((thrown, c) => {
    sendProblem(c.env.outgoing, problemOfThrown(thrown))
    return RESPONSE_ALREADY_SENT
  })
  // WHY not global: other parts of this program use the classes of Node.
  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

function refuseMethod(c: Ctx, allowed: readonly string[]): Response {
  const allow = allowed.join(', ')
  const why = problem('REQUEST_INVALID', { detail: `this path supports ${allow}`, status: 405 })
  sendProblem(c.env.outgoing, why, { allow })
  return RESPONSE_ALREADY_SENT
}

function allowedMethods(): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>([
    ['/', ['GET']],
    ['/assets/:name', ['GET']],
    [signInPath, ['POST']],
    [signOutPath, ['POST']],
    [proofPath, ['GET']],
    ['/v1/openapi.json', ['GET']],
    ['/metrics', ['GET']],
    [hookPath, ['POST']],
    [linkPath, ['GET', 'POST']],
    [linkSignPath, ['POST']],
    [linkKeyPath, ['POST']],
  ])
  for (const { path } of Object.values(streams)) all.set(path, ['GET'])
  for (const { method, path } of Object.values(operations)) {
    all.set(path, [...(all.get(path) ?? []), method])
  }
  return all
}

function callerOf(exchange: Exchange): Caller | null {
  const { api, c, identify } = exchange
  const { incoming } = c.env
  const bearer = bearerOf(exchange)
  const caller = bearer === null ? signedInCaller({ api, incoming }) : api.authenticate(bearer)
  if (caller !== null) identify(incoming.socket, caller.role)
  return caller
}

/** What the header shows; null: there is none. */
function bearerOf({ c }: Exchange): string | null {
  const { authorization = '' } = c.env.incoming.headers
  return /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1] ?? null
}

async function perform(exchange: Exchange, name: OperationName): Promise<void> {
  const { api, c } = exchange
  const response = c.env.outgoing
  const caller = callerOf(exchange)
  // WHY here, too: what a caller may not do is not even read.
  const refusal = api.refuse(name, caller)
  if (refusal !== null) {
    // WHY not without a header: a page whose sign-in is over asks again and again.
    if (bearerOf(exchange) !== null || caller !== null) api.noteRefusal(name, caller, refusal)
    return sendProblem(response, refusal)
  }
  const input = await inputOf(name, c)
  if (!input.ok) return sendProblem(response, input.problem)
  const answered = await api.perform(name, caller, requestOf(exchange, input.value))
  if (!answered.ok) return sendProblem(response, answered.problem)
  sendText(response, asJson, JSON.stringify(answered.output))
}

const asJson = { 'content-type': 'application/json' }

type Input =
  | { readonly ok: true; readonly value: { readonly [field: string]: unknown } }
  | { readonly ok: false; readonly problem: ProblemDocument }

async function inputOf(name: OperationName, c: Ctx): Promise<Input> {
  const { method, path } = operations[name]
  const inPath = Object.fromEntries(pathFields(path).map((field) => [field, c.req.param(field)]))
  const query = readQuery(name, queryOf(c))
  const hasBody = method === 'POST' || method === 'PUT'
  const body = hasBody ? await readBody(c.env.incoming, bytesMaxOf(name)) : null
  if (body?.ok === false) return body
  const value = body === null ? query : body.value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('the body must be an object')
  }
  const [odd] = body === null ? [] : Object.keys(query)
  if (odd !== undefined) return invalid(`send \`${odd}\` in the body, not in the query`)
  const twice = Object.keys(inPath).find((field) => Object.hasOwn(value, field))
  if (twice !== undefined) return invalid(`\`${twice}\` is already in the path`)
  return { ok: true, value: { ...value, ...inPath } }
}

function invalid(detail: string): Input {
  return { ok: false, problem: problem('REQUEST_INVALID', { detail }) }
}

function queryOf(c: Ctx): URLSearchParams {
  return new URLSearchParams(c.env.incoming.url?.split('?', 2)[1] ?? '')
}

function requestOf({ c, closing }: Exchange, input: unknown): ApiRequest {
  const { headers } = c.env.incoming
  return {
    door: 'http',
    connection: c.env.incoming.socket,
    input,
    commandId: headerText(headers['idempotency-key']),
    signal: () => AbortSignal.any([goneSignal(c.env.outgoing), closing]),
    traceparent: headerText(headers.traceparent),
  }
}

function headerText(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

/** Raised when the caller has left. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  response.once('close', () => gone.abort())
  return gone.signal
}

async function stream(exchange: Exchange, name: StreamName): Promise<void> {
  const { api, c } = exchange
  const resume = headerText(c.env.incoming.headers['last-event-id'])
  const query = queryOf(c)
  if (resume !== null) query.set('after', resume)
  const runId = c.req.param('runId')
  const input = { ...readQuery(name, query), ...(runId === undefined ? {} : { runId }) }
  const request = requestOf(exchange, input)
  const signal = request.signal()
  const opened = await api.stream(name, callerOf(exchange), { ...request, signal: () => signal })
  if (!opened.ok) return sendProblem(c.env.outgoing, opened.problem)
  await sendStream(c.env.outgoing, opened.output, signal)
}

let description: string | null = null

async function showPage({ c }: Exchange, files: PageFiles | null): Promise<void> {
  if (files?.(c.env.outgoing, 'index.html')) return
  sendText(c.env.outgoing, { ...pageHeaders, 'content-type': 'text/html; charset=utf-8' }, page)
}

async function showAsset({ c }: Exchange, files: PageFiles | null): Promise<void> {
  if (files?.(c.env.outgoing, `assets/${c.req.param('name')}`)) return
  const detail = 'there is no such file'
  sendProblem(c.env.outgoing, problem('REQUEST_INVALID', { detail, status: 404 }))
}

function tellHook(exchange: Exchange): Promise<void> {
  const { api, c, identify } = exchange
  const host = c.req.param('host') ?? ''
  const onKnown = (): void => identify(c.env.incoming.socket, 'agent')
  const signal = goneSignal(c.env.outgoing)
  return answerHook({ api, host, secret: bearerOf(exchange) ?? '', onKnown, signal }, c.env)
}

function answerLink({ api, c }: Exchange, act: typeof showLink): Promise<void> {
  const secret = c.req.param('secret') ?? ''
  const links = api.people?.links ?? noLinks
  const peer = () => api.findPeer(c.env.incoming.socket)
  return act({ links, secret, peer }, c.env)
}

const noLinks: DecideLinks = {
  read: async () => ({ kind: 'unknown' }),
  decide: async () => ({ kind: 'closed' }),
  ...{ askSignature: refuseLink, beginKey: refuseLink, addKey: refuseLink },
}

async function refuseLink(): Promise<never> {
  throw new PawlError('PASSKEY_INVALID', 'this daemon has no links')
}

async function describe({ c }: Exchange): Promise<void> {
  // Made when somebody wants it: a start must be quick.
  description ??= openApiText()
  sendText(c.env.outgoing, asJson, description)
}

async function tellMetrics(exchange: Exchange): Promise<void> {
  const { api, c } = exchange
  const refusal = api.refuse('status', callerOf(exchange))
  if (refusal !== null) return sendProblem(c.env.outgoing, refusal)
  const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  sendText(c.env.outgoing, type, api.metrics.print())
}
