/** Handlers of the operations about keys of the outbound proxy. */
import { done, type HandlersOf } from './handler-context.ts'
import type { mailOperations } from './mail-operations.ts'

export const mailHandlers: HandlersOf<keyof typeof mailOperations> = {
  'mail.makeKey': async ({ runtime }, { runId }) =>
    done({ runId, key: await runtime.proxyKeys.make(runId) }),
  'mail.revokeKey': async ({ runtime }, { runId }) =>
    done({ runId, revoked: await runtime.proxyKeys.revoke(runId) }),
}
