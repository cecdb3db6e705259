/**
 * A call before and after: judged by the daemon, parked while a person decides, reported when it
 * has ended. Nothing is decided here.
 */
import type { DenialCode, GatewayCode } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { McpName } from '../core/tools/mcp-name.ts'
import type { OperationAnswer } from '../doors/api/contract.ts'
import { PawlProblem, type ProblemCode } from '../doors/api/problem.ts'
import type { ShownSignature } from '../doors/mcp/caller-mark.ts'
import { callLeaseMs } from '../runtime/calls/leases.ts'
import { errorMessageOf } from '../runtime/error-code.ts'
import { openBypass } from './bypass.ts'
import { callerOf, type GatewayContext } from './gateway-context.ts'

export type GatewayCallRequest = {
  readonly server: McpName
  readonly input: JsonObject
  readonly mark: ShownSignature | null
  /** Raised when the client no longer wants the answer. */
  readonly signal: AbortSignal
  /** Tells a client that asked for it how a long call is getting on. */
  readonly progress: (message: string) => void
  /** What the settings say that it costs. */
  readonly costMicroUsd: number
}

export type GatewayJudgement =
  | {
      readonly kind: 'go'
      readonly input: JsonObject
      /** Bytes that the result may have; null: as many as it likes. */
      readonly bytesLeft: number | null
      /** Null: nobody keeps count of it. */
      readonly report: ((ended: CallOutcome) => void) | null
    }
  | { readonly kind: 'no'; readonly refusal: CallRefused }

export type CallRefused = {
  readonly code: DenialCode | GatewayCode | ProblemCode | 'APPROVAL_PENDING'
  readonly reason: string
  readonly hint: string
  readonly approvalId: string | null
}

/** How a call has ended. */
export type CallOutcome = {
  readonly ok: boolean
  readonly output: string | null
  readonly bytes: number
  readonly costMicroUsd: number
  /** The gateway did not make it in the end; absent: it may have had its effect. */
  readonly wasNotMade?: true
}

/** The end of a call that was let through, and that the gateway does not make. */
export const notMade: CallOutcome = {
  ...{ ok: false, output: null, bytes: 0, costMicroUsd: 0, wasNotMade: true },
}

export type GatewayJudge = {
  /** Whether nobody has a say in a call without a mark; else the daemon has to be asked. */
  readonly judgeFreely: (input: JsonObject) => boolean
  readonly judge: (wish: GatewayCallRequest) => Promise<GatewayJudgement>
  /** When all that was reported has been taken. */
  readonly close: () => Promise<void>
}

/** With when it was asked for, by the clock on the wall. */
type Verdict = OperationAnswer<'gateway.check'> & { readonly askedAt: number }

/** How often a client that waits for a person is told so. */
const beatMs = 5_000
/** Characters of a result that go on record with its report. */
const outputCharsMax = 200_000

export function openGatewayJudge(context: GatewayContext): GatewayJudge {
  const reports = new Set<Promise<void>>()
  /** Those of them that had to be sent again. */
  const late = new Set<Promise<void>>()
  const reportOf = ({ runId, callId, branch, approvalId }: Verdict) => {
    if (runId === null || callId === null) return null
    const call = { runId, callId, branch }
    const release = approvalId === null ? null : keepLease(context, call)
    return (ended: CallOutcome): void => {
      release?.()
      const onLost = (): void => void late.add(done)
      const done = report(context, { ...call, onLost }, ended).finally(() => {
        reports.delete(done)
        late.delete(done)
      })
      reports.add(done)
    }
  }
  const pass = openBypass()
  return {
    judgeFreely: pass.covers,
    close: async () => {
      pass.close()
      await Promise.all(reports)
    },
    judge: async (wish) => {
      const { input: asked } = wish
      try {
        if (wish.mark === null && pass.covers(asked)) return { ...freely, input: asked }
        // WHY for no other: they were sent before, and the daemon counts them first.
        if (late.size > 0) await Promise.all(late)
        const askedAt = performance.now()
        const verdict = await decided(context, wish)
        pass.take(verdict.pass, askedAt)
        if (verdict.verdict !== 'allow') return { kind: 'no', refusal: refusalOf(verdict) }
        const { bytesLeft } = verdict
        const input = verdict.input ?? asked
        const report = reportOf(verdict)
        if (!isLate(verdict)) return { kind: 'go', input, bytesLeft, report }
        report?.(notMade)
        return { kind: 'no', refusal: tooLate }
      } catch (fault) {
        return { kind: 'no', refusal: refusalOfFault(fault) }
      }
    },
  }
}

