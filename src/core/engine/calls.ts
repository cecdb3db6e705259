/**
 * A call is judged before it happens and reported after: counted, its results kept, and a
 * changed file may lead to a detour.
 */
import { assertNever } from '../assert.ts'
import { evaluateOn } from '../expr/evaluate.ts'
import { couldTouch } from '../expr/glob.ts'
import type { Json, JsonObject } from '../json.ts'
import { own } from '../json.ts'
import { nameRule } from '../judge/answer.ts'
import { judge, type Ruling } from '../judge/judge.ts'
import { nothingAround } from '../judge/question.ts'
import { rewriteInput } from '../judge/rule-on-shell.ts'
import type { Machine } from '../machine/machine.ts'
import { requestCall } from './approval.ts'
import type { Draft } from './draft.ts'
import { accept, closeDraft, emit, openDraft, refuse } from './draft.ts'
import { enterStage } from './enter.ts'
import { teach } from './instead.ts'
import { writePath } from './ops.ts'
import { hasEnded } from './running.ts'
import { refuseAmounts, warnOfBudgets } from './spend.ts'
import type {
  Around,
  Call,
  Command,
  Decision,
  Envelope,
  NamedRule,
  OpenCall,
  PendingCall,
  Reply,
  Report,
  RunState,
} from './types.ts'

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
    return closeDraft(draft, { kind: 'verdict', ...denied, instead: [], ...notMade })
  }
}

function judgeAndRecord(where: Where, state: RunState, checking: Checking): Decision {
  const { call, estimateMicroUsd } = checking
  const { machine, envelope, around = nothingAround } = where
  const draft = openDraft(machine, state, envelope)
  const said = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const ruling = judge(call, { machine, state, at: envelope.at, around, ...said })
  switch (ruling.decision) {
    case 'deny':
      return denyCall(draft, { call, ruling, around })
    case 'ask':
      return askCall(draft, checking, ruling)
    case 'allow':
      return allowCall(draft, checking, ruling)
    default:
      return assertNever(ruling.decision)
  }
}

type Denied = { readonly call: Call; readonly ruling: Ruling; readonly around: Around }

function denyCall(draft: Draft, { call, ruling, around }: Denied): Decision {
  const { machine, envelope, state } = draft
  const where = { machine, envelope, around }
  const { by } = ruling
  const code = by.code ?? 'INTERNAL'
  const { instead, hint } = teach(where, state, { call, denied: { ...by, code } })
  const said = { code, reason: by.reason, ...nameRule(by.rule, machine.name) }
  emit(draft, { type: 'call.denied', tool: call.tool, input: call.input, ...said })
  return closeDraft(draft, { ...replyOf(draft, ruling, notMade), ...said, hint, instead })
}

function askCall(draft: Draft, { call, holder }: Checking, ruling: Ruling): Decision {
  const callId = nextCallId(draft)
  const { tool, input, edits } = call
  const { meters, by } = ruling
  const named = nameRule(by.rule, draft.machine.name)
  emit(draft, { type: 'call.asked', callId, tool, input, ...named })
  const whose = holder === undefined ? {} : { holder }
  const pending = { callId, tool, input, edits, meters, ...whose, ...allowingRule(named) }
  const reason = requestCall(draft, { pending, ruling })
  const reply = replyOf(draft, ruling, { input: runningInput(draft, call), callId })
  return closeDraft(draft, { ...reply, reason })
}

function allowCall(draft: Draft, { call, holder }: Checking, ruling: Ruling): Decision {
  const callId = nextCallId(draft)
  const { tool, input, edits, isOwn } = call
  const { grant, reserve } = ruling
  const { at } = draft.envelope
  const reply = replyOf(draft, ruling, { input: runningInput(draft, call), callId })
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
    ...(holder === undefined ? {} : { holder }),
    ...allowingRule(reply),
  })
  noteLimit(draft)
  return closeDraft(draft, reply)
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

function allowingRule({ rule, document }: NamedRule): Pick<PendingCall, 'rule' | 'document'> {
  if (rule === null) return {}
  return document === undefined ? { rule } : { rule, document }
}

type Made = { readonly input: JsonObject | null; readonly callId: string | null }

const notMade: Made = { input: null, callId: null }

function replyOf(
  { machine }: Draft,
  { decision, by }: Ruling,
  made: Made,
): Extract<Reply, { kind: 'verdict' }> {
  const { code, reason, hint } = by
  const rule = nameRule(by.rule, machine.name)
  return { kind: 'verdict', verdict: decision, code, reason, ...rule, hint, instead: [], ...made }
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
  const open = findOpen(state, command) ?? settleGrant(draft, command)
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

type Named = { readonly callId: string; readonly holder?: string }

/** INVARIANT: a call that has a holder is reported by that one alone, also as the newest. */
function isMeant(one: Named, { callId, holder }: Reporting): boolean {
  return one.holder === holder && (callId === null || one.callId === callId)
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
