/**
 * Asks a person about a move or a call, and applies the answer. What is pending is data in the
 * log, so a grant that comes days later needs no code to be replayed.
 */
import { meetsRequirement } from '../evidence/meets-requirement.ts'
import type { JsonObject } from '../json.ts'
import { hashCall } from '../judge/grants.ts'
import type { Ruling } from '../judge/judge.ts'
import { nameRule, ruleText } from '../judge/rule-answer.ts'
import { hashJson } from '../machine/hash.ts'
import type { Gate, Guard, Move } from '../machine/machine.ts'
import { type ProofLevel, strongestProof } from '../machine/proof-levels.ts'
import { type Quorum, quorumText } from '../machine/quorum.ts'
import { showInput, visible } from '../policy/format-call-input.ts'
import { applyMove } from './apply-move.ts'
import { evidenceFor, evidenceMoment } from './call-evidence.ts'
import type { DecisionBuilder, Refusal } from './decision-builder.ts'
import { acceptCommand, emit, openDecision, refuseCommand } from './decision-builder.ts'
import { endRun } from './enter-stage.ts'
import type {
  Actor,
  Approval,
  Command,
  Decision,
  EngineContext,
  Envelope,
  PendingCall,
  PendingMove,
  RunState,
} from './types.ts'
import { refuseData } from './validate-data.ts'

type Question = {
  readonly signal: string
  readonly move: Move
  readonly gate: Gate
  readonly data: JsonObject | null
  /** Of the route that leads there. */
  readonly guards: readonly Guard[]
}

function wanted(guards: readonly Guard[]): Pick<PendingMove, 'evidence'> {
  const evidence = guards.flatMap((one) => (one.kind === 'evidence' ? [one.requirement] : []))
  return evidence.length === 0 ? {} : { evidence }
}

/** Parks a move until a person decides. */
export function requestMove(draft: DecisionBuilder, question: Question): null {
  const { signal, move, gate, data, guards } = question
  const editable = gate.editable === undefined ? {} : { editable: gate.editable }
  const pending = { signal, move, data, refusal: gate.refusal, ...editable, ...wanted(guards) }
  const id = `${draft.envelope.runId}:a${draft.state.seq}`
  const approval: Approval = {
    id,
    kind: 'move',
    message: askedOf(
      gate.message === '' ? `\`${signal}\` in \`${draft.state.stage}\`?` : gate.message,
      gate.quorum,
    ),
    hash: hashJson({ stage: draft.state.stage, ...pending } as unknown as JsonObject),
    ...openUntil(draft.envelope),
    pending,
    ...rulesFor(draft, gate),
  }
  emit(draft, { type: 'approval.requested', approval })
  draft.effects.push({ type: 'notify-person', approvalId: id })
  return null
}

/** The question with who has to agree, where that is not simply anybody. */
function askedOf(message: string, quorum: Quorum | undefined): string {
  return quorum === undefined ? message : `${message} (needs approval from ${quorumText(quorum)})`
}

type ApprovalRules = Pick<Approval, 'quorum' | 'askedBy' | 'proof'>

type Demands = { readonly quorum?: Quorum; readonly proof?: ProofLevel }

function rulesFor({ envelope }: DecisionBuilder, { quorum, proof }: Demands): ApprovalRules {
  const isSigned = strongestProof([proof, envelope.proof]) === 'passkey'
  return {
    ...(quorum === undefined ? {} : { quorum, askedBy: envelope.actor }),
    ...(isSigned ? { proof: 'passkey' } : {}),
  }
}

function openUntil({ at, approvalMs }: Envelope): Pick<Approval, 'requestedAt' | 'expiresAt'> {
  return approvalMs === undefined
    ? { requestedAt: at }
    : { requestedAt: at, expiresAt: at + approvalMs }
}