/** INVARIANT: by the time of the question, which is not after the beginning of the lease. */
function isLate({ approvalId, askedAt }: Verdict): boolean {
  return approvalId !== null && Date.now() - askedAt >= callLeaseMs
}

const tooLate: CallRefused = {
  code: 'CALL_UNSURE',
  reason: 'the gateway was suspended for so long that this approved call may have been written off',
  hint: 'it was not made; make the same call again, and a person is asked again',
  approvalId: null,
}

const freely = { kind: 'go', bytesLeft: null, report: null } as const

async function check(
  context: GatewayContext,
  wish: GatewayCallRequest,
  waitMs: number,
): Promise<Verdict> {
  const { holder, held } = context
  const { server, input, mark, signal, costMicroUsd: estimateMicroUsd } = wish
  const whose = callerOf(context, mark)
  const asked = { ...whose, server, input, holder, estimateMicroUsd, waitMs }
  const askedAt = Date.now()
  const verdict = await context.daemon('gateway.check', asked, { signal })
  if (verdict.runId !== null) held.runId = verdict.runId
  return { ...verdict, askedAt }
}

/** The verdict, after a person was waited for as long as the settings say. */
async function decided(context: GatewayContext, wish: GatewayCallRequest): Promise<Verdict> {
  const end = performance.now() + context.askWaitMs
  let verdict = await check(context, wish, Math.min(context.askWaitMs, beatMs))
  while (isUndecided(verdict) && !wish.signal.aborted) {
    const left = Math.floor(end - performance.now())
    if (left <= 0) return verdict
    const who = verdict.verdict === 'ask' ? 'a person decides' : 'it waits'
    wish.progress(`${who}: ${verdict.reason}`)
    verdict = await check(context, wish, Math.min(left, beatMs))
  }
  return verdict
}

/** A person decides, or an earlier call is still running. */
function isUndecided({ verdict, code }: Verdict): boolean {
  return verdict === 'ask' || code === 'PREREQUISITE_RUNNING'
}

type ApprovedCall = Pick<Verdict, 'branch'> & { readonly runId: string; readonly callId: string }

/** Says now and then that an approved call is still being made; gives how to stop. */
function keepLease(
  { daemon, holder, log }: GatewayContext,
  { runId, callId }: ApprovedCall,
): () => void {
  const renew = (): void => {
    daemon('gateway.renew', { runId, callId, holder })
      .then(({ renewed }) => {
        if (renewed) return
        clearInterval(timer)
        log(`the call \`${callId}\` was written off while it was being made`)
      })
      .catch((fault: unknown) => log(`a lease could not be renewed: ${errorMessageOf(fault)}`))
  }
  const timer = setInterval(renew, callLeaseMs / 3)
  return () => clearInterval(timer)
}

type Reported = ApprovedCall & { readonly onLost: () => void }

async function report(context: GatewayContext, made: Reported, ended: CallOutcome): Promise<void> {
  const { runId, callId, branch, onLost } = made
  const { output } = ended
  const whole = {
    runId,
    callId,
    ...(branch === null ? {} : { branch }),
    holder: context.holder,
    ...ended,
    output: output === null || output.length > outputCharsMax ? null : output,
  }
  try {
    await context.daemon('gateway.report', whole, { onLost })
  } catch (fault) {
    context.log(`a call could not be reported: ${errorMessageOf(fault)}`)
  }
}

function refusalOf(verdict: Verdict): CallRefused {
  const { code, reason, hint, approvalId } = verdict
  if (verdict.verdict === 'ask') return { code: 'APPROVAL_PENDING', reason, hint, approvalId }
  return { code: code ?? 'INTERNAL', reason, hint, approvalId }
}

/** INVARIANT: what cannot be judged is refused. */
function refusalOfFault(fault: unknown): CallRefused {
  if (fault instanceof PawlProblem) {
    const { code, detail, hint } = fault
    return { code, reason: detail, hint, approvalId: null }
  }
  const reason = errorMessageOf(fault)
  const hint = 'this is a bug in Pawl; tell a person'
  return { code: 'INTERNAL', reason, hint, approvalId: null }
}
