/**
 * Folds approvals and decisions into the state of a run. Part of `evolve`: total, and frozen once
 * released.
 */
import type { OwnState } from './evolve.ts'
import { hasEnded } from './is-running.ts'
import type { Approval, Event, OpenCall, RefusedCall } from './types.ts'

/** Approved calls that may wait to be made; beyond it the oldest has to be asked about again. */
const grantsMax = 16
/** Refused calls whose callers have not come back for the answer. */
const refusedCallsMax = 16

type EventOf<T extends Event['type']> = Extract<Event, { type: T }>

type ApprovalEvent = EventOf<
  | 'approval.requested'
  | 'approval.endorsed'
  | 'approval.granted'
  | 'approval.expired'
  | 'approval.refused'
>

export function foldApproval(state: OwnState, event: ApprovalEvent): void {
  if (event.type === 'approval.requested') {
    // A run that is over stays over, also while a person decides about a call made after it.
    if (!hasEnded(state)) state.status = 'waiting'
    state.approval = event.approval
    return
  }
  const approval = state.approval
  if (event.type === 'approval.endorsed') {
    if (approval?.id === event.approvalId) state.approval = endorsed(approval, event)
    return
  }
  if (!hasEnded(state)) state.status = state.pause === null ? 'running' : 'paused'
  state.approval = null
  state.notice = noticeOf(event, approval)
  if (approval?.id !== event.approvalId) return
  if (event.type === 'approval.granted') addGrant(state, event, approval)
  else addRefused(state, event, approval)
}

function addGrant(
  state: OwnState,
  event: EventOf<'approval.granted'>,
  { id, hash, pending, requestedAt, expiresAt }: Approval,
): void {
  if (!('tool' in pending)) return
  const until = expiresAt === undefined ? {} : { expiresAt }
  const grant = { approvalId: id, hash, at: event.at ?? requestedAt, call: pending, ...until }
  state.grants = [...state.grants.slice(-(grantsMax - 1)), grant]
}

/** WHY only with a caller: nobody else can be told apart from the next one who asks. */
function addRefused(
  state: OwnState,
  event: EventOf<'approval.refused' | 'approval.expired'>,
  { id, hash, pending }: Approval,
): void {
  if (!('tool' in pending) || pending.caller === undefined) return
  if (event.type === 'approval.refused' && event.isTold) return
  const who = event.type === 'approval.refused' ? { by: event.by.name, note: event.note } : {}
  const refused: RefusedCall = { approvalId: id, hash, caller: pending.caller, ...who }
  const { refusedCalls = [] } = state
  state.refusedCalls = [...refusedCalls.slice(-(refusedCallsMax - 1)), refused]
}

/** A caller that was told of its refusal may ask again. */
export function foldDenial(state: OwnState, { refusedBy }: EventOf<'call.denied'>): void {
  if (refusedBy === undefined) return
  const { refusedCalls = [] } = state
  state.refusedCalls = refusedCalls.filter((one) => one.approvalId !== refusedBy)
}

/** Uses a grant up; gives what the call that used it keeps of it. */
export function takeGrant(state: OwnState, approvalId: string): Pick<OpenCall, 'grant' | 'hash'> {
  const hash = state.grants.find((grant) => grant.approvalId === approvalId)?.hash
  state.grants = state.grants.filter((grant) => grant.approvalId !== approvalId)
  state.notice = ''
  return { grant: approvalId, ...(hash === undefined ? {} : { hash }) }
}

/** What people decided about calls holds in the stage where they were asked, and no longer. */
export function dropDecisions(state: OwnState): void {
  state.grants = []
  if (state.refusedCalls !== undefined) state.refusedCalls = []
}

/** A question after one more of several people has agreed. */
export function endorsed(approval: Approval, { by, note }: EventOf<'approval.endorsed'>): Approval {
  return { ...approval, endorsements: [...(approval.endorsements ?? []), { by, note }] }
}

type Decided = Exclude<ApprovalEvent, { type: 'approval.requested' | 'approval.endorsed' }>

function noticeOf(event: Decided, approval: Approval | null): string {
  const pending = approval?.pending
  const call = pending !== undefined && 'tool' in pending ? `\`${pending.tool}\`` : null
  if (event.type === 'approval.expired') {
    const what = call === null ? '' : ` about ${call}`
    return `nobody decided${what} in time, which counts as refused`
  }
  const { by, note } = event
  if (event.type === 'approval.granted') {
    const said = note === '' ? '' : `${by.name} approved: ${note}`
    if (call === null) return said
    const way = `make the call of ${call} again unchanged; it is allowed once`
    return said === '' ? `${by.name} approved: ${way}` : `${said}; ${way}`
  }
  const what = call === null ? '' : ` the call of ${call}`
  return `${by.name} refused${what}: ${note === '' ? 'without a reason' : note}`
}
