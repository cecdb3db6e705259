/**
 * A call is judged before it happens and reported after: counted, its results kept, and a
 * changed file may lead to a detour.
 */
import { assertNever } from '../assert.ts'
import { evaluateOn } from '../expr/evaluate.ts'
import { couldTouch } from '../expr/glob.ts'
import type { Json, JsonObject } from '../json.ts'
import { own } from '../json.ts'
import { judgeCall, nothingAround } from '../judge.ts'
import type { Machine } from '../machine/machine.ts'
import { requestCall } from './approval.ts'
import { type CallIdentity, identityOf } from './call-identity.ts'
import type { Draft } from './draft.ts'
import { accept, closeDraft, emit, openDraft, refuse } from './draft.ts'
import { enterStage } from './enter.ts'
import { teach } from './instead.ts'
import {
  findKnownCall,
  findRefused,
  type KnownCall,
  refusalIn,
  refusedText,
  unsureCall,
  withOwnGrants,
} from './known-call.ts'
import { writePath } from './ops.ts'
import { rewriteInput } from './rule-on-shell.ts'
import { hasEnded } from './running.ts'
import { refuseAmounts, warnOfBudgets } from './spend.ts'
import type {
  Approval,
  Around,
  Call,
  CallRefusal,
  Command,
  Decision,
  Denial,
  Envelope,
  OpenCall,
  Reply,
  Report,
  Ruling,
  RunState,
} from './types.ts'

type VerdictReply = Extract<Reply, { kind: 'verdict' }>

type Where = {
  readonly machine: Machine
  readonly envelope: Envelope
  readonly around?: Around
}

/** Characters of a result that is looked into for values to keep. */
const resultCharsMax = 1_000_000

type Checking = Extract<Command, { type: 'CheckCall' }>

/** Decides whether the agent may make this call. A fault while deciding is a denial. */
export function checkCall(where: Where, state: RunState, checking: Checking): Decision {
  const { call } = checking
  try {
    return judgeAndRecord(where, state, checking)
  } catch (fault) {
    const draft = openDraft(where.machine, state, where.envelope)
    const reason = `the guard itself failed: ${fault instanceof Error ? fault.message : 'unknown'}`
    const { tool, input } = call
    emit(draft, { type: 'call.denied', tool, input, code: 'INTERNAL', reason, rule: null })
    const hint = 'this is a fault of Pawl or of the stored definition; tell a person'
    const denied = { verdict: 'deny', code: 'INTERNAL', reason, rule: null, hint } as const
    const reply = replyOf({ ...denied, meters: [], grant: null }, { input: null, callId: null })
    return closeDraft(draft, reply)
  }
}

function judgeAndRecord(where: Where, state: RunState, checking: Checking): Decision {
  const { call, estimateMicroUsd } = checking
  const { machine, envelope, around = nothingAround } = where
  const draft = openDraft(machine, state, envelope)
  const known = findKnownCall(state, checking)
  if (known !== null) return answerKnown(draft, checking, known)
  const said = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const seen = withOwnGrants(state, checking)
  const ruling = judgeCall({ machine, at: envelope.at, around, ...said }, seen, call)
  switch (ruling.verdict) {
    case 'deny':
      return denyCall(draft, { call, ruling, around })
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
      return allowCall(draft, checking, ruling)
    default:
      return assertNever(ruling.verdict)
  }
}

/** What is said of a call that is known already. Nothing is counted or asked once more. */
function answerKnown(draft: Draft, { call }: Checking, known: KnownCall): Decision {
  const input = runningInput(draft, call)
  if ('open' in known) {
    const { callId, grant } = known.open
    const approved = grant === undefined ? {} : { approvalId: grant }
    if (known.kind === 'unsure') {
      return denyKnown(draft, call, { ...unsureCall, callId, ...approved })
    }
    return closeDraft(draft, { ...replyOf(allowedBefore, { input, callId }), ...approved })
  }
  const { approval, callId } = known
  const asking = { ...allowedBefore, verdict: 'ask', reason: approval.message } as const
  const reply = replyOf({ ...asking, hint: waitHint }, { input, callId })
  return closeDraft(draft, { ...reply, ...questionIn(approval) })
}

