/**
 * Sends one signal through the fixed pipeline:
 * absorb → prepare → require → commit → choose → gate → move → merge → enter
 * A rejected signal changes nothing; a held signal keeps what was absorbed and prepared.
 */
import type { JsonObject } from '../json.ts'
import { own } from '../json.ts'
import type { Machine, Route, Stage, Trigger } from '../machine/machine.ts'
import { visible } from '../policy/format-call-input.ts'
import { applyMove, outsideDetour } from './apply-move.ts'
import { requestMove } from './approval.ts'
import { beginRun } from './begin-run.ts'
import { evidenceFor, evidenceMoment } from './call-evidence.ts'
import { chooseRoute, type FailedGuard, type GuardScope } from './choose-route.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import {
  acceptCommand,
  closeDecision,
  emit,
  markDecision,
  openDecision,
  rewindDecision,
} from './decision-builder.ts'
import { endRun, enterStage, expressionFailed } from './enter-stage.ts'
import { refuseUnlessRunning } from './is-running.ts'
import { isGiven, runOps } from './run-operations.ts'
import { absorb, checkFields } from './signal-fields.ts'
import type { Command, Decision, Envelope, RunState } from './types.ts'
import { refuseData } from './validate-data.ts'

type SendSignal = Extract<Command, { type: 'SendSignal' }>

/** Decides one signal of the agent. */
export function sendSignal(
  at: { readonly machine: Machine; readonly envelope: Envelope },
  state: RunState,
  signal: SendSignal,
): Decision {
  const draft = openDecision(at.machine, state, at.envelope)
  const refusal = refuseEarly(draft, signal) ?? runSignal(draft, signal)
  if (refusal === null) return acceptCommand(draft)
  if (refusal === 'held') return heldDecision(draft)
  return rejectedDecision(draft, { state, signal, refusal })
}

/** Refusals that need no look at the stage's triggers. */
function refuseEarly(draft: DecisionBuilder, signal: SendSignal): Refusal | null {
  const stopped = refuseUnlessRunning(draft.state)
  if (stopped !== null) return stopped
  if (signal.expectStage !== null && signal.expectStage !== draft.state.stage) {
    return {
      code: 'STAGE_STALE',
      reason: `the run is in \`${draft.state.stage}\`, not in \`${signal.expectStage}\``,
      hint: 'get the state of the run and answer for where it is now',
    }
  }
  const unclean = signal.data === null ? null : refuseData(signal.data)
  if (unclean === null) return null
  return {
    code: 'DATA_INVALID',
    reason: unclean,
    hint: 'send plain JSON values of a reasonable size',
  }
}

function runSignal(draft: DecisionBuilder, signal: SendSignal): Refusal | 'held' | null {
  const stage = own(draft.machine.stages, draft.state.stage)
  if (stage === undefined) return unknownSignal(draft, null, signal)
  const trigger = findTrigger(stage, signal.name)
  if (trigger === null) return useFallback(draft, stage, signal)
  const refusal = refuseNamed(draft, trigger, signal)
  if (refusal !== null) return refusal
  if (!draft.state.hasStarted) {
    const stopped = beginRun(draft)
    if (stopped !== null) return stopped
  }
  if (trigger.fields !== null) return submit(draft, { trigger, fields: trigger.fields, signal })
  return choose(draft, { trigger, signal, data: signal.data })
}

function findTrigger(stage: Stage, name: string): Trigger | null {
  const exact = own(stage.signals, name)
  if (exact !== undefined) return exact
  if (!stage.foldsSignals) return null
  const folded = fold(name)
  const fits = Object.keys(stage.signals).filter((key) => fold(key) === folded)
  return fits.length === 1 ? (own(stage.signals, fits[0] as string) ?? null) : null
}

function fold(name: string): string {
  return name.trim().toLowerCase()
}

function useFallback(draft: DecisionBuilder, stage: Stage, signal: SendSignal): Refusal | null {
  const { fallback } = stage
  const isReserved = fallback?.except.some((prefix) => signal.name.startsWith(prefix)) ?? true
  if (fallback === null || isReserved) return unknownSignal(draft, stage, signal)
  emit(draft, { type: 'signal.taken', name: signal.name, route: fallback.origin })
  return enterStage(draft, { stage: fallback.stage, by: 'fallback', data: signal.data })
}

