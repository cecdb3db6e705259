/**
 * The part of Resend's API that agents may use: sending one mail or a batch. Everything else
 * (keys, domains, audiences, changing scheduled mail) is answered as for a key that may only send.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readRequestBytes, readRequestJson } from '../read-json.ts'
import { resendError } from '../resend-error.ts'
import { sendJson } from '../send-json.ts'
import type { MailSender } from './send-mail.ts'

type MailRequest = { readonly post: MailSender; readonly runId: string; readonly path: string }

export async function answerMail(
  { post, runId, path }: MailRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = request
  if (method !== 'POST' || (path !== '/emails' && path !== '/emails/batch')) {
    resendError(
      401,
      'restricted_api_key',
      'this key may only send: `POST /emails`, `/emails/batch`',
    )
  }
  if (!/^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')) {
    resendError(
      422,
      'validation_error',
      'the body must be JSON: send `content-type: application/json`',
    )
  }
  const idempotencyKey = headers['idempotency-key'] ?? null
  if (Array.isArray(idempotencyKey))
    resendError(400, 'invalid_idempotency_key', 'only one key is allowed')
  const body = readRequestJson(await readRequestBytes(request))
  const kind = path === '/emails' ? 'one' : 'batch'
  sendJson(response, 200, await post.send({ runId, kind, body, idempotencyKey }))
}