/** The question as a reply names it. */
function questionIn({ id, quorum }: Approval): Pick<VerdictReply, 'approvalId' | 'needsQuorum'> {
  return { approvalId: id, ...(quorum === undefined ? {} : { needsQuorum: true }) }
}

const allowedBefore: Ruling = {
  ...{ verdict: 'allow', code: null, reason: '', rule: null, hint: '' },
  meters: [],
  grant: null,
}
const waitHint = 'wait for the decision, then make the same call again'

type DeniedKnown = Denial & {
  readonly approvalId?: string
  readonly callId?: string
  readonly refusal?: CallRefusal
}

function denyKnown(draft: Draft, { tool, input }: Call, why: DeniedKnown): Decision {
  const { code, reason, hint, approvalId, callId = null, refusal } = why
  const isTold = refusal !== undefined && approvalId !== undefined
  const told = isTold ? { refusedBy: approvalId } : {}
  emit(draft, { type: 'call.denied', tool, input, code, reason, rule: null, ...told })
  const denied = { ...allowedBefore, verdict: 'deny', code, reason, hint } as const
  return closeDraft(draft, {
    ...replyOf(denied, { input: null, callId }),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(refusal === undefined ? {} : { refusal }),
  })
}

type Denied = { readonly call: Call; readonly ruling: Ruling; readonly around: Around }

function denyCall(draft: Draft, { call, ruling, around }: Denied): Decision {
  const { machine, envelope, state } = draft
  const where = { machine, envelope, around }
  const { reason, rule } = ruling
  const code = ruling.code ?? 'INTERNAL'
  const { instead, hint } = teach(where, state, { call, denied: { ...ruling, code } })
  emit(draft, { type: 'call.denied', tool: call.tool, input: call.input, code, reason, rule })
  const reply = replyOf({ ...ruling, code, hint }, { input: null, callId: null })
  return closeDraft(draft, { ...reply, instead })
}

function askCall(draft: Draft, checking: Checking, ruling: Ruling): Decision {
  const { call } = checking
  const callId = nextCallId(draft)
  const { tool, input, edits } = call
  const { meters, rule } = ruling
  emit(draft, { type: 'call.asked', callId, tool, input, rule })
  const pending = { callId, tool, input, edits, meters, ...identityOf(checking) }
  const approval = requestCall(draft, { pending, ruling })
  const running = { input: runningInput(draft, call), callId }
  const reply = replyOf({ ...ruling, reason: approval.message }, running)
  return closeDraft(draft, { ...reply, ...questionIn(approval) })
}

function allowCall(draft: Draft, checking: Checking, ruling: Ruling): Decision {
  const { call } = checking
  const { tool, input, edits, isOwn } = call
  const { grant, reserve } = ruling
  const granted = draft.state.grants.find(({ approvalId }) => approvalId === grant)
  // WHY the id it was asked about under: whoever waits for that call knows no other.
  const callId = granted?.call.callId ?? nextCallId(draft)
  const { at } = draft.envelope
  const reply = replyOf(ruling, { input: runningInput(draft, call), callId })
  emit(draft, {
    type: 'call.allowed',
    callId,
    tool,
    input,
    edits,
    counts: !isOwn && !hasEnded(draft.state),
    at,
    meters: ruling.meters,
    ...(grant === null ? {} : { grant }),
    ...(reserve === undefined ? {} : { reserve }),
    ...identityOf(checking),
  })
  noteLimit(draft)
  return closeDraft(draft, grant === null ? reply : { ...reply, approvalId: grant })
}

/** The input as it will really run; where the stage's rules are over, as it was sent. */
function runningInput({ machine, state }: Draft, call: Call): JsonObject {
  const stage = own(machine.stages, state.stage)
  const isFree = hasEnded(state) || state.pause?.release === true
  return stage === undefined || isFree ? call.input : rewriteInput(stage, call)
}

