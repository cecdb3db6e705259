/**
 * Judges a call before it is made, unless it is already known; records whether it is allowed,
 * pending or denied.
 */
import { assert, assertNever } from '../assert.ts'
import { type JsonObject, own } from '../json.ts'
import { waitingIn } from '../judge/calls-in-flight.ts'
import { hashCall } from '../judge/grants.ts'
import { judge, orderMarksOn, type Ruling } from '../judge/judge.ts'
import { repetitionOf } from '../judge/repeat-rule.ts'
import { nameRule, type RuleAnswer, ruleFields } from '../judge/rule-answer.ts'
import { type CallAsker, nothingAround } from '../judge/rule-input.ts'
import { isUncounted } from '../judge/rule-on-counts.ts'
import { rewriteInput } from '../judge/rule-on-shell.ts'
import { failuresMeter } from '../policy/failed-calls.ts'
import { suggestAlternatives } from './alternatives.ts'
import { requestCall } from './approval.ts'
import { beginEvidence, evidenceFor } from './call-evidence.ts'
import { identityOf } from './call-identity.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { closeDecision, emit, openDecision } from './decision-builder.ts'
import { hasEnded } from './is-running.ts'
import {
  findRefused,
  findRepeatedCall,
  type RepeatedCall,
  refusalIn,
  refusedText,
  stateForCaller,
  unsureCall,
} from './repeated-call.ts'
import type {
  Approval,
  Call,
  CallRefusal,
  Command,
  Decision,
  Denial,
  EngineContext,
  FamilyContext,
  NamedRule,
  ObservedVerdict,
  OrderMark,
  OrderResult,
  PendingCall,
  Reply,
  RunState,
  Verdict,
  WaitingCall,
} from './types.ts'

type VerdictReply = Extract<Reply, { kind: 'verdict' }>

type Checking = Extract<Command, { type: 'CheckCall' }>

/** Decides whether the agent may make this call. A fault while deciding is a denial. */
export function checkCall(where: EngineContext, state: RunState, checking: Checking): Decision {
  const { call } = checking
  try {
    return judgeAndRecord(where, state, checking)
  } catch (fault) {
    const draft = openDecision(where.machine, state, where.envelope)
    const reason = `the guard itself failed: ${fault instanceof Error ? fault.message : 'unknown'}`
    const { tool, input } = call
    emit(draft, { type: 'call.denied', tool, input, code: 'INTERNAL', reason, rule: null })
    const hint = 'this is a bug in Pawl or in the stored definition; tell a person'
    const denied = { verdict: 'deny', code: 'INTERNAL', reason, rule: null, hint } as const
    return closeDecision(draft, verdictReply(denied, notMade))
  }
}

function judgeAndRecord(where: EngineContext, state: RunState, checking: Checking): Decision {
  const { call, estimateMicroUsd } = checking
  const { machine, envelope, around = nothingAround } = where
  const draft = openDecision(machine, state, envelope)
  const known = findRepeatedCall(state, checking)
  if (known !== null) return answerKnown(draft, checking, known)
  const said = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const seen = stateForCaller(state, checking, envelope.at)
  const asker = askerOf(checking)
  const evidence = { recorded: evidenceFor(state, envelope), workspace: envelope.workspace }
  const context = { machine, state: seen, at: envelope.at, around, asker, seen: evidence, ...said }
  const ruling = judge(call, context)
  switch (ruling.decision) {
    case 'deny':
      return canWait(draft, checking, ruling)
        ? waitCall(draft, checking, { ruling, order: orderMarksOn(call, context) })
        : denyCall(draft, { checking, ruling, around })
    case 'ask': {
      const refused = findRefused(state, checking)
      return refused === null
        ? askCall(draft, checking, ruling)
        : denyKnown(draft, call, {
            ...refusedText(refusalIn(refused)),
            approvalId: refused.approvalId,
            refusal: refusalIn(refused),
          })
    }
    case 'allow':
      return allowCall(draft, { checking, ruling, around })
    default:
      return assertNever(ruling.decision)
  }
}

/** Who asks, as far as the past of other calls matters to it. */
function askerOf({ waits, waitId }: Checking): CallAsker {
  return {
    ...(waits === undefined ? {} : { behind: waits.behind }),
    ...(waitId === undefined ? {} : { waitId }),
  }
}

function waitedOf({ waitId }: Checking): { readonly waitId?: string } {
  return waitId === undefined ? {} : { waitId }
}

/** Calls of one run that may wait for others at a time. */
const waitingCallsMax = 64

function canWait(
  { state, envelope }: DecisionBuilder,
  checking: Checking,
  { by }: Ruling,
): boolean {
  if (!(patienceOf(checking, by) > 0)) return false
  if (checking.waitId !== undefined) return true
  return waitingIn([state], envelope.at).length < waitingCallsMax
}

