/**
 * Rejects requests that must not reach this server at all. It listens on loopback, where every web
 * page and container of this machine can reach it, so Host, Origin and similar headers are checked
 * first on every request.
 */
import type { IncomingMessage } from 'node:http'
import { type ProblemDocument, problem } from '../api/problem.ts'

/** The names under which this door may be called, in small letters, with its port. */
type OwnNames = {
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
  /** What stands in front of this door for people elsewhere; null: nothing does. */
  readonly front: { readonly host: string; readonly origin: string } | null
}

/** The names of a door on this port; `publicUrl` leads to the links for people only. */
export function ownNames(port: number, publicUrl: string | null): OwnNames {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
  const { host, origin } = publicUrl === null ? { host: '', origin: '' } : new URL(publicUrl)
  return {
    hosts: new Set(hosts),
    origins: new Set(hosts.map((one) => `http://${one}`)),
    front: publicUrl === null ? null : { host, origin },
  }
}

/** Where a person decides by a link: the one place that strangers may lead to. */
const linkTarget = /^\/decide\/[\w-]+(?:\/(?:sign|key))?$/

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE'])
/** Sent once or not at all; of two, another reader may take the other. */
const single: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'sec-fetch-site',
  'idempotency-key',
  'x-pawl-key',
])

/** Why a request is not even looked at; null: it is. */
export function refuseRequest(request: IncomingMessage, own: OwnNames): ProblemDocument | null {
  return (
    refuseHeaders(request, own) ??
    refuseHost(request, own) ??
    refuseOrigin(request, own) ??
    refuseTarget(request)
  )
}

/** Whether it came for a link by the name that stands in front. */
function isFromFront({ headers, url = '' }: IncomingMessage, { front }: OwnNames): boolean {
  return front !== null && headers.host?.toLowerCase() === front.host && linkTarget.test(url)
}

function refuseHeaders(request: IncomingMessage, own: OwnNames): ProblemDocument | null {
  const { rawHeaders } = request
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (single.has(name) && seen.has(name)) {
      return problem('REQUEST_INVALID', { detail: `\`${name}\` was sent twice`, status: 400 })
    }
    seen.add(name)
    // WHY: nothing stands between a caller of this machine and this door, and what claims so must
    // not lend another name to the request.
    const isForwarded = name === 'forwarded' || name.startsWith('x-forwarded-')
    if (isForwarded && !isFromFront(request, own)) {
      return forbidden('forwarded requests are not accepted')
    }
  }
  return null
}

function refuseHost(request: IncomingMessage, own: OwnNames): ProblemDocument | null {
  if (own.hosts.has((request.headers.host ?? '').toLowerCase())) return null
  if (isFromFront(request, own)) return null
  return forbidden('the `Host` header does not name this daemon')
}

function refuseOrigin(request: IncomingMessage, own: OwnNames): ProblemDocument | null {
  const { headers, method, url = '' } = request
  const { origin } = headers
  const isFront = isFromFront(request, own)
  const isOwn = isFront
    ? origin === own.front?.origin
    : own.origins.has(origin?.toLowerCase() ?? '')
  if (origin !== undefined && !isOwn) return forbidden('requests from other sites are not allowed')
  const site = headers['sec-fetch-site']
  // WHY: a link is followed from wherever the message was read. It shows, and decides nothing.
  if (method === 'GET' && linkTarget.test(url)) return null
  // WHY not `same-site`: a page on another port of this machine is the same site.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return forbidden('requests from other sites are not allowed')
  }
  return null
}

const oddTarget = /\/\/|\\|\/\.{1,2}(?:[/?]|$)|%2e|%5c|%00/i

function refuseTarget({ headers, method = '', url = '' }: IncomingMessage): ProblemDocument | null {
  if (headers.upgrade !== undefined) {
    return problem('REQUEST_INVALID', {
      detail: 'protocol upgrades are not supported',
      status: 426,
    })
  }
  if (!methods.has(method)) {
    return problem('REQUEST_INVALID', {
      detail: `the method \`${method}\` is not supported`,
      status: 405,
    })
  }
  const [path = '', query = ''] = url.split('?', 2)
  // WHY: what another reader would shorten or decode to another address is no address here.
  if (!url.startsWith('/') || oddTarget.test(path)) {
    return problem('REQUEST_INVALID', { detail: 'there is no such path', status: 404 })
  }
  const params = new URLSearchParams(query)
  if (params.has('token') || params.has('access_token')) {
    const hint = 'send it as `Authorization: Bearer`'
    return problem('TOKEN_INVALID', {
      detail: 'do not send a token in the URL: it would end up in logs',
      hint,
    })
  }
  return null
}

function forbidden(detail: string): ProblemDocument {
  const hint = 'call it as `http://127.0.0.1` or `http://localhost` with its port'
  return problem('NOT_PERMITTED', { detail, hint })
}