function nextCallId(draft: Draft): string {
  return `${draft.envelope.runId}:c${draft.state.seq}`
}

function replyOf(
  { verdict, code, reason, rule, hint }: Ruling,
  call: { readonly input: JsonObject | null; readonly callId: string | null },
): VerdictReply {
  return { kind: 'verdict', verdict, code, reason, rule, hint, instead: [], ...call }
}

/** The call that uses up the last of a stage says so. */
function noteLimit(draft: Draft): void {
  const max = own(draft.machine.stages, draft.state.stage)?.rule.callsMax ?? null
  if (max === null || draft.state.counts.calls !== max) return
  emit(draft, { type: 'limit.reached', code: 'CALLS_EXHAUSTED', stage: draft.state.stage })
}

type Reporting = Extract<Command, { type: 'ReportCall' }>

/** Takes note of what became of a call. */
export function reportCall(where: Where, state: RunState, command: Reporting): Decision {
  const { costMicroUsd: cost, bytes } = command.report
  const problem = refuseAmounts(state, { cost, bytes: bytes ?? 0 })
  if (problem !== null) return refuse(state, problem)
  const draft = openDraft(where.machine, state, where.envelope)
  const open =
    grantAtPrompt(draft, command) ?? findOpen(state, command) ?? settleGrant(draft, command)
  if (open === undefined) return refuse(state, isForeign(state, command) ? foreign : unknown)
  record(draft, open, command.report)
  warnOfBudgets(draft, { ...where, state, costMicroUsd: command.report.costMicroUsd })
  keepFacts(draft, command.report)
  keepResults(draft, open, command.report)
  if (command.report.ok) beginDetour(draft, open.edits)
  return accept(draft)
}

const unknown = {
  code: 'CALL_UNKNOWN',
  reason: 'no allowed call waits for this report',
  hint: 'report a call once, with the id its verdict gave',
} as const
const foreign = {
  code: 'NOT_PERMITTED',
  reason: 'somebody else makes this call, and only their word on it counts',
  hint: 'go on: who makes the call reports it',
} as const

type Named = CallIdentity & { readonly callId: string }

/** INVARIANT: a call that has a holder is reported by that one alone, also as the newest. */
function isMeant(one: Named, { callId, holder, key, caller }: Reporting): boolean {
  if (one.holder !== holder || (callId !== null && one.callId !== callId)) return false
  return key === undefined || (one.key === key && one.caller === caller)
}

/**
 * The user of a host decided at the prompt of the host, as the call that was made tells.
 * WHY in one with the report: a grant that waits could be used by somebody else.
 */
function grantAtPrompt(draft: Draft, command: Reporting): OpenCall | undefined {
  const { approval } = draft.state
  const { grantedAtPrompt: name } = command
  // WHY not several people's: whoever sat there is nobody in particular.
  if (name === undefined || approval === null || approval.quorum !== undefined) return undefined
  const { pending, id: approvalId, expiresAt } = approval
  const { at } = draft.envelope
  if (!('tool' in pending) || !isMeant(pending, command)) return undefined
  if (expiresAt !== undefined && at > expiresAt) return undefined
  const { callId, meters } = pending
  const by = { kind: 'person', name } as const
  emit(draft, { type: 'approval.granted', approvalId, by, note: '', at, meters })
  return settleGrant(draft, { ...command, callId })
}

function isForeign({ openCalls, grants }: RunState, { callId }: Reporting): boolean {
  const named = (one: Named): boolean => one.callId === callId
  return openCalls.some(named) || grants.some(({ call }) => named(call))
}

function findOpen({ openCalls }: RunState, command: Reporting): OpenCall | undefined {
  return openCalls.findLast((one) => isMeant(one, command))
}

/**
 * A host that holds a call while a person decides makes it without asking again: the report is
 * the first word of it. It uses up the grant like any other way of making the call.
 */