/** Asks a person about one call, as it is and not otherwise. */
export function requestCall(
  draft: DecisionBuilder,
  { pending, ruling }: { readonly pending: PendingCall; readonly ruling: Ruling },
): Approval {
  const id = `${draft.envelope.runId}:a${draft.state.seq}`
  const { by, quorum } = ruling
  const named = ruleText(nameRule(by.rule, draft.machine.name))
  const rule = named === null ? '' : ` (\`${named}\`)`
  const question =
    `may \`${visible(pending.tool)}\` be called with ${showInput(pending.input)}? ` +
    `${visible(by.reason)}${rule}`
  const message = askedOf(question, quorum)
  const approval: Approval = {
    id,
    kind: 'call',
    message,
    hash: hashCall(pending),
    ...openUntil(draft.envelope),
    pending,
    ...rulesFor(draft, ruling),
  }
  emit(draft, { type: 'approval.requested', approval })
  draft.effects.push({ type: 'notify-person', approvalId: id })
  return approval
}

/** A person grants or refuses what is pending. */
export function resolveApproval(
  where: Omit<EngineContext, 'around'>,
  state: RunState,
  command: Extract<Command, { type: 'ResolveApproval' }>,
): Decision {
  const by = where.envelope.actor
  if (by.kind !== 'person') {
    return refuseCommand(state, {
      code: 'NOT_PERMITTED',
      reason: 'only a person may decide an approval',
      hint: 'wait for a person',
    })
  }
  const approval = state.approval
  if (approval === null || (command.approvalId !== null && command.approvalId !== approval.id)) {
    return refuseCommand(state, unknownApproval)
  }
  const stale =
    refuseStale(approval, command, where.envelope.at) ??
    refuseUnsigned(approval, command, where.envelope)
  if (stale !== null) return refuseCommand(state, stale)
  const draft = openDecision(where.machine, state, where.envelope)
  const { proof, peer } = command
  const known = {
    ...(proof === undefined ? {} : { proof }),
    ...(peer === undefined ? {} : { peer }),
  }
  const fact = { approvalId: approval.id, by, note: command.note, ...known }
  if (!command.granted) {
    const told = command.isTold === undefined ? {} : { isTold: command.isTold }
    emit(draft, { type: 'approval.refused', ...fact, ...told })
    blockWhenRefused(draft, approval, `${by.name} refused`)
    return acceptCommand(draft)
  }
  const missing =
    refuseApprover(approval, by) ?? (command.edits == null ? null : fixedForAll(approval))
  if (missing !== null) return refuseCommand(state, missing)
  if ((approval.endorsements ?? []).length + 1 < (approval.quorum?.needed ?? 1)) {
    emit(draft, { type: 'approval.endorsed', ...fact })
    return acceptCommand(draft)
  }
  if ('tool' in approval.pending) {
    // The grant lets the call through: from here on it counts, whoever makes it and when.
    const { meters } = approval.pending
    emit(draft, { type: 'approval.granted', ...fact, at: where.envelope.at, meters })
    return acceptCommand(draft)
  }
  const { move, data } = approval.pending
  const changed = refuseChanged(approval.pending, state, where.envelope)
  if (changed !== null) return refuseCommand(state, changed)
  const edits = command.edits ?? null
  emit(draft, { type: 'approval.granted', ...fact, ...(edits === null ? {} : { edits }) })
  const edited = edits === null ? data : { ...data, ...edits }
  const stopped = applyMove(draft, move, { data: edited, by: 'grant' })
  return stopped === null ? acceptCommand(draft) : refuseCommand(state, stopped)
}

/**
 * Why a move may not be approved that was possible when it was asked about: the files are others
 * now. WHY not for its age: people take their time.
 */
function refuseChanged(
  { signal, evidence = [] }: PendingMove,
  state: RunState,
  envelope: Envelope,
): Refusal | null {
  for (const one of evidence.filter(({ isFresh }) => isFresh)) {
    const requirement = { ...one, ageMsMax: null }
    const answer = meetsRequirement(
      requirement,
      evidenceFor(state, envelope),
      evidenceMoment(envelope),
    )
    if (answer.met) continue
    const reason = `\`${signal}\` rests on \`${one.command}\`, and ${answer.reason}`
    const hint = 'refuse it, so that the agent runs the command again'
    return { code: 'GUARD_FAILED', reason, hint }
  }
  return null
}

/** Whether every decision on it has to be signed, by what it says or by what holds now. */
export function needsPasskey({ proof }: Approval, envelope: Envelope): boolean {
  return proof === 'passkey' || envelope.proof === 'passkey'
}

