/**
 * Entering a stage and ending a run.
 */
import { assertNever } from '../assert.ts'
import type { JsonObject } from '../json.ts'
import { own } from '../json.ts'
import type { EndOutcome } from '../machine/machine.ts'
import type { WrittenValues } from './command.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { emit } from './decision-builder.ts'
import { runOps } from './run-operations.ts'
import type { EntryCause } from './types.ts'

/** A fault or refusal met on the way; null: the run has moved. */
export type StoppedRun = Refusal | null

export type StageEntry = {
  readonly stage: string
  readonly by: EntryCause
  readonly data: JsonObject | null
  /** What an invoked run has brought back; absent: nothing. */
  readonly written?: WrittenValues
}

/** Enters a stage: ends a detour that does not reach there, runs ops, ends if it is final. */
export function enterStage(draft: DecisionBuilder, entry: StageEntry): StoppedRun {
  const stage = own(draft.machine.stages, entry.stage)
  if (stage === undefined) {
    return {
      code: 'STAGE_UNKNOWN',
      reason: `\`${draft.machine.name}\` has no \`${entry.stage}\``,
      hint: 'the definition must be fixed',
    }
  }
  leaveDetour(draft, entry)
  clearInputs(draft)
  noteUnmade(draft)
  emit(draft, { type: 'stage.entered', stage: entry.stage, by: entry.by })
  mergeData(draft, entry.data, entry.by)
  bringBack(draft, entry.written ?? {})
  const fault = runOps(draft, stage.enter, 'stage')
  if (fault !== null) return expressionFailed(fault)
  if (stage.final !== null) endInStage(draft, stage.final)
  return null
}

function clearInputs(draft: DecisionBuilder): void {
  for (const _ in draft.state.inputs) {
    emit(draft, { type: 'inputs.cleared' })
    return
  }
}

/** Nothing is dropped silently: a call the agent was told to make and did not make is noted. */
function noteUnmade(draft: DecisionBuilder): void {
  for (const queued of draft.state.queuedCalls) {
    if (queued.lasts !== 'stage') continue
    const message = `\`${queued.tool}\` was queued in \`${draft.state.stage}\` and never called`
    emit(draft, { type: 'warning.raised', code: 'CALL_NOT_MADE', message })
  }
}

/** The refusal of a signal whose expression faulted. */
export function expressionFailed(reason: string): Refusal {
  return {
    code: 'EXPRESSION_FAILED',
    reason: `an expression of the definition failed: ${reason}`,
    hint: 'nothing was changed; send other values, or have the definition fixed',
  }
}

/** INVARIANT: a detour is open only while the run stands in a stage of its handler. */
function leaveDetour(draft: DecisionBuilder, entry: StageEntry): void {
  const open = draft.state.detour
  if (open === null || entry.by === 'return' || entry.by === 'detour') return
  const detour = draft.machine.detours.find((one) => one.name === open.name)
  if (detour?.handler.includes(entry.stage)) return
  emit(draft, { type: 'detour.ended', name: open.name, returned: false })
}

/**
 * Lays the data of a signal over the values.
 * WHY: data that waited, for a person or for children, is still the word of the agent that sent
 *      it, whoever's command lets it in now. Only what a person sends directly is given.
 */
export function mergeData(draft: DecisionBuilder, data: JsonObject | null, by: EntryCause): void {
  if (data === null) return
  for (const _ in data) {
    const hasWaited = by === 'grant' || by === 'join' || by === 'child'
    const isPersons = draft.envelope.actor.kind === 'person' && !hasWaited
    const source = isPersons ? 'given' : 'claimed'
    emit(draft, { type: 'vars.written', vars: data, local: {}, source })
    return
  }
}

/** WHY the sources stay: a claim does not become better by being made in an invoked run. */
function bringBack(draft: DecisionBuilder, written: WrittenValues): void {
  for (const source of ['given', 'claimed', 'observed'] as const) {
    const vars = written[source] ?? {}
    for (const _ in vars) {
      emit(draft, { type: 'vars.written', vars, local: {}, source })
      break
    }
  }
}

function endInStage(draft: DecisionBuilder, outcome: EndOutcome): void {
  const { branch, stage } = draft.state
  if (branch === null) return endRun(draft, outcome, `\`${stage}\` is a failed end`)
  // A branch on its terminal stage waits to be declared done; any other end is a failure.
  if (stage !== branch.terminal) {
    endRun(draft, 'failed', `it ended in \`${stage}\` instead of \`${branch.terminal}\``)
  }
}

/** Ends the run by its own rules. */
export function endRun(draft: DecisionBuilder, outcome: EndOutcome, reason: string): void {
  switch (outcome) {
    case 'completed':
      return emit(draft, { type: 'run.completed' })
    case 'blocked':
      return emit(draft, { type: 'run.blocked', reason })
    case 'failed':
      return emit(draft, { type: 'run.failed', reason })
    default:
      return assertNever(outcome)
  }
}
