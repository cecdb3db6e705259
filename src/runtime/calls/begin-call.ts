/**
 * Begins a call: asks the run, waits for people and for earlier calls that wait, and returns the
 * state of the call, also if its caller asks again after a crash.
 * Knows runs and leases. Must not know hosts, transports or texts for agents.
 */
import { identityOf } from '../../core/engine/call-identity.ts'
import type { Family, FamilyMember } from '../../core/engine/family.ts'
import { refusedText, unsureCall } from '../../core/engine/repeated-call.ts'
import type { Denial, OpenCall, Reply } from '../../core/engine/types.ts'
import { hashCall } from '../../core/judge/grants.ts'
import type { Store } from '../ports.ts'
import type { LoadedRun } from '../runs/load-run.ts'
import type { RunQueue } from '../runs/run-queue.ts'
import type { CommandOutcome, Intent, Runtime } from '../runtime.ts'
import { callerName, callersBefore, holderName } from './call-names.ts'
import type { BeginOptions, CallAnswer, CallPlace, CallRequest, CallState } from './calls.ts'
import { findLoggedCall } from './find-logged-call.ts'
import { type LeaseTools, putLease, takeLease } from './leases.ts'

export type CallTools = LeaseTools & {
  readonly store: Store
  readonly runtime: Pick<Runtime, 'send' | 'checkFree' | 'readApproval' | 'readHead' | 'waitFor'>
  readonly currentRun: (runId: string) => Promise<LoadedRun>
  /** The run of the family that listens now. */
  readonly leafOf: (run: LoadedRun, branch: string | null) => FamilyMember
  /** Calls that wait until a call before them is decided, in their order. */
  readonly siblings: RunQueue
}

type InRun = CallRequest & { readonly place: Extract<CallPlace, { kind: 'run' }> }
type Verdict = Extract<Reply, { kind: 'verdict' }>

/** Judges a call, and waits for a decision as long as its caller does. */
export async function beginCall(
  tools: CallTools,
  request: CallRequest,
  options: BeginOptions & { readonly onJudged: (ms: number) => void },
): Promise<CallAnswer> {
  const { place } = request
  if (place.kind === 'unclear') return deniedAnswer(place)
  if (place.kind === 'none') return judgeWithoutRun(tools, request, place.workspace)
  const call: InRun = { ...request, place }
  const from = performance.now()
  const { waitMs, orderMs = waitMs, signal = null } = options
  const until = { ends: from + waitMs, signal }
  const siblings = { ends: from + Math.min(orderMs, siblingMsMax), signal }
  const judging = { ...options, until, siblings, inFlight: { ends: from + orderMs, signal } }
  let answer = await judgeInOrder(tools, call, judging)
  while (answer.state === 'pending' && answer.approvalId !== null) {
    const { approvalId } = answer
    if (call.asksUser && !answer.needsQuorum) return answer
    const asked = { runId: call.place.runId, approvalId }
    if (!(await waitForDecision(tools, asked, until))) return answer
    answer = await judgeAgain(tools, call, { ...judging, waitId: null })
  }
  return answer
}

/** How long the calls of one turn may take to get here, one after another. */
const siblingMsMax = 1_000

type Judging = BeginOptions & {
  readonly until: Until
  /** How long it waits for a call of its turn to begin. */
  readonly siblings: Until
  /** How long it waits for calls in flight. */
  readonly inFlight: Until
  readonly onJudged: (ms: number) => void
}

/** How often a call is judged again that another one overtook with a question to a person. */
const overtakenMax = 20

/** Judges a call as soon as no other call of its run waits for a person. */
async function judgeInOrder(tools: CallTools, call: InRun, options: Judging): Promise<CallAnswer> {
  const { until } = options
  for (let tries = 0; ; tries += 1) {
    await waitForSiblings(tools, call, until)
    // WHY: nobody would make the call, and a verdict under its key would count for the next try.
    if (until.signal?.aborted === true) return deniedAnswer(callerGone)
    const from = performance.now()
    const first = await judge(tools, call, options)
    options.onJudged(performance.now() - from)
    const answer = await judgeAfterOthers(tools, call, { ...options, first })
    const isOvertaken = answer.code === 'APPROVAL_PENDING' && (await isBlocked(tools, call))
    if (!isOvertaken || tries >= overtakenMax || until.ends <= performance.now()) return answer
  }
}