function refuseUnsigned(
  approval: Approval,
  { proof }: Extract<Command, { type: 'ResolveApproval' }>,
  envelope: Envelope,
): Refusal | null {
  if (proof !== undefined || !needsPasskey(approval, envelope)) return null
  const reason = 'this decision must be signed with a passkey'
  return { code: 'PASSKEY_NEEDED', reason, hint: 'decide on the page (`pawl open`)' }
}

/** Why this person's yes does not count; null: it does. */
function refuseApprover(
  { quorum, askedBy, endorsements = [] }: Approval,
  by: Actor,
): Refusal | null {
  if (quorum === undefined) return null
  const hint = `approval is needed from ${quorumText(quorum)}`
  const refusal = (reason: string): Refusal => ({ code: 'NOT_PERMITTED', reason, hint })
  if (askedBy?.kind === 'person' && askedBy.name === by.name) {
    return refusal(`\`${by.name}\` requested this and cannot approve it`)
  }
  if (quorum.from !== undefined && !quorum.from.includes(by.name)) {
    return refusal(`the approval of \`${by.name}\` does not count here`)
  }
  if (endorsements.some((one) => one.by.name === by.name)) {
    return refusal(`\`${by.name}\` has already approved this; somebody else must approve too`)
  }
  return null
}

/** WHY: what the first has approved is not what a second would change. */
function fixedForAll({ quorum }: Approval): Refusal | null {
  if ((quorum?.needed ?? 1) < 2) return null
  const reason = 'an approval by several people cannot be changed by one of them'
  return { code: 'NOT_PERMITTED', reason, hint: 'decide without changes, or refuse with a reason' }
}

/** Why a decision does not fit what is pending; null: it does. */
function refuseStale(
  approval: Approval,
  { granted, hash = null, edits = null }: Extract<Command, { type: 'ResolveApproval' }>,
  at: number,
): Refusal | null {
  if (hash !== null && hash !== approval.hash) {
    const reason = 'the pending approval is not the one you were shown'
    return { code: 'APPROVAL_UNKNOWN', reason, hint: 'look at it again, then decide' }
  }
  if (granted && approval.expiresAt !== undefined && at > approval.expiresAt) {
    const reason = 'nobody decided in time'
    return { code: 'APPROVAL_EXPIRED', reason, hint: 'the agent must ask again' }
  }
  if (edits === null) return null
  const unclean = refuseData(edits)
  if (unclean !== null) return { code: 'DATA_INVALID', reason: unclean, hint: '' }
  const editable = 'editable' in approval.pending ? (approval.pending.editable ?? []) : []
  const fixed = Object.keys(edits).find((key) => !editable.includes(key))
  if (fixed === undefined && granted) return null
  const what = granted ? `\`${fixed}\` cannot be changed here` : 'a refusal changes nothing'
  const names = editable.map((key) => `\`${key}\``).join(', ')
  const hint = names === '' ? 'decide without changes' : `these can be changed: ${names}`
  return { code: 'NOT_PERMITTED', reason: what, hint }
}

const unknownApproval: Refusal = {
  code: 'APPROVAL_UNKNOWN',
  reason: 'no such approval is pending',
  hint: 'it may have been decided already, or the run has moved on',
}

/** Expiry counts as a refusal. */
export function expireApproval(
  where: Omit<EngineContext, 'around'>,
  state: RunState,
  approvalId: string,
): Decision {
  const approval = state.approval
  if (approval === null || approval.id !== approvalId) return refuseCommand(state, unknownApproval)
  if (where.envelope.actor.kind === 'agent') {
    const reason = 'an approval expires by the clock; an agent cannot expire it'
    return refuseCommand(state, { code: 'NOT_PERMITTED', reason, hint: 'wait for a person' })
  }
  const draft = openDecision(where.machine, state, where.envelope)
  emit(draft, { type: 'approval.expired', approvalId })
  blockWhenRefused(draft, approval, 'nobody decided in time')
  return acceptCommand(draft)
}

function blockWhenRefused(draft: DecisionBuilder, approval: Approval, reason: string): void {
  if ('refusal' in approval.pending && approval.pending.refusal === 'block') {
    endRun(draft, 'blocked', reason)
  }
}
