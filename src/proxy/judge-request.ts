/**
 * Judges a request of an agent as a call: by its run, and by a person if the policy asks for one.
 */
import { ownHostId } from '../core/hosts/registry.ts'
import type { JsonObject } from '../core/json.ts'
import { ruleText } from '../core/judge/rule-answer.ts'
import type { CallAnswer } from '../runtime/calls/calls.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { resendError } from './resend-error.ts'

export type JudgedRequest = { readonly tool: string; readonly input: JsonObject }

/** The id of the call that was let through; whatever else is refused. */
export type RequestJudge = (runId: string, what: JudgedRequest) => Promise<string | null>

type Options = { readonly runtime: Runtime; readonly askWaitMs: number }

/** WHY a holder: how a request ended is what the proxy saw, and nobody else's word counts. */
const fromProxy = { door: 'proxy', caller: '', holder: 'proxy' } as const
const actor = { kind: 'agent', name: 'agent' } as const

export function openRequestJudge({ runtime, askWaitMs }: Options): RequestJudge {
  return async (runId, what) => {
    const place = { kind: 'run', runId, branch: null } as const
    const from = { ...fromProxy, key: null, host: ownHostId } as const
    const call = { place, ...from, ...what, server: null, cwd: null, estimateMicroUsd: 0 }
    const answer = await runtime.calls.begin(call, { actor, waitMs: askWaitMs })
    if (answer.state === 'allowed') return answer.callId
    return resendError(403, 'validation_error', refusalText(answer))
  }
}

function refusalText(answer: CallAnswer): string {
  const { state, code, reason, hint, approvalId } = answer
  if (state === 'pending') {
    return (
      `a person must decide first (approval ${approvalId}): ${reason}. ` +
      'Nothing was sent; send exactly the same request again once it is approved'
    )
  }
  const by = [code, ruleText(answer)].filter((one) => one !== null && one !== '').join(', ')
  return `Pawl denied this: ${reason} [${by}]${hint === '' ? '' : `; ${hint}`}`
}

type RequestOutcome = {
  readonly runId: string
  readonly callId: string | null
  readonly ok: boolean
  readonly bytes: number
}

/** Tells the run how a request ended that was let through. */
export async function endRequest(runtime: Runtime, ended: RequestOutcome): Promise<void> {
  const { runId, callId, ok, bytes } = ended
  const report = { ok, output: null, exitCode: null, bytes, costMicroUsd: 0 }
  const request = { ...fromProxy, runId, branch: null, callId, report }
  await runtime.calls.end(request, { kind: 'system', name: 'pawl' })
}
