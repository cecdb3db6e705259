/**
 * Records the end of a call: counts it, stores its results, and may begin a detour if it changed a
 * file.
 */

import { type KeptOutput, keepOutput } from '../evidence/kept-output.ts'
import type { EndedEvidence } from '../evidence/recorded-evidence.ts'
import { evaluateOn } from '../expr/evaluate.ts'
import { couldTouch } from '../expr/glob.ts'
import { type Json, own } from '../json.ts'
import { failureNotes, repetitionOf } from '../judge/repeat-rule.ts'
import { nothingAround } from '../judge/rule-input.ts'
import { capturesOutput } from '../machine/captures-output.ts'
import { orderResults } from '../policy/order-marks.ts'
import { needsPasskey } from './approval.ts'
import { endEvidence } from './call-evidence.ts'
import type { CallIdentity } from './call-identity.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { acceptCommand, emit, openDecision, refuseCommand } from './decision-builder.ts'
import { enterStage } from './enter-stage.ts'
import { hasEnded } from './is-running.ts'
import { refuseAmounts, warnOfBudgets } from './model-spend.ts'
import { deniedPrograms } from './ran-programs.ts'
import { writePath } from './run-operations.ts'
import { hasTwin } from './twin-calls.ts'
import type {
  Command,
  Decision,
  EngineContext,
  FamilyContext,
  OpenCall,
  OrderResult,
  Report,
  RunState,
} from './types.ts'

/** Characters of a result that is looked into for values to keep. */
const resultCharsMax = 1_000_000

type Reporting = Extract<Command, { type: 'ReportCall' }>

/** Takes note of what became of a call. */
export function reportCall(where: EngineContext, state: RunState, command: Reporting): Decision {
  const { costMicroUsd: cost, bytes } = command.report
  const problem = refuseAmounts(state, { cost, bytes: bytes ?? 0 })
  if (problem !== null) return refuseCommand(state, problem)
  const draft = openDecision(where.machine, state, where.envelope)
  const { around = nothingAround } = where
  // INVARIANT: a call of which nobody has heard uses up no grant.
  const open = command.report.isUnreported
    ? findOpen(state, command)
    : (grantAtPrompt(draft, command, around) ??
      findOpen(state, command) ??
      settleGrant(draft, command, around))
  if (open === undefined) return refuseCommand(state, isForeign(state, command) ? foreign : unknown)
  const isUnclear = command.callId === null && hasTwin(draft.state.openCalls, open)
  const isClaim = isUnclear || command.isClaim === true
  record(draft, open, { ...command, isUnclear, isClaim, around })
  warnOfBudgets(draft, { ...where, state, costMicroUsd: command.report.costMicroUsd })
  keepFacts(draft, command.report)
  keepResults(draft, open, { report: command.report, isClaim })
  if (command.report.ok) beginDetour(draft, open.edits)
  return acceptCommand(draft)
}

const unknown = {
  code: 'CALL_UNKNOWN',
  reason: 'no allowed call is waiting for this report',
  hint: 'report each call once, with the call id from its verdict',
} as const
const foreign = {
  code: 'NOT_PERMITTED',
  reason: 'somebody else is making this call, and only they can report it',
  hint: 'continue; its holder reports it',
} as const

type IdentifiedCall = CallIdentity & { readonly callId: string }

/** INVARIANT: a call that has a holder is reported by that one alone, also as the newest. */
function isMeant(one: IdentifiedCall, { callId, holder, key, caller }: Reporting): boolean {
  // Old records name no holder: whoever holds calls now may report them by their id.
  const isHolder = one.holder === holder || (one.holder === undefined && callId !== null)
  if (!isHolder || (callId !== null && one.callId !== callId)) return false
  if (caller !== undefined && one.caller !== undefined && one.caller !== caller) return false
  return key === undefined || (one.key === key && one.caller === caller)
}

/**
 * The user of a host decided at the prompt of the host, as the call that was made tells.
 * WHY in one with the report: a grant that waits could be used by somebody else.
 */
function grantAtPrompt(
  draft: DecisionBuilder,
  command: Reporting,
  around: FamilyContext,
): OpenCall | undefined {
  const { approval } = draft.state
  const { grantedAtPrompt: name, key } = command
  // WHY with a key: it names the call that the host asked about, and the caller that asked.
  if (name === undefined || key === undefined || approval === null) return undefined
  // WHY not several people's: whoever sat there is nobody in particular.
  if (approval.quorum !== undefined) return undefined
  if (needsPasskey(approval, draft.envelope)) return undefined
  const { pending, id: approvalId, expiresAt } = approval
  const { at } = draft.envelope
  if (!('tool' in pending) || !isMeant(pending, command)) return undefined
  if (expiresAt !== undefined && at > expiresAt) return undefined
  const { callId, meters } = pending
  const by = { kind: 'person', name } as const
  emit(draft, { type: 'approval.granted', approvalId, by, note: '', at, meters })
  return settleGrant(draft, { ...command, callId }, around)
}

function isForeign({ openCalls, grants }: RunState, { callId }: Reporting): boolean {
  const named = (one: IdentifiedCall): boolean => one.callId === callId
  return openCalls.some(named) || grants.some(({ call }) => named(call))
}

/** The newest, or the oldest of those that its caller gives the same key. */
function findOpen({ openCalls }: RunState, command: Reporting): OpenCall | undefined {
  const meant = openCalls.filter((one) => isMeant(one, command))
  return command.key === undefined ? meant.at(-1) : meant[0]
}