/** How long a call waits that a rule denies for now. */
function patienceOf({ waits }: Checking, { waitsFor, code }: RuleAnswer): number {
  if (waitsFor !== undefined) return waits?.ms ?? 0
  // WHY: a host makes the calls of one turn at once, and they get here in any order.
  return code === 'PREREQUISITE_MISSING' ? (waits?.siblingMs ?? 0) : 0
}

type Waiting = { readonly ruling: Ruling; readonly order: readonly OrderMark[] }

/** The call is neither allowed nor denied: it is judged again when those before it have ended. */
function waitCall(
  draft: DecisionBuilder,
  checking: Checking,
  { ruling, order }: Waiting,
): Decision {
  const { call, caller = '' } = checking
  const { tool, input } = call
  const waitId = checking.waitId ?? `${draft.envelope.runId}:w${draft.state.seq}`
  const { waitsFor = [], reason, rule } = ruling.by
  const named = nameRule(rule, draft.machine.name)
  const until = draft.envelope.at + patienceOf(checking, ruling.by)
  const waiting = { waitId, caller, tool, waitsFor, order, until }
  if (!isWaitingFor(draft, waiting)) {
    emit(draft, { type: 'call.waiting', ...waiting, input, reason, ...named })
  }
  const reply = replyOf(draft, ruling, notMade)
  return closeDecision(draft, { ...reply, waiting: { waitId, waitsFor } })
}

/** WHY: calls that wait hear of each event, and would wake each other by saying so again. */
function isWaitingFor(
  { state, envelope }: DecisionBuilder,
  { waitId, waitsFor }: Pick<WaitingCall, 'waitId' | 'waitsFor'>,
): boolean {
  const known = waitingIn([state], envelope.at).find((one) => one.waitId === waitId)
  return known !== undefined && known.waitsFor.join(' ') === waitsFor.join(' ')
}

/** What is said of a call that is known already. Nothing is counted or asked once more. */
function answerKnown(draft: DecisionBuilder, { call }: Checking, known: RepeatedCall): Decision {
  const input = runningInput(draft, call)
  if ('open' in known) {
    const { callId, grant } = known.open
    const approved = grant === undefined ? {} : { approvalId: grant }
    if (known.kind === 'unsure') {
      return denyKnown(draft, call, { ...unsureCall, callId, ...approved })
    }
    const allowed = { verdict: 'allow', code: null, reason: '', rule: null, hint: '' } as const
    return closeDecision(draft, { ...verdictReply(allowed, { input, callId }), ...approved })
  }
  const { approval, pending } = known
  const { callId, rule = null } = pending
  const named = ruleFields({ ...pending, rule })
  const asking = { verdict: 'ask', code: null, reason: approval.message, ...named } as const
  const reply = verdictReply({ ...asking, hint: waitHint }, { input, callId })
  return closeDecision(draft, { ...reply, ...questionIn(approval) })
}

const waitHint = 'wait for the decision, then make the same call again'

/** The question as a reply names it. */
function questionIn(asked: Approval): Pick<VerdictReply, 'approvalId' | 'needsQuorum'> {
  // WHY also where a passkey is needed: a host's prompt can sign as little as it can name people.
  const isForAnyone = asked.quorum === undefined && asked.proof === undefined
  return { approvalId: asked.id, ...(isForAnyone ? {} : { needsQuorum: true }) }
}

type DeniedKnown = Denial & {
  readonly approvalId?: string
  readonly callId?: string
  readonly refusal?: CallRefusal
}

function denyKnown(draft: DecisionBuilder, { tool, input }: Call, why: DeniedKnown): Decision {
  const { code, reason, hint, approvalId, callId = null, refusal } = why
  const isTold = refusal !== undefined && approvalId !== undefined
  const told = isTold ? { refusedBy: approvalId } : {}
  emit(draft, { type: 'call.denied', tool, input, code, reason, rule: null, ...told })
  const denied = { verdict: 'deny', code, reason, rule: null, hint } as const
  return closeDecision(draft, {
    ...verdictReply(denied, { input: null, callId }),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(refusal === undefined ? {} : { refusal }),
  })
}

type Judged = {
  readonly checking: Checking
  readonly ruling: Ruling
  readonly around: FamilyContext
}

function denyCall(draft: DecisionBuilder, { checking, ruling, around }: Judged): Decision {
  const { call } = checking
  const { machine, envelope, state } = draft
  const where = { machine, envelope, around }
  const { by } = ruling
  const code = by.code ?? 'INTERNAL'
  const { instead, hint } = suggestAlternatives(where, state, { call, denied: { ...by, code } })
  const said = { code, reason: by.reason, ...nameRule(by.rule, machine.name) }
  const { tool, input } = call
  emit(draft, {
    type: 'call.denied',
    tool,
    input,
    ...said,
    ...waitedOf(checking),
    ...toldBy(draft, by),
  })
  return closeDecision(draft, { ...replyOf(draft, ruling, notMade), ...said, hint, instead })
}

