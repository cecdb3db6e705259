/**
 * A call about a job, judged like any other call: by its run and the policies over it, or by the
 * policies alone where there is no run.
 */
import type { NamedRule } from '../core/engine/call.ts'
import type { Reply, Report } from '../core/engine/types.ts'
import type { JsonObject } from '../core/json.ts'
import type { JobTool } from '../core/tools/own-tools.ts'
import { JobFault } from '../runtime/job-fault.ts'
import type { JobCaller, JobPending } from '../runtime/jobs.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Intent, Runtime } from '../runtime/runtime.ts'

/** A call that may be made; `input` as it is to be made, `callId` by which it is reported. */
export type Let = { readonly input: JsonObject; readonly callId: string | null }

type Asking = {
  readonly tool: JobTool
  readonly input: JsonObject
  readonly caller: JobCaller
  /** How long a person gets to decide before the caller is told to come again. */
  readonly waitMs: number
}

type Verdict = Extract<Reply, { kind: 'verdict' }>

export function isPending(answer: object): answer is JobPending {
  return 'status' in answer && answer.status === 'pending_approval'
}

/** Faults `PolicyDenied`, `ApprovalRejected`. */
export async function judgeJob(runtime: Runtime, asking: Asking): Promise<Let | JobPending> {
  const { caller, tool, input } = asking
  if (caller.runId === null) return judgeFree(runtime, asking)
  const first = await check(runtime, asking, '')
  if (first.verdict === 'allow') return letThrough(first, input)
  if (first.verdict === 'deny') throw denied(first)
  const { view } = await runtime.readRun(caller.runId, caller.branch)
  const approvalId = view.approval?.id ?? null
  if (approvalId === null) throw denied(first)
  const message = view.approval?.message ?? first.reason
  const capability = tool.replace('_', '.')
  const decision = await waitForDecision(runtime, approvalId, asking.waitMs)
  if (decision.status === 'refused' || decision.status === 'expired') {
    const reason = decision.note === '' ? 'the person gave no reason' : decision.note
    const what = decision.status === 'refused' ? 'a person refused it' : 'nobody decided in time'
    throw new JobFault('ApprovalRejected', `${what}: ${reason}`, {
      context: { approval_id: approvalId, reason },
    })
  }
  if (decision.status === 'granted') {
    const second = await check(runtime, asking, ':decided')
    if (second.verdict === 'allow') return letThrough(second, input)
    if (second.verdict === 'deny') throw denied(second)
  }
  return { status: 'pending_approval', approval_id: approvalId, capability, message }
}

function letThrough({ input: running, callId }: Verdict, input: JsonObject): Let {
  return { input: running ?? input, callId }
}

async function check(runtime: Runtime, asking: Asking, suffix: string): Promise<Verdict> {
  const { tool, input, caller } = asking
  const { actor, commandId, branch, runId } = caller
  const intent: Intent = {
    ...{ kind: 'check', tool, input, host: 'claude', server: null, cwd: null, branch },
    estimateMicroUsd: 0,
  }
  const by = { actor, commandId: commandId === null ? null : `${commandId}${suffix}` }
  const { reply } = await runtime.send(runId ?? '', intent, by)
  if (reply.kind === 'verdict') return reply
  const why = reply.kind === 'refused' ? reply.reason : 'the call was not judged'
  throw new JobFault('PolicyDenied', why)
}

function denied({ code, reason, hint, instead, ...said }: Verdict): JobFault {
  const more = instead.map((one) => ({ ...one }))
  return new JobFault('PolicyDenied', reason, {
    context: { code, ...ruleIn(said), instead: more },
    ...(hint === '' ? {} : { recovery: [{ action: 'choose_another', description: hint }] }),
  })
}

function ruleIn({ rule, document }: NamedRule): NamedRule {
  return document === undefined ? { rule } : { rule, document }
}

/** WHY a person is not asked: they are the one who would be. */
function judgeFree(runtime: Runtime, { tool, input, caller }: Asking): Let {
  const { workspace, actor } = caller
  if (workspace === null) return { input, callId: null }
  const call = { tool, input, host: 'claude', server: null, cwd: null, workspace } as const
  const verdict = runtime.checkFree(call)
  const isAsked = verdict.verdict === 'ask' && actor.kind === 'person'
  if (verdict.verdict === 'allow' || isAsked) return { input, callId: null }
  throw new JobFault('PolicyDenied', verdict.reason, {
    context: { code: verdict.code, ...ruleIn(verdict) },
    recovery: [{ action: 'start_run', description: verdict.hint }],
  })
}

type Decided = { readonly status: string; readonly note: string }

async function waitForDecision(runtime: Runtime, id: string, waitMs: number): Promise<Decided> {
  const end = performance.now() + waitMs
  for (;;) {
    const row = await runtime.readApproval(id)
    const timeoutMs = Math.floor(end - performance.now())
    if (row.status !== 'pending' || timeoutMs <= 0) {
      return { status: row.status, note: row.note ?? '' }
    }
    const after = (await runtime.readHead(row.runId))?.seq ?? 0
    await runtime.waitFor({ runId: row.runId, after, timeoutMs, signal: null })
  }
}

const system = { kind: 'system', name: 'pawl' } as const

type Reporting = {
  readonly runId: string | null
  readonly branch: string | null
  readonly callId: string | null
}

/** Tells a run what became of a call. A run that is gone needs to be told nothing. */
export async function reportJob(
  runtime: Runtime,
  { runId, branch, callId }: Reporting,
  report: Partial<Report> & Pick<Report, 'ok'>,
): Promise<void> {
  if (runId === null || callId === null) return
  const whole = { output: null, exitCode: null, bytes: 0, costMicroUsd: 0, ...report }
  try {
    const intent = { kind: 'report', callId, report: whole, branch } as const
    await runtime.send(runId, intent, { actor: system, commandId: null })
  } catch (fault) {
    if (!(fault instanceof PawlError) || fault.code !== 'RUN_UNKNOWN') throw fault
  }
}
