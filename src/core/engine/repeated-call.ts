/**
 * A call that its caller asks about again: it waits for a person, a person refused it, or it was
 * allowed and its end was never reported. None of these is a new call.
 */
import type { DenialCode } from '../errors.ts'
import { findGrant, hashCall } from '../judge/grants.ts'
import { hasEnded } from './is-running.ts'
import type {
  Approval,
  CallRefusal,
  Command,
  Grant,
  OpenCall,
  PendingCall,
  RefusedCall,
  RunState,
} from './types.ts'

type Checking = Extract<Command, { type: 'CheckCall' }>

export type RepeatedCall =
  | { readonly kind: 'pending'; readonly approval: Approval; readonly pending: PendingCall }
  /** Let through before. `lost`: whoever makes it asks again, since the answer never arrived. */
  | { readonly kind: 'lost' | 'unsure'; readonly open: OpenCall }

/** The call that this one is, if it is known already; null: it is a new one. */
export function findRepeatedCall(state: RunState, checking: Checking): RepeatedCall | null {
  const { caller, call } = checking
  if (caller === undefined) return null
  const { approval } = state
  if (approval !== null && 'tool' in approval.pending && approval.pending.caller === caller) {
    const { pending } = approval
    // WHY by key there: the host asks about each call, and one answer is not for another call.
    const isOther = checking.asksUser === true && pending.key !== checking.key
    if (!isOther && approval.hash === hashCall(call)) return { kind: 'pending', approval, pending }
  }
  return findOpenCall(state, checking)
}

function findOpenCall(state: RunState, checking: Checking): RepeatedCall | null {
  const { caller, key, sameAs, call } = checking
  if (sameAs === undefined || state.openCalls.length === 0) return null
  const mine = state.openCalls.filter((one) => one.caller === caller)
  const named = key === undefined ? undefined : mine.find((one) => one.key === key)
  if (named === undefined && sameAs === 'key') return null
  const hash = hashCall(call)
  if (named !== undefined) {
    // WHY in its stage: another one may forbid the call, or run it with other variables.
    const isHere = named.visit === state.visit && !isStopped(state)
    const isLost = isMaker(named, checking) && named.hash === hash && isHere
    return { kind: isLost ? 'lost' : 'unsure', open: named }
  }
  const open = mine.find((one) => one.grant !== undefined && one.hash === hash)
  return open === undefined ? null : { kind: 'unsure', open }
}

/** Whether whoever asks is the one who was let through, and never got to know it. */
function isMaker(open: OpenCall, { attempt, holder }: Checking): boolean {
  if (holder !== undefined && open.holder === holder) return true
  return attempt !== undefined && open.attempt === attempt
}

/** A run that a person stopped lets nothing begin, whatever was said before. */
function isStopped(state: RunState): boolean {
  return hasEnded(state) || state.status === 'paused'
}

type AskedBy = Pick<Checking, 'caller' | 'call'>

/**
 * The run as this caller's call is judged by it: with the grants that are the caller's own. Old
 * records name no caller, and serve anyone.
 */
export function stateForCaller(state: RunState, { caller, call }: AskedBy, at: number): RunState {
  if (state.grants.length === 0) return state
  const isOwn = (one: Grant): boolean => one.call.caller === undefined || one.call.caller === caller
  const grants = state.grants.filter(isOwn)
  const { approval, status, pause } = state
  const isHeld = status === 'waiting' && approval !== null && 'tool' in approval.pending
  const isGranted = isHeld && findGrant(grants, call, at) !== null
  // WHY: a question about another call must not hold up one that a person has let through.
  const open = { status: pause === null ? 'running' : 'paused', approval: null } as const
  return isGranted ? { ...state, grants, ...open } : { ...state, grants }
}

/** The refusal that this caller has not received yet; null: there is none. */
export function findRefused(state: RunState, { caller, call }: Checking): RefusedCall | null {
  const { refusedCalls = [] } = state
  if (caller === undefined || refusedCalls.length === 0) return null
  const hash = hashCall(call)
  return refusedCalls.find((one) => one.caller === caller && one.hash === hash) ?? null
}

type Denied = { readonly code: DenialCode; readonly reason: string; readonly hint: string }

/** Who refused a call, and the note they left. */
export function refusalIn({ by, note = '' }: RefusedCall): CallRefusal {
  return { by: by ?? null, note }
}

/** The denial of a call that a person refused. */
export function refusedText({ by, note }: CallRefusal): Denied {
  const why = note === '' ? '' : `: ${note}`
  return {
    code: 'APPROVAL_REFUSED',
    reason: by === null ? 'nobody decided on this call in time' : `${by} refused it${why}`,
    hint: 'continue without it; making the same call again needs a new approval',
  }
}

/** The denial of a call that was allowed before and never reported. */
export const unsureCall: Denied = {
  code: 'CALL_UNSURE',
  reason: 'this call was allowed before, and its result was never reported',
  hint: 'it may have happened: check before you repeat it, and report it under its call id',
}