/** How often a call is judged again because those that it waited for have ended. */
const judgedAgainMax = 50

/**
 * Judges a call again when the calls in flight have ended that it has to come after. When its time
 * is over it is judged as it is then.
 */
async function judgeAfterOthers(
  tools: CallTools,
  call: InRun,
  options: Judging & { readonly first: CallAnswer },
): Promise<CallAnswer> {
  const { inFlight, siblings, first } = options
  const { runId } = call.place
  let answer = first
  for (let tries = 0; answer.waiting !== null; tries += 1) {
    const { seq } = answer
    const { waitId, waitsFor } = answer.waiting
    const isAhead = waitsFor.length > 0
    const isOn = async (): Promise<boolean> => {
      const { family, head } = await tools.currentRun(runId)
      return isAhead ? !isAnyInFlight(family, waitsFor) : head.seq > seq
    }
    const until = isAhead ? inFlight : siblings
    const isOver = !(await waitUntil(tools, { ...until, runId }, isOn))
    if (inFlight.signal?.aborted === true) return { ...answer, waiting: null }
    const isLast = (isOver && isAhead) || tries >= judgedAgainMax
    const now = performance.now()
    const left = {
      inFlight: isLast ? { ...inFlight, ends: now } : inFlight,
      // Those of its turn have begun long since.
      siblings: isAhead ? { ...siblings, ends: now } : siblings,
    }
    answer = await judgeAgain(tools, call, { ...options, ...left, waitId })
    if (isLast) return { ...answer, waiting: null }
  }
  return answer
}

function isAnyInFlight({ members }: Family, ids: readonly string[]): boolean {
  return members.some(
    ({ state: { openCalls, waitingCalls = [] } }) =>
      openCalls.some(({ callId }) => ids.includes(callId)) ||
      waitingCalls.some(({ waitId }) => ids.includes(waitId)),
  )
}

/** Where no run judges, policies do; nobody keeps a question, so `pending` has no approval. */
function judgeWithoutRun(
  { runtime }: CallTools,
  { tool, input, host, server, cwd }: CallRequest,
  workspace: string,
): CallAnswer {
  const { isFree, ...verdict } = runtime.checkFree({ tool, input, host, server, cwd, workspace })
  const [isAllowed, isAsked] = [verdict.verdict === 'allow', verdict.verdict === 'ask']
  return {
    ...nothing,
    ...verdict,
    state: isAllowed ? 'allowed' : isAsked ? 'pending' : 'denied',
    input: isAllowed ? input : null,
    isUnguarded: isFree,
  }
}

/** A denial that no run has recorded. */
export function deniedAnswer({ code, reason, hint }: Denial): CallAnswer {
  return { ...nothing, verdict: 'deny', state: 'denied', code, reason, hint, rule: null }
}

const callerGone: Denial = {
  code: 'APPROVAL_PENDING',
  reason: 'the caller disconnected while an earlier call was waiting for approval',
  hint: 'make the call again',
}

const nothing = {
  instead: [],
  input: null,
  callId: null,
  approvalId: null,
  needsQuorum: false,
  refusal: null,
  waiting: null,
  report: null,
  runId: null,
  branch: null,
  isUnguarded: false,
  seq: 0,
  view: () => null,
} as const

/** The first time: a call whose key is known already answers with what it is now. */
async function judge(tools: CallTools, call: InRun, options: Judging): Promise<CallAnswer> {
  // WHY only by key: other callers use a new key for every call, or may reuse one.
  const commandId = call.sameAs === 'key' ? call.key : null
  const outcome = await send(tools, call, { ...options, waitId: null, commandId })
  if (!outcome.isRepeated || commandId === null) return settle(tools, call, outcome)
  const known = await knownAnswer(tools, { ...call, key: commandId }, outcome.seq)
  return known ?? judgeAgain(tools, call, { ...options, waitId: null })
}

async function judgeAgain(tools: CallTools, call: InRun, options: Resending): Promise<CallAnswer> {
  return settle(tools, call, await send(tools, call, { ...options, commandId: null }))
}

type Resending = Pick<Judging, 'actor' | 'inFlight' | 'siblings'> & {
  readonly waitId: string | null
}

