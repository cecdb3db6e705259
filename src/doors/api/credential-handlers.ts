/** Handlers of the operations by which agents get credentials. */
import type { credentialOperations } from './credential-operations.ts'
import { done, failedAnswer, type HandlersOf } from './handler-context.ts'
import { problem } from './problem.ts'

export const credentialHandlers: HandlersOf<keyof typeof credentialOperations> = {
  'credentials.issue': async ({ agents, agent, isGateway }) => {
    if (agents === null) return failedAnswer(noCredentials)
    // WHY: what is bound to a run must not get what is bound to none.
    if (agent !== null) return failedAnswer(alreadyHasOne)
    const { credential, session } = agents.issue(isGateway ? 'gateway' : 'agent')
    return done({ credential, session: session.name })
  },
  'credentials.forRun': async ({ agents, runtime }, { runId }) => {
    if (agents === null) return failedAnswer(noCredentials)
    // Fault `RUN_UNKNOWN`.
    await runtime.readRun(runId, null)
    return done({ credential: agents.issueForRun(runId), runId })
  },
}

const noCredentials = problem('REQUEST_INVALID', { detail: 'this daemon gives no credentials' })

const alreadyHasOne = problem('NOT_PERMITTED', {
  detail: 'a credential cannot get another one',
  hint: 'send `agent.token` to get a credential (`credentials.issue`)',
})