/**
 * A host that holds a call while a person decides makes it without asking again: the report is
 * the first word of it. It uses up the grant like any other way of making the call.
 */
function settleGrant(
  draft: DecisionBuilder,
  command: Reporting,
  around: FamilyContext,
): OpenCall | undefined {
  const { at: now } = draft.envelope
  const grant = draft.state.grants.findLast(
    ({ call, expiresAt }) =>
      isMeant(call, command) &&
      (call.caller === undefined || call.caller === command.caller) &&
      (expiresAt === undefined || now <= expiresAt),
  )
  if (grant === undefined) return undefined
  const counts = !hasEnded(draft.state) && hasRoom(draft)
  const { approvalId, call } = grant
  const meters = call.meters.map((one) => ({ ...one, since: grant.at }))
  const at = draft.envelope.at
  const same = repetitionOf({ machine: draft.machine, around, at }, call)
  emit(draft, { type: 'call.allowed', ...call, counts, at, meters, grant: approvalId, ...same })
  return draft.state.openCalls.at(-1)
}

/** What a person let through is not held against a stage whose calls are used up meanwhile. */
function hasRoom({ machine, state }: DecisionBuilder): boolean {
  const stageMax = own(machine.stages, state.stage)?.rule.callsMax ?? null
  const runMax = machine.limits.callsMax
  return (
    (stageMax === null || state.counts.calls < stageMax) &&
    (runMax === null || state.callsCount < runMax)
  )
}

type Recording = Omit<Reporting, 'isClaim'> & {
  readonly isClaim: boolean
  /** It may be the report of another open call. */
  readonly isUnclear: boolean
  readonly around: FamilyContext
}

function record(draft: DecisionBuilder, open: OpenCall, command: Recording): void {
  const { report, isClaim } = command
  const { ok, costMicroUsd, exitCode, isUnreported, ran } = report
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
    ...(isUnreported === undefined ? {} : { isUnreported }),
    at: draft.envelope.at,
    meters: open.meters ?? [],
    ...evidenceIn(draft, open, command),
    ...outputIn(draft, open, report),
    ...(ran === undefined ? {} : { ran }),
    ...orderOf(draft, open, { report, isClaim, around: command.around }),
  })
  for (const name of ran === undefined ? [] : deniedPrograms(ran)) {
    const message = `\`${name}\` was not started: \`${draft.state.stage}\` forbids it`
    emit(draft, { type: 'warning.raised', code: 'PROGRAM_DENIED', message })
  }
  const stage = own(draft.machine.stages, draft.state.stage)
  const max = stage?.rule.bytesMax ?? null
  if (max === null) return
  const after = before + bytes
  if (before * 10 < max * 9 && after * 10 >= max * 9) {
    const message = `${after} of ${max} bytes of results are used in \`${draft.state.stage}\``
    emit(draft, { type: 'warning.raised', code: 'BYTES_NEARLY_EXHAUSTED', message })
  }
}

/** How the command of a call ended that a rule wants evidence of. */
function evidenceIn(
  { envelope }: DecisionBuilder,
  open: OpenCall,
  { report, grade = 'claimed', isUnclear }: Recording,
): { readonly evidence?: EndedEvidence } {
  if (open.evidence === undefined || report.isUnreported || isUnclear) return {}
  const source = report.source ?? open.caller ?? envelope.actor.name
  const begun = { ...open, evidence: open.evidence }
  return { evidence: endEvidence(report, envelope, { grade, source, open: begun }) }
}

/** WHY also of evidence: whoever is shown what a command proved wants to see what it printed. */
function outputIn(
  { machine }: DecisionBuilder,
  { evidence }: OpenCall,
  { printed, output }: Report,
): { readonly output?: KeptOutput } {
  if (!capturesOutput(machine) && evidence === undefined) return {}
  const kept = keepOutput(printed ?? output ?? '')
  return kept === null ? {} : { output: kept }
}

type Ended = {
  readonly report: Report
  readonly isClaim: boolean
  readonly around: FamilyContext
}

/** What the end of a call means to rules on what happened before. */
function orderOf(
  { machine, envelope: { at } }: DecisionBuilder,
  open: OpenCall,
  { report, isClaim, around }: Ended,
): OrderOfReport {
  if (open.isUncounted) return {}
  const output = open.order === undefined ? undefined : parseResult(report.output)
  const order = [
    ...orderResults(open, { report, isClaim, output }),
    ...failureNotes({ machine, around }, { open, report, isClaim, at }),
  ]
  return order.length === 0 ? {} : { order }
}
type OrderOfReport = { readonly order?: readonly OrderResult[] }

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
function keepFacts(draft: DecisionBuilder, { facts }: Report): void {
  if (facts === undefined || draft.envelope.actor.kind !== 'system') return
  emit(draft, { type: 'vars.written', vars: facts, local: {}, source: 'observed' })
}

/**
 * Values the definition asked for, out of a result that can be read. Pawl saw them itself, unless
 * the agent reports its own call: then they are its word.
 */
function keepResults(
  draft: DecisionBuilder,
  open: OpenCall,
  { report, isClaim }: Pick<Recording, 'report' | 'isClaim'>,
): void {
  const source = isClaim ? 'claimed' : 'observed'
  if (!report.ok || open.saves.length === 0) return
  const result = parseResult(report.output)
  if (result === undefined) return
  for (const save of open.saves) {
    const evaluated = evaluateOn(save.from, result)
    const fault = evaluated.ok
      ? writePath(draft, save.to, { value: evaluated.value, source })
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
function beginDetour(draft: DecisionBuilder, edited: readonly string[]): void {
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