function send(
  { runtime }: CallTools,
  call: InRun,
  options: Resending & { readonly commandId: string | null },
): Promise<CommandOutcome> {
  const { actor, commandId, inFlight, siblings, waitId } = options
  const now = performance.now()
  const ms = Math.max(0, Math.floor(inFlight.ends - now))
  const siblingMs = Math.min(ms, Math.max(0, Math.floor(siblings.ends - now)))
  const behind = callersBefore(call.door, call.caller)
  const { place, door, caller, key, sameAs, tool, input, host, server, cwd } = call
  const { attempt, asksUser, estimateMicroUsd, holder, folder } = call
  const intent: Intent = {
    kind: 'check',
    ...{ tool, input, host, server, cwd, branch: place.branch },
    caller: callerName(door, caller),
    ...(key === null ? {} : { key }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(sameAs === undefined ? {} : { sameAs }),
    ...(asksUser === undefined ? {} : { asksUser }),
    ...(folder === undefined ? {} : { folder }),
    ...(estimateMicroUsd === undefined ? {} : { estimateMicroUsd }),
    ...(holder === undefined ? {} : { holder: holderName(door, holder) }),
    ...(behind.length === 0 ? {} : { waits: { ms, siblingMs, behind } }),
    ...(waitId === null ? {} : { waitId }),
  }
  return runtime.send(place.runId, intent, { actor, commandId })
}

/** What the verdict of a run means to the call, with the lease of an approved one. */
async function settle(tools: CallTools, call: InRun, outcome: CommandOutcome): Promise<CallAnswer> {
  const { runId } = call.place
  const { holder } = call
  const answer = answerOf(call, outcome)
  const { callId, approvalId } = answer
  if (call.sameAs !== 'contents' || holder === undefined) return answer
  if (callId === null || approvalId === null) return answer
  if (answer.state === 'allowed') await putLease(tools, { runId, callId, holder })
  return answer.state === 'unsure' ? writeOff(tools, call, { ...answer, callId }) : answer
}

function answerOf({ place }: InRun, { reply, seq, view }: CommandOutcome): CallAnswer {
  const { runId, branch } = place
  const where = { ...nothing, runId, branch, seq, view }
  if (reply.kind !== 'verdict') {
    const reason = reply.kind === 'refused' ? reply.reason : 'the call was not judged'
    const hint = reply.kind === 'refused' ? reply.hint : 'this is a bug in Pawl; tell a person'
    const code = reply.kind === 'refused' ? 'REQUEST_INVALID' : 'INTERNAL'
    return { ...where, verdict: 'deny', state: 'denied', code, reason, hint, rule: null }
  }
  const { kind: _, approvalId = null, needsQuorum = false, ...verdict } = reply
  const { refusal = null, waiting = null } = reply
  return { ...where, ...verdict, approvalId, needsQuorum, refusal, waiting, state: stateOf(reply) }
}

function stateOf({ verdict, code }: Verdict): CallState {
  if (verdict === 'allow') return 'allowed'
  if (verdict === 'ask') return 'pending'
  if (code === 'APPROVAL_REFUSED') return 'refused'
  return code === 'CALL_UNSURE' ? 'unsure' : 'denied'
}

type Unsure = CallAnswer & { readonly callId: string }

/** An approved call whose holder is gone is recorded as failed, at what it may have cost. */
async function writeOff(tools: CallTools, call: InRun, answer: Unsure): Promise<CallAnswer> {
  const { runId, branch } = call.place
  const { callId } = answer
  if (!(await takeLease(tools, { runId, callId }))) {
    const hint =
      'wait for its result; if the process that is running it has died, a retry will report that'
    return { ...answer, reason: 'this call is already running', hint }
  }
  const open = await findOpen(tools, call, callId)
  // WHY the estimate: it may have happened, and then it has cost.
  const costMicroUsd = call.estimateMicroUsd ?? 0
  const report = { ok: false, output: null, exitCode: null, bytes: 0, costMicroUsd }
  const ended = { kind: 'report', callId, report, branch } as const
  const by = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const
  await tools.runtime.send(runId, { ...ended, ...identityOf(open ?? {}) }, by)
  const reason = 'this call was approved and started, but its result was never reported'
  const hint = 'it may have happened: check before you repeat it; repeating it needs a new approval'
  return { ...answer, reason, hint }
}

/** What became of a call that was answered under this key before; null: nothing happened. */
async function knownAnswer(
  tools: CallTools,
  call: InRun & { readonly key: string },
  seq: number,
): Promise<CallAnswer | null> {
  const { runId, branch } = call.place
  const caller = callerName(call.door, call.caller)
  const found = await findLoggedCall(tools.store, runId, { caller, key: call.key, seq })
  const { approvalId, callId, report } = found
  const named = { ...nothing, runId, branch, seq, rule: null, callId, approvalId } as const
  if (callId === null) {
    const row = approvalId === null ? null : await tools.runtime.readApproval(approvalId)
    if (row?.status !== 'refused' && row?.status !== 'expired') return null
    const refusal = { by: row.decidedBy, note: row.note }
    return { ...named, verdict: 'deny', ...refusedText(refusal), refusal, state: 'refused' }
  }
  // The run still knows the call, and says by itself what it is.
  if (report === null && (await findOpen(tools, call, callId)) !== undefined) return null
  if (report === null) return { ...named, verdict: 'deny', ...unsureCall, state: 'unsure' }
  const reason = `this call was already made, and it ${report.ok ? 'succeeded' : 'failed'}`
  const hint = 'continue with its result; use a new key for a new call'
  return { ...named, verdict: 'deny', state: 'done', code: 'CALL_DONE', reason, hint, report }
}

/** The call as its run knows it; undefined: it has ended, or is forgotten. */
async function findOpen(
  { currentRun }: CallTools,
  { place }: InRun,
  callId: string | null,
): Promise<OpenCall | undefined> {
  const { family } = await currentRun(place.runId)
  const open = family.members.flatMap(({ state }) => state.openCalls)
  return open.find((one) => one.callId === callId)
}

type Until = { readonly ends: number; readonly signal: AbortSignal | null }

/** Whether a person has decided before the time was over. */
async function waitForDecision(
  tools: CallTools,
  { runId, approvalId }: { readonly runId: string; readonly approvalId: string },
  until: Until,
): Promise<boolean> {
  const isDecided = async (): Promise<boolean> => {
    const { status } = await tools.runtime.readApproval(approvalId)
    return status !== 'pending'
  }
  return waitUntil(tools, { runId, ...until }, isDecided)
}

/** Waits until something holds; false: the time is over, or the caller is gone. */
async function waitUntil(
  { runtime }: CallTools,
  { runId, ends, signal }: Until & { readonly runId: string },
  holds: () => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    // WHY before the look: what changes after it wakes the wait.
    const after = (await runtime.readHead(runId))?.seq ?? 0
    if (await holds()) return true
    const timeoutMs = Math.floor(ends - performance.now())
    if (timeoutMs <= 0 || signal?.aborted === true) return false
    await runtime.waitFor({ runId, after, timeoutMs, signal })
  }
}