function settleGrant(draft: Draft, command: Reporting): OpenCall | undefined {
  const grant = draft.state.grants.findLast(({ call }) => isMeant(call, command))
  if (grant === undefined) return undefined
  const counts = !hasEnded(draft.state) && hasRoom(draft)
  const { approvalId, call } = grant
  const meters = call.meters.map((one) => ({ ...one, since: grant.at }))
  const at = draft.envelope.at
  emit(draft, { type: 'call.allowed', ...call, counts, at, meters, grant: approvalId })
  return draft.state.openCalls.at(-1)
}

/** What a person let through is not held against a stage whose calls are used up meanwhile. */
function hasRoom({ machine, state }: Draft): boolean {
  const stageMax = own(machine.stages, state.stage)?.rule.callsMax ?? null
  const runMax = machine.limits.callsMax
  return (
    (stageMax === null || state.counts.calls < stageMax) &&
    (runMax === null || state.callsCount < runMax)
  )
}

function record(draft: Draft, open: OpenCall, report: Report): void {
  const { ok, costMicroUsd, exitCode } = report
  const bytes = report.bytes ?? utf8Length(report.output ?? '')
  const edited = ok ? open.edits : []
  const before = draft.state.counts.bytes
  emit(draft, {
    type: 'call.reported',
    callId: open.callId,
    ok,
    bytes,
    costMicroUsd,
    exitCode,
    edited,
    at: draft.envelope.at,
    meters: open.meters ?? [],
  })
  const stage = own(draft.machine.stages, draft.state.stage)
  const max = stage?.rule.bytesMax ?? null
  if (max === null) return
  const after = before + bytes
  if (before * 10 < max * 9 && after * 10 >= max * 9) {
    const message = `${after} of ${max} bytes of results are used in \`${draft.state.stage}\``
    emit(draft, { type: 'warning.raised', code: 'BYTES_NEARLY_EXHAUSTED', message })
  }
}

/** Bytes in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
function utf8Length(text: string): number {
  let bytes = 0
  for (const letter of text) {
    const code = letter.codePointAt(0) as number
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** WHY only of the system: what an agent says of itself is its word, whatever it calls it. */
function keepFacts(draft: Draft, { facts }: Report): void {
  if (facts === undefined || draft.envelope.actor.kind !== 'system') return
  emit(draft, { type: 'vars.written', vars: facts, local: {}, source: 'observed' })
}

/** Values the definition asked for, out of a result that can be read. Pawl saw them itself. */
function keepResults(draft: Draft, open: OpenCall, report: Report): void {
  if (!report.ok || open.saves.length === 0) return
  const result = parseResult(report.output)
  if (result === undefined) return
  for (const save of open.saves) {
    const evaluated = evaluateOn(save.from, result)
    const fault = evaluated.ok
      ? writePath(draft, save.to, { value: evaluated.value, source: 'observed' })
      : evaluated.reason
    if (fault !== null) {
      const message = `\`${save.to.join('.')}\` was not kept from the result: ${fault}`
      emit(draft, { type: 'warning.raised', code: 'RESULT_NOT_KEPT', message })
    }
  }
}

function parseResult(output: string | null): Json | undefined {
  if (output === null || output.length > resultCharsMax) return undefined
  try {
    return JSON.parse(output) as Json
  } catch {
    // A result that is no JSON holds nothing that could be read; the definition asked in vain.
    return undefined
  }
}

/** The first detour whose pattern fits a changed file. Inside a handler nothing interrupts. */
function beginDetour(draft: Draft, edited: readonly string[]): void {
  const { state, machine } = draft
  if (edited.length === 0 || state.detour !== null || hasEnded(state)) return
  if (state.fork !== null || state.child !== null || state.branch?.terminal === state.stage) return
  for (const detour of machine.detours) {
    const file = edited.find((path) => couldTouch(detour.pattern, path))
    if (file === undefined || detour.target === state.stage) continue
    if (state.approval !== null) {
      // The parked move no longer starts where the run is.
      emit(draft, { type: 'approval.expired', approvalId: state.approval.id })
    }
    const { name, target } = detour
    emit(draft, { type: 'detour.begun', name, file, from: state.stage, to: target })
    enterStage(draft, { stage: target, by: 'detour', data: null })
    return
  }
}