function unknownSignal(draft: DecisionBuilder, stage: Stage | null, signal: SendSignal): Refusal {
  const names = Object.keys(stage?.signals ?? {}).map((name) => `\`${name}\``)
  return {
    code: 'SIGNAL_UNKNOWN',
    reason: `\`${signal.name}\` is not known in \`${draft.state.stage}\``,
    hint: names.length === 0 ? 'nothing can be sent here' : `send one of ${names.join(', ')}`,
  }
}

/** Naming the next stage must be offered, and the stage must exist. */
function refuseNamed(draft: DecisionBuilder, trigger: Trigger, signal: SendSignal): Refusal | null {
  if (signal.goTo === null) return null
  if (!trigger.canName) {
    return {
      code: 'NOT_PERMITTED',
      reason: `\`${draft.state.stage}\` does not let you choose where to go next`,
      hint: 'submit without naming where to go',
    }
  }
  if (own(draft.machine.stages, signal.goTo) !== undefined) return null
  const names = Object.keys(draft.machine.stages).map((name) => `\`${name}\``)
  return {
    code: 'STEP_UNKNOWN',
    reason: `\`${draft.machine.name}\` has no \`${signal.goTo}\``,
    hint: `choose one of ${names.slice(0, 20).join(', ')}`,
  }
}

type Submission = {
  readonly trigger: Trigger
  readonly fields: NonNullable<Trigger['fields']>
  readonly signal: SendSignal
}

/** absorb, prepare, require, commit; then the common end of the pipeline. */
function submit(draft: DecisionBuilder, submission: Submission): Refusal | 'held' | null {
  const { trigger, fields, signal } = submission
  collect(draft, submission)
  const faultBefore = runOps(draft, trigger.prepare, 'stage')
  if (faultBefore !== null) return expressionFailed(faultBefore)
  const { missing, issues } = checkFields(fields, draft.state.inputs)
  if (missing.length > 0 || issues.length > 0) {
    // What is wrong is not kept, so it has to be collected again.
    const wrong = new Set([...missing, ...issues.map((one) => one.field)])
    const lacking = fields.filter((field) => field.isRequired && wrong.has(field.name))
    const names = lacking.map((field) => field.name)
    emit(draft, { type: 'signal.held', name: signal.name, missing: names, invalid: issues })
    return 'held'
  }
  const prepared = markDecision(draft)
  const faultAfter = runOps(draft, trigger.commit, 'move')
  if (faultAfter !== null) return expressionFailed(faultAfter)
  return choose(draft, { trigger, signal, data: null, prepared })
}

function collect(draft: DecisionBuilder, { fields, signal }: Submission): void {
  const { inputs, unknown } = absorb(fields, signal.data ?? {})
  for (const name of unknown) {
    const message = `\`${name}\` is not one of the inputs and was ignored`
    emit(draft, { type: 'warning.raised', code: 'FIELD_UNKNOWN', message })
  }
  for (const _ in inputs) {
    emit(draft, { type: 'inputs.collected', inputs })
    return
  }
}

type Choosing = {
  readonly trigger: Trigger
  readonly signal: SendSignal
  readonly data: JsonObject | null
  /** Where to come back to when the chosen route asks for more fields. */
  readonly prepared?: DecisionBuilder
}

/** choose, gate, move, merge, enter. */
function choose(draft: DecisionBuilder, choosing: Choosing): Refusal | 'held' | null {
  const { trigger, signal, data, prepared } = choosing
  if (signal.goTo !== null) {
    emit(draft, { type: 'signal.taken', name: trigger.name, route: null })
    return enterStage(draft, { stage: signal.goTo, by: 'signal', data })
  }
  const choice = chooseRoute(trigger, guardScopeOf(draft))
  if (choice.kind === 'fault') return expressionFailed(choice.reason)
  if (choice.kind === 'none') {
    // WHY: what was not seen completes nothing, also where a form ends when no route is left.
    const lacksEvidence = choice.failed.some(({ evidence }) => evidence !== undefined)
    if (trigger.otherwise === 'reject' || lacksEvidence) {
      return guardFailed(draft, trigger, choice.failed)
    }
    emit(draft, { type: 'signal.taken', name: trigger.name, route: null })
    endRun(draft, 'completed', '')
    return null
  }
  const given = trigger.fields === null ? (data ?? {}) : draft.state.inputs
  const missing = choice.route.requires.filter((name) => !isGiven(own(given, name)))
  if (missing.length > 0) {
    if (trigger.fields === null) return dataMissing(trigger, missing)
    if (prepared !== undefined) rewindDecision(draft, prepared)
    emit(draft, { type: 'signal.held', name: signal.name, missing, invalid: [] })
    return 'held'
  }
  return take(draft, choice.route, choosing)
}