/**
 * While another call of the run waits for a person, those behind it wait in their order instead of
 * being denied. Whoever cannot wait any longer is judged as it is then.
 */
async function waitForSiblings(tools: CallTools, call: InRun, until: Until): Promise<void> {
  if (until.ends <= performance.now()) return
  const { runId, branch } = call.place
  const isFree = async (): Promise<boolean> => !(await isBlocked(tools, call))
  // INVARIANT: in line before anything is awaited, so that calls keep the order they came in.
  const turn = tools.siblings.inTurn(`${runId} ${branch ?? ''}`, async () => {
    if (!(await isFree())) await waitUntil(tools, { runId, ...until }, isFree)
  })
  await withinTime(turn, until)
}

/** Waits for some work, until the time is over or the caller is gone. */
function withinTime(work: Promise<void>, { ends, signal }: Until): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const timer = setTimeout(leave, Math.max(0, ends - performance.now()))
    if (signal?.aborted === true) return leave()
    signal?.addEventListener('abort', leave)
    work.then(leave, (fault: unknown) => {
      reject(fault)
      leave()
    })
  })
}

/** Whether a call of another caller, or of other contents, waits for a person. */
async function isBlocked(tools: CallTools, call: InRun): Promise<boolean> {
  const { place, door, caller, key, asksUser } = call
  const { approval, status } = tools.leafOf(await tools.currentRun(place.runId), place.branch).state
  if (status !== 'waiting' || approval === null || !('tool' in approval.pending)) return false
  const { pending } = approval
  if (pending.caller !== callerName(door, caller)) return true
  return approval.hash !== hashCall(call) || (asksUser === true && pending.key !== key)
}