/** The denial tells of a call that fails again and again; that is said once. */
function toldBy({ envelope }: DecisionBuilder, { tells }: RuleAnswer): DenialNotes {
  if (tells === undefined) return {}
  return { at: envelope.at, order: [{ kind: 'told', meter: failuresMeter, same: tells }] }
}
type DenialNotes = { readonly at?: number; readonly order?: readonly OrderResult[] }

function askCall(draft: DecisionBuilder, checking: Checking, ruling: Ruling): Decision {
  const { call } = checking
  // INVARIANT: one question at a time.
  assert(draft.state.approval === null, 'only one call can wait for approval at a time')
  const callId = nextCallId(draft)
  const { tool, input, edits } = call
  const { meters, order, by } = ruling
  const named = nameRule(by.rule, draft.machine.name)
  emit(draft, { type: 'call.asked', callId, tool, input, ...named, ...waitedOf(checking) })
  const whose = { ...identityOf(checking), ...allowingRule(named) }
  const left = order === undefined ? {} : { order }
  const pending = { callId, tool, input, edits, meters, ...left, ...whose }
  const approval = requestCall(draft, { pending, ruling })
  const reply = replyOf(draft, ruling, { input: runningInput(draft, call), callId })
  return closeDecision(draft, { ...reply, reason: approval.message, ...questionIn(approval) })
}

function allowCall(draft: DecisionBuilder, { checking, ruling, around }: Judged): Decision {
  const { call } = checking
  const { tool, input, edits } = call
  const { grant, reserve, observed, order, isUncounted: isDenied = false } = ruling
  const granted = draft.state.grants.find(({ approvalId }) => approvalId === grant)
  // WHY the id it was asked about under: whoever waits for that call knows no other.
  const callId = granted?.call.callId ?? nextCallId(draft)
  const { at } = draft.envelope
  const evidence = beginEvidence(call, draft.envelope)
  const reply = replyOf(draft, ruling, { input: runningInput(draft, call), callId })
  const counts = !(isDenied || isUncounted(call) || hasEnded(draft.state))
  emit(draft, {
    type: 'call.allowed',
    callId,
    tool,
    input,
    // WHY none: what an enforced run would have denied changes no file of it, and uses up nothing.
    edits: isDenied ? [] : edits,
    counts,
    at,
    meters: ruling.meters,
    ...(order === undefined ? {} : { order }),
    ...waitedOf(checking),
    ...(grant === null ? {} : { grant }),
    ...(reserve === undefined ? {} : { reserve }),
    ...(checking.sameAs === undefined ? {} : { hash: hashCall(call) }),
    ...(counts ? repetitionOf({ machine: draft.machine, around, at }, call) : {}),
    ...identityOf(checking),
    ...allowingRule(reply),
    ...(observed === undefined ? {} : { observed: observedVerdict(draft, observed) }),
    ...(evidence === null ? {} : { evidence }),
  })
  if (!isDenied) noteLimit(draft)
  return closeDecision(draft, grant === null ? reply : { ...reply, approvalId: grant })
}

function observedVerdict({ machine }: DecisionBuilder, answer: RuleAnswer): ObservedVerdict {
  const { says, code, reason, rule } = answer
  const verdict = says === 'ask' ? 'ask' : 'deny'
  return { verdict, code, reason, ...nameRule(rule, machine.name) }
}

/** The input as it will really run; where the stage's rules are over, as it was sent. */
function runningInput({ machine, state }: DecisionBuilder, call: Call): JsonObject {
  const stage = own(machine.stages, state.stage)
  const isFree = hasEnded(state) || state.pause?.release === true
  return stage === undefined || isFree ? call.input : rewriteInput(stage, call)
}

function nextCallId(draft: DecisionBuilder): string {
  return `${draft.envelope.runId}:c${draft.state.seq}`
}

function allowingRule({ rule, document }: NamedRule): Pick<PendingCall, 'rule' | 'document'> {
  if (rule === null) return {}
  return document === undefined ? { rule } : { rule, document }
}

type CallInput = { readonly input: JsonObject | null; readonly callId: string | null }

const notMade: CallInput = { input: null, callId: null }

function replyOf(
  { machine }: DecisionBuilder,
  { decision, by }: Ruling,
  made: CallInput,
): VerdictReply {
  const { code, reason, hint } = by
  const rule = nameRule(by.rule, machine.name)
  return verdictReply({ verdict: decision, code, reason, ...rule, hint }, made)
}

function verdictReply(verdict: Verdict, made: CallInput): VerdictReply {
  return { kind: 'verdict', ...verdict, instead: [], ...made }
}

/** The call that uses up the last of a stage says so. */
function noteLimit(draft: DecisionBuilder): void {
  const max = own(draft.machine.stages, draft.state.stage)?.rule.callsMax ?? null
  if (max === null || draft.state.counts.calls !== max) return
  emit(draft, { type: 'limit.reached', code: 'CALLS_EXHAUSTED', stage: draft.state.stage })
}
