/**
 * The outbound proxy: requests of agents to providers go through here, with the key of their run
 * in place of the real one. Loopback only; everything that is not listed is rejected.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../core/json.ts'
import { answerMail } from './mail/answer-mail.ts'
import type { MailSender } from './mail/send-mail.ts'
import { type ResendProblem, ResendRefusal, resendError } from './resend-error.ts'
import { type CredentialContext, injectCredential } from './secrets/inject-credential.ts'
import { sendJson } from './send-json.ts'
import { isTwisted } from './twisted-path.ts'

type ProxyOptions = {
  readonly port: number
  /** The open run that a key is for; null: none. */
  readonly runOf: (presented: string) => Promise<string | null>
  /** Whether this is a token of the daemon, which is no key. */
  readonly isToken: (presented: string) => boolean
  /** Null: mail is not set up. */
  readonly post: MailSender | null
  readonly keyed: CredentialContext
  readonly log: (what: string, about: JsonObject) => void
}

export type Proxy = { readonly url: string; readonly close: () => Promise<void> }

const requestsMax = 200
const headersMsMax = 10_000
const requestMsMax = 120_000

/** Opens the proxy on loopback. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const server = createServer({ requestTimeout: requestMsMax, headersTimeout: headersMsMax })
  let requests = 0
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    requests += 1
    response.once('close', () => {
      requests -= 1
    })
    const answering =
      requests > requestsMax ? Promise.reject(tooMany()) : answer(options, request, response)
    answering.catch((fault: unknown) => sendRefusal(options, response, fault))
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await options.post?.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function tooMany(): ResendRefusal {
  const message = 'too many requests are in progress: try again in a moment'
  return new ResendRefusal({ statusCode: 429, name: 'rate_limit_exceeded', message })
}

async function answer(
  options: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  refuseStrangers(request)
  const target = request.url ?? '/'
  // WHY before anything is parsed: what two readers could take for two paths is none.
  if (!/^\/[\w./~:@!$&'()*+,;=%?-]*$/.test(target) || isTwisted(target)) {
    resendError(400, 'validation_error', 'this path is not allowed')
  }
  const [, room = '', ...rest] = (target.split('?')[0] ?? '').split('/')
  const path = `/${rest.join('/')}`
  const runId = await runOf(options, request)
  if (room === 'resend') {
    if (options.post === null)
      resendError(404, 'not_found', 'mail is not set up: see `proxy` in config.json')
    return answerMail({ post: options.post, runId, path }, request, response)
  }
  if (room === 'to')
    return injectCredential(options.keyed, { request, response, runId, path, target })
  return resendError(404, 'not_found', 'the only paths are `/resend` and `/to/NAME`')
}

/** A page in a browser has no business here, under whatever name it reached us. */
function refuseStrangers({ headers, socket }: IncomingMessage): void {
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${socket.localPort}`)
  const isOurs = names.includes(headers.host ?? '')
  if (!isOurs || headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    resendError(403, 'validation_error', 'only programs on this machine may use the proxy')
  }
}

/**
 * The run that the key is for. WHY not the agent's token: it is good for any run, and so for one of
 * a definition that the agent has written itself.
 */
async function runOf(options: ProxyOptions, { headers }: IncomingMessage): Promise<string> {
  const presented =
    /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? headerText(headers['x-pawl-key'])
  if (presented === null)
    return resendError(401, 'missing_api_key', `the key is missing: ${keyHint}`)
  const runId = await options.runOf(presented)
  if (runId !== null) return runId
  const why = options.isToken(presented.slice(presented.lastIndexOf('.') + 1))
    ? 'a daemon token is not a key for the proxy'
    : 'this is not the key of an open run'
  return resendError(403, 'invalid_api_key', `${why}: ${keyHint}`)
}

const keyHint = 'a person creates one with `pawl mail key RUN`'

function headerText(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null
}

function sendRefusal({ log }: ProxyOptions, response: ServerResponse, fault: unknown): void {
  const refused = fault instanceof ResendRefusal ? fault.refused : unforeseen(log, fault)
  if (response.headersSent) return void response.destroy()
  sendJson(response, refused.statusCode, { ...refused })
}

function unforeseen(log: ProxyOptions['log'], fault: unknown): ResendProblem {
  log('a request to the proxy failed', {
    fault: fault instanceof Error ? fault.message : 'unknown',
  })
  const message =
    'Pawl failed on this request, and it is unknown whether it was sent; see `daemon.log`'
  return { statusCode: 500, name: 'application_error', message }
}
