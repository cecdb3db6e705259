/**
 * A request of an agent that is a call like any other: judged by its run, and by a person where
 * the policy asks for one.
 */
import type { JsonObject } from '../core/json.ts'
import type { Intent, Runtime } from '../runtime/runtime.ts'
import { waitForDecision } from '../runtime/wait-for-decision.ts'
import { refuse } from './refused.ts'

export type Judged = { readonly tool: string; readonly input: JsonObject }

/** The id of the call that was let through; whatever else is refused. */
export type Judge = (runId: string, what: Judged) => Promise<string | null>

type Options = { readonly runtime: Runtime; readonly askWaitMs: number }

const asAgent = { actor: { kind: 'agent', name: 'agent' }, commandId: null } as const

export function openJudge({ runtime, askWaitMs }: Options): Judge {
  return async (runId, what) => {
    const first = await check(runtime, runId, what)
    if (first.verdict === 'allow') return first.callId
    if (first.verdict === 'deny') return denied(first)
    const { view } = await runtime.readRun(runId, null)
    const approvalId = view.approval?.id ?? ''
    const isGranted = await waitForDecision(runtime, approvalId, askWaitMs)
    if (!isGranted) return refuse(403, 'validation_error', askedText(approvalId, first.reason))
    const second = await check(runtime, runId, what)
    return second.verdict === 'allow' ? second.callId : denied(second)
  }
}

async function check(runtime: Runtime, runId: string, { tool, input }: Judged) {
  const where = { host: 'claude', server: null, cwd: null, branch: null } as const
  const intent: Intent = { kind: 'check', tool, input, ...where, estimateMicroUsd: 0 }
  const { reply } = await runtime.send(runId, intent, asAgent)
  if (reply.kind === 'verdict') return reply
  return refuse(500, 'application_error', 'the request was not judged')
}

type Said = {
  readonly code: string | null
  readonly reason: string
  readonly hint: string
  readonly rule: string | null
}

function denied({ code, reason, hint, rule }: Said): never {
  const by = [code, rule === null ? null : `rule ${rule}`].filter((one) => one !== null).join(', ')
  const how = hint === '' ? '' : `; ${hint}`
  return refuse(403, 'validation_error', `Pawl refused this: ${reason} [${by}]${how}`)
}

function askedText(approvalId: string, reason: string): string {
  return (
    `a person has to decide first (approval ${approvalId}): ${reason}. ` +
    'Send exactly the same again once it is approved; nothing was sent'
  )
}