function guardScopeOf({ state, envelope }: DecisionBuilder): GuardScope {
  return { state, evidence: evidenceFor(state, envelope), moment: evidenceMoment(envelope) }
}

/** What a form collects is kept; the data of an event is not, so all of it is sent again. */
function dataMissing({ name }: Trigger, missing: readonly string[]): Refusal {
  const names = missing.map((one) => `\`${one}\``).join(', ')
  return {
    code: 'FIELDS_MISSING',
    reason: `\`${name}\` needs ${names} in its data`,
    hint: `send \`${name}\` again, with a value for each`,
    missing,
  }
}

function take(draft: DecisionBuilder, route: Route, { trigger, data }: Choosing): Refusal | null {
  // Nobody is asked about a way back that is not there.
  if (route.move.kind === 'return' && draft.state.detour === null) return outsideDetour
  emit(draft, { type: 'signal.taken', name: trigger.name, route: route.origin })
  if (trigger.warning !== null) {
    emit(draft, { type: 'warning.raised', code: 'ANSWER_WARNED', message: trigger.warning })
  }
  if (route.gate !== null) {
    const { move, gate, guards } = route
    return requestMove(draft, { signal: trigger.name, move, gate, data, guards })
  }
  return applyMove(draft, route.move, { data, by: 'signal' })
}

function guardFailed(
  draft: DecisionBuilder,
  trigger: Trigger,
  failed: readonly FailedGuard[],
): Refusal {
  const names = failed.map(failedGuardText).join(', ')
  return {
    code: 'GUARD_FAILED',
    reason: `\`${trigger.name}\` is not possible now in \`${draft.state.stage}\`: ${names}`,
    hint: hintOf(failed),
  }
}

function hintOf(failed: readonly FailedGuard[]): string {
  const hints = failed.flatMap(({ evidence }) => (evidence === undefined ? [] : [evidence.hint]))
  if (hints.length > 0) return [...new Set(hints)].join('; ')
  return failed.some(({ observed }) => observed !== null)
    ? 'only what Pawl sees itself counts here: run it as a job, then send this again'
    : 'guards see only values that were set before: set those first, or send something else'
}

const seenCharsMax = 80

function failedGuardText({ name, observed, evidence }: FailedGuard): string {
  if (evidence !== undefined) return `\`${name}\` failed (${evidence.reason})`
  if (observed === null) return `\`${name}\` failed`
  const { field, value } = observed
  if (value === undefined) return `\`${name}\` failed (Pawl has seen no \`${field}\`)`
  const seen = visible(JSON.stringify(value).slice(0, seenCharsMax))
  return `\`${name}\` failed (Pawl saw \`${field}\` ${seen})`
}

function heldDecision(draft: DecisionBuilder): Decision {
  const held = draft.events.at(-1)
  const missing = held?.type === 'signal.held' ? held.missing : []
  const issues = held?.type === 'signal.held' ? held.invalid : []
  const code = issues.length > 0 ? 'FIELDS_INVALID' : 'FIELDS_MISSING'
  const words = [
    ...issues.map((one) => one.message),
    ...missing.map((one) => `\`${one}\` is missing`),
  ]
  const hint = 'valid values are kept; send the rest'
  return closeDecision(draft, {
    kind: 'refused',
    code,
    reason: words.join('; '),
    hint,
    missing,
    issues,
  })
}

/** A refused signal is on record, and nothing else of it. */
function rejectedDecision(
  draft: DecisionBuilder,
  what: { readonly state: RunState; readonly signal: SendSignal; readonly refusal: Refusal },
): Decision {
  const clean = openDecision(draft.machine, what.state, draft.envelope)
  const { code, reason } = what.refusal
  emit(clean, { type: 'signal.rejected', name: what.signal.name, code, reason })
  return closeDecision(clean, { kind: 'refused', ...what.refusal })
}
