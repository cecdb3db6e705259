/**
 * Judges a request about a job as a call: by its run and policies, or by policies alone if there
 * is no run.
 */
import type { Report } from '../core/engine/types.ts'
import { ownHostId } from '../core/hosts/registry.ts'
import type { JsonObject } from '../core/json.ts'
import { ruleFields } from '../core/judge/rule-answer.ts'
import type { JobTool } from '../core/tools/pawl-tool-names.ts'
import type { CallAnswer, CallRequest } from '../runtime/calls/calls.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { JobCaller, JobPending } from '../runtime/jobs/jobs-port.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** A call that may be made; `input` as it is to be made, `callId` by which it is reported. */
export type AllowedJob = { readonly input: JsonObject; readonly callId: string | null }

type JobCallRequest = {
  readonly tool: JobTool
  readonly input: JsonObject
  readonly caller: JobCaller
  /** How long a person gets to decide before the caller is told to come again. */
  readonly waitMs: number
}

/** WHY a holder: how a job ended is what the runner saw, and nobody else's word counts. */
const fromRunner = { door: 'job', caller: '', holder: 'runner' } as const

export function isPending(answer: object): answer is JobPending {
  return 'status' in answer && answer.status === 'pending_approval'
}

/** Faults `PolicyDenied`, `ApprovalRejected`. */
export async function judgeJob(
  runtime: Runtime,
  asking: JobCallRequest,
): Promise<AllowedJob | JobPending> {
  const { caller, input, tool, waitMs } = asking
  const { runId, workspace, actor } = caller
  if (runId === null && workspace === null) return { input, callId: null }
  const answer = await runtime.calls.begin(requestOf(asking), { actor, waitMs })
  const { state, approvalId, reason, callId } = answer
  // WHY a person is not asked: they are the one who would be.
  const isOwnQuestion = state === 'pending' && runId === null && actor.kind === 'person'
  if (state === 'allowed' || isOwnQuestion) return { input: answer.input ?? input, callId }
  if (state === 'pending' && approvalId !== null) {
    const capability = tool.replace('_', '.')
    return { status: 'pending_approval', approval_id: approvalId, capability, message: reason }
  }
  throw faultOf(answer)
}

function requestOf({ tool, input, caller }: JobCallRequest): CallRequest {
  const { runId, branch, workspace, commandId } = caller
  return {
    ...fromRunner,
    place:
      runId === null
        ? { kind: 'none', workspace: workspace ?? '/' }
        : { kind: 'run', runId, branch },
    // WHY: the same request sent twice is one job, as far as the runner knows it.
    ...({ key: commandId, sameAs: 'key', host: ownHostId, server: null, cwd: null } as const),
    ...{ tool, input, estimateMicroUsd: 0 },
  }
}

function faultOf({ refusal, approvalId, ...answer }: CallAnswer): JobFault {
  const { code, reason, hint, instead } = answer
  if (refusal !== null) {
    const why = refusal.note === '' ? 'the person gave no reason' : refusal.note
    const context = { approval_id: approvalId, reason: why }
    return new JobFault('ApprovalRejected', reason, { context })
  }
  return new JobFault('PolicyDenied', reason, {
    context: { code, ...ruleFields(answer), instead: instead.map((one) => ({ ...one })) },
    ...(hint === '' ? {} : { recovery: [{ action: 'choose_another', description: hint }] }),
  })
}

type Reporting = {
  readonly runId: string | null
  readonly branch: string | null
  readonly callId: string | null
}

/** Tells a run what became of a call. */
export async function reportJob(
  runtime: Runtime,
  { runId, branch, callId }: Reporting,
  ended: Partial<Report> & Pick<Report, 'ok'>,
): Promise<void> {
  if (runId === null || callId === null) return
  const report = { output: null, exitCode: null, bytes: 0, costMicroUsd: 0, ...ended }
  const request = { ...fromRunner, runId, branch, callId, report }
  await runtime.calls.end(request, { kind: 'system', name: 'pawl' })
}
