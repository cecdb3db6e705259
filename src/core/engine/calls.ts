/**
 * A call is judged before it happens and reported after: counted, its results kept, and a
 * changed file may lead to a detour.
 */
import { evaluateOn } from '../expr/evaluate.ts'
import { matchesGlob } from '../expr/glob.ts'
import type { Json } from '../json.ts'
import { own } from '../json.ts'
import { judgeCall } from '../judge.ts'
import type { Machine } from '../machine/machine.ts'
import type { Draft } from './draft.ts'
import { accept, closeDraft, emit, openDraft, refuse } from './draft.ts'
import { enterStage } from './enter.ts'
import { writePath } from './ops.ts'
import { hasEnded } from './running.ts'
import type { Call, Command, Decision, Envelope, OpenCall, Report, RunState } from './types.ts'

type Where = { readonly machine: Machine; readonly envelope: Envelope }

/** Characters of a result that is looked into for values to keep. */
const resultCharsMax = 1_000_000

/** Decides whether the agent may make this call. */
export function checkCall(where: Where, state: RunState, call: Call): Decision {
  const draft = openDraft(where.machine, state, where.envelope)
  const ruling = judgeCall(where.machine, state, call)
  const { verdict, code, reason, rule } = ruling
  if (verdict === 'deny') {
    const denial = code ?? 'INTERNAL'
    emit(draft, {
      type: 'call.denied',
      tool: call.tool,
      input: call.input,
      code: denial,
      reason,
      rule,
    })
    return closeDraft(draft, {
      kind: 'verdict',
      ...ruling,
      code: denial,
      input: null,
      callId: null,
    })
  }
  const callId = `${where.envelope.runId}:c${state.seq}`
  const counts = !call.isOwn && !hasEnded(state)
  emit(draft, {
    type: 'call.allowed',
    callId,
    tool: call.tool,
    input: call.input,
    edits: call.edits,
    counts,
  })
  noteLimit(draft)
  return closeDraft(draft, { kind: 'verdict', ...ruling, input: call.input, callId })
}

/** The call that uses up the last of a stage says so. */
function noteLimit(draft: Draft): void {
  const max = own(draft.machine.stages, draft.state.stage)?.rule.callsMax ?? null
  if (max === null || draft.state.counts.calls !== max) return
  emit(draft, { type: 'limit.reached', code: 'CALLS_EXHAUSTED', stage: draft.state.stage })
}

/** Takes note of what became of a call. */
export function reportCall(
  where: Where,
  state: RunState,
  command: Extract<Command, { type: 'ReportCall' }>,
): Decision {
  const open =
    command.callId === null
      ? state.openCalls.at(-1)
      : state.openCalls.find((one) => one.callId === command.callId)
  if (open === undefined) {
    return refuse(state, {
      code: 'CALL_UNKNOWN',
      reason: 'no allowed call waits for this report',
      hint: 'report a call once, with the id its verdict gave',
    })
  }
  const { bytes, costMicroUsd } = command.report
  if (![bytes ?? 0, costMicroUsd].every((amount) => Number.isFinite(amount) && amount >= 0)) {
    const reason = 'a report counts bytes and money from zero up'
    return refuse(state, { code: 'DATA_INVALID', reason, hint: 'report what the call really used' })
  }
  const draft = openDraft(where.machine, state, where.envelope)
  record(draft, open, command.report)
  keepResults(draft, open, command.report)
  if (command.report.ok) beginDetour(draft, open.edits)
  return accept(draft)
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
    const file = edited.find((path) => matchesGlob(detour.pattern, path))
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
