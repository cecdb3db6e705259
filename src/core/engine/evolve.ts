/**
 * Folds one recorded event into the state of a run. Total, and frozen once released: it evaluates
 * no guard, reads no machine and rejects nothing.
 */
import { assertNever } from '../assert.ts'
import { addEvidence, fingerprintOver } from '../evidence/recorded-evidence.ts'
import { type JsonObject, own } from '../json.ts'
import { addMicroUsd } from '../money.ts'
import { mayChange } from '../policy/order-meters.ts'
import { identityOf } from './call-identity.ts'
import { dropDecisions, foldApproval, foldDenial, takeGrant } from './fold-approval.ts'
import { withoutEnded } from './twin-calls.ts'
import type { Costs, Counts, Event, Fork, ForkedBranch, OpenCall, RunState } from './types.ts'

const noCounts: Counts = { calls: 0, bytes: 0, files: [] }
const nothing: JsonObject = {}
const noCosts: Costs = {}

/** Changes with every change of the fold: a kept fold of another version is not read. */
export const evolveVersion = 9

/** Calls whose report is awaited; beyond it the oldest is forgotten, see `findForgettable`. */
export const openCallsMax = 256

/** Calls that wait for others; beyond it the oldest is not waited for any more. */
const waitingKeptMax = 64

/** Tools of which a run knows what they cost; what any other may cost stays unknown. */
const toolsKnownMax = 256

/** A run before its first event. */
export const unborn: RunState = {
  status: 'running',
  reason: '',
  stage: '',
  visits: 0,
  visit: 0,
  seq: 0,
  hasStarted: false,
  vars: nothing,
  local: nothing,
  inputs: nothing,
  sources: {},
  counts: noCounts,
  callsCount: 0,
  costMicroUsd: 0,
  queuedCalls: [],
  openCalls: [],
  grants: [],
  detour: null,
  fork: null,
  child: null,
  approval: null,
  branch: null,
  pause: null,
  notice: '',
}

/** A state that belongs to whoever folds, until it is handed on. */
export type OwnState = { -readonly [K in keyof RunState]: RunState[K] }

/** The state after one more event. */
export function evolve(state: RunState, event: Event): RunState {
  const next = { ...state }
  foldInto(next, event)
  return next
}

/**
 * Folds into a state that nobody else holds.
 * WHY: a decision has several events, and copying the state for each would cost more than
 *      deciding. Members are replaced, never changed in place, so copies may share them.
 */
export function foldInto(state: OwnState, event: Event): void {
  state.seq += 1
  switch (event.type) {
    case 'run.started':
      state.stage = event.stage
      state.vars = event.vars
      state.branch = event.branch
      if (event.observe !== undefined) state.observe = event.observe
      return
    case 'stage.entered':
      return foldEntry(state, event)
    case 'vars.written':
      return foldWrite(state, event)
    case 'inputs.collected':
      state.inputs = { ...state.inputs, ...event.inputs }
      return
    case 'inputs.cleared':
      state.inputs = nothing
      return
    case 'signal.held':
      state.inputs = without(state.inputs, event.invalid)
      return
    case 'signal.taken':
    case 'signal.rejected':
    case 'text.said':
    case 'session.began':
    case 'session.ended':
    case 'warning.raised':
    case 'limit.reached':
    case 'stage.forced':
      return
    case 'call.waiting':
      return foldWaiting(state, event)
    case 'call.asked':
      return endWaiting(state, event.waitId)
    case 'call.denied':
      endWaiting(state, event.waitId)
      return foldDenial(state, event)
    case 'call.queued':
    case 'call.allowed':
    case 'call.reported':
      return foldCall(state, event)
    case 'money.spent':
      state.costMicroUsd = addMicroUsd(state.costMicroUsd, event.costMicroUsd)
      return
    case 'approval.requested':
    case 'approval.endorsed':
    case 'approval.granted':
    case 'approval.expired':
    case 'approval.refused':
      return foldApproval(state, event)
    case 'detour.begun':
    case 'detour.ended':
      return foldDetour(state, event)
    case 'fork.opened':
    case 'fork.closed':
    case 'child.requested':
    case 'child.ended':
      return foldChildren(state, event)
    default:
      return foldRun(state, event)
  }
}

type EventOf<T extends Event['type']> = Extract<Event, { type: T }>

function foldEntry(state: OwnState, event: EventOf<'stage.entered'>): void {
  state.stage = event.stage
  state.visits += 1
  state.hasStarted = true
  // A person who said yes saw the run in another stage.
  dropDecisions(state)
  // Back from a detour, the counts that were kept go on.
  if (event.by !== 'return') {
    state.counts = noCounts
    state.visit = state.visits
  }
  if (state.queuedCalls.length > 0) {
    const kept = state.queuedCalls.filter((queued) => queued.lasts === 'move')
    state.queuedCalls = kept.map((queued) => ({ ...queued, lasts: 'stage' }))
  }
  // What led here is told here: a detour's cause, an approver's note. Other notices end.
  if (event.by !== 'detour' && event.by !== 'grant') state.notice = ''
}

function foldWrite(state: OwnState, event: EventOf<'vars.written'>): void {
  const keys = Object.keys(event.vars)
  if (keys.length > 0) {
    state.vars = { ...state.vars, ...event.vars }
    if (keys.some((key) => state.sources[key] !== event.source)) {
      const sources = { ...state.sources }
      for (const key of keys) sources[key] = event.source
      state.sources = sources
    }
  }
  for (const _ in event.local) {
    state.local = { ...state.local, ...event.local }
    return
  }
}

function without(inputs: JsonObject, issues: readonly { readonly field: string }[]): JsonObject {
  if (issues.length === 0) return inputs
  const kept = { ...inputs }
  for (const issue of issues) delete kept[issue.field]
  return kept
}

function foldCall(
  state: OwnState,
  event: EventOf<'call.queued' | 'call.allowed' | 'call.reported'>,
): void {
  if (event.type === 'call.queued') {
    const { tool, arguments: args, saves, lasts } = event
    state.queuedCalls = [...state.queuedCalls, { tool, arguments: args, saves, lasts }]
  } else if (event.type === 'call.allowed') {
    const isUncounted = event.observed?.verdict === 'deny' && !event.counts
    const settled = isUncounted
      ? -1
      : state.queuedCalls.findIndex((queued) => queued.tool === event.tool)
    const saves = state.queuedCalls[settled]?.saves ?? []
    const { callId, tool, edits } = event
    const meters = (event.meters ?? []).map((one) => one.meter)
    const metered = meters.length === 0 ? {} : { meters }
    const { visit } = state
    const held = event.reserve === undefined ? {} : { reserve: event.reserve }
    const approved = event.grant === undefined ? {} : takeGrant(state, event.grant)
    const hashed = event.hash === undefined ? {} : { hash: event.hash }
    const denied = isUncounted ? ({ isUncounted } as const) : {}
    const { order, at } = event
    const marked = order === undefined || at === undefined ? {} : { order, at }
    const begun =
      event.evidence === undefined
        ? {}
        : { evidence: { ...event.evidence, startedAt: event.at ?? 0 } }
    const known = { ...identityOf(event), ...hashed, ...approved, ...denied }
    const named = {
      ...(event.same === undefined ? {} : { same: event.same }),
      ...(event.failures === undefined ? {} : { failures: event.failures }),
    }
    const whose = { ...known, ...marked, ...begun, ...named }
    const open: OpenCall = { callId, visit, tool, edits, saves, ...metered, ...held, ...whose }
    const used = event.counts ? 1 : 0
    state.counts = { ...state.counts, calls: state.counts.calls + used }
    state.callsCount += used
    state.queuedCalls = state.queuedCalls.filter((_, index) => index !== settled)
    addOpen(state, open, event.at ?? 0)
    endWaiting(state, event.waitId)
  } else {
    const open = state.openCalls.find((one) => one.callId === event.callId)
    // A late report of an earlier visit does not use up what this one has.
    const isCounted = open === undefined || (open.visit === state.visit && !open.isUncounted)
    if (isCounted) {
      const files = [...new Set([...state.counts.files, ...event.edited])]
      state.counts = { ...state.counts, bytes: state.counts.bytes + event.bytes, files }
    }
    state.costMicroUsd = addMicroUsd(state.costMicroUsd, event.costMicroUsd)
    if (open === undefined) return
    foldEvidence(state, open, event)
    if (!open.isUncounted) learnCost(state, open, event)
    state.openCalls = withoutEnded(state.openCalls, open)
    countHolds(state, open, -1)
  }
}

function foldWaiting(state: OwnState, event: EventOf<'call.waiting'>): void {
  const { waitId, caller, tool, waitsFor, order, until } = event
  const others = (state.waitingCalls ?? []).filter((one) => one.waitId !== waitId)
  const waiting = { waitId, caller, tool, waitsFor, order, until }
  state.waitingCalls = [...others.slice(-(waitingKeptMax - 1)), waiting]
}

function endWaiting(state: OwnState, waitId: string | undefined): void {
  if (waitId === undefined || state.waitingCalls === undefined) return
  state.waitingCalls = state.waitingCalls.filter((one) => one.waitId !== waitId)
}

/** A command that a rule wants evidence of has ended. */
function foldEvidence(state: OwnState, open: OpenCall, event: EventOf<'call.reported'>): void {
  if (open.evidence === undefined || event.evidence === undefined) return
  const { startedAt, fingerprint: before, changes: _, ...subject } = open.evidence
  const { fingerprint: after, endedAt = event.at ?? 0, ...ended } = event.evidence
  state.evidence = addEvidence(state.evidence ?? [], {
    ...ended,
    subject,
    callId: event.callId,
    startedAt,
    endedAt,
    fingerprint: fingerprintOver(before, after),
  })
}

/**
 * Adds a call, and forgets one when there are as many as are kept.
 * INVARIANT: where all hold money, only a call that holds none comes in (one of Pawl itself, one
 * that a person let through), and is the next to go: at most one is above `openCallsMax`.
 */
function addOpen(state: OwnState, open: OpenCall, at: number): void {
  const { openCalls } = state
  const gone = openCalls.length < openCallsMax ? -1 : findForgettable(openCalls, at)
  countHolds(state, open, 1)
  if (gone === -1) state.openCalls = openCalls.concat([open])
  else {
    countHolds(state, openCalls[gone] as OpenCall, -1)
    // WHY by hand: a run whose calls are never reported copies this list with each of them.
    const kept = openCalls.slice()
    for (let at = gone + 1; at < kept.length; at += 1) kept[at - 1] = kept[at] as OpenCall
    kept[kept.length - 1] = open
    state.openCalls = kept
  }
}

/**
 * The oldest that holds no money: one that only looks, else one that nobody in particular reports,
 * else any; else the oldest that holds none any more.
 */
function findForgettable(openCalls: readonly OpenCall[], at: number): number {
  const free = openCalls.filter(({ reserve }) => reserve === undefined)
  const gone = free.find((one) => !mayChange(one)) ?? free.find(({ holder }) => !holder) ?? free[0]
  if (gone !== undefined) return openCalls.indexOf(gone)
  return openCalls.findIndex(({ reserve }) => reserve !== undefined && at >= reserve.until)
}

// WHY counted: most runs have none, and what all open calls hold is asked for every call.
function countHolds(state: OwnState, { reserve }: OpenCall, more: 1 | -1): void {
  if (reserve !== undefined) state.holdsCount = (state.holdsCount ?? 0) + more
}

function learnCost(
  state: OwnState,
  { tool, reserve }: OpenCall,
  { ok, costMicroUsd }: EventOf<'call.reported'>,
): void {
  const { dearest = noCosts } = state
  const known = own(dearest, tool)
  // WHY not of a failure: what ended before it cost anything does not make its tool free.
  const isFree = ok && reserve !== undefined
  const isNews = known === undefined ? isFree || costMicroUsd > 0 : costMicroUsd > known
  if (!isNews) return
  if (known === undefined && Object.keys(dearest).length >= toolsKnownMax) return
  state.dearest = { ...dearest, [tool]: costMicroUsd }
}

function foldDetour(state: OwnState, event: EventOf<'detour.begun' | 'detour.ended'>): void {
  if (event.type === 'detour.begun') {
    const { name, file, from, to } = event
    state.detour = { name, returnTo: from, visit: state.visit, counts: state.counts }
    state.notice = `\`${file}\` was changed, which leads from \`${from}\` to \`${to}\` (${name})`
    return
  }
  if (event.returned && state.detour !== null) {
    state.counts = state.detour.counts
    state.visit = state.detour.visit
  }
  state.detour = null
}

type ChildEvent = EventOf<'fork.opened' | 'fork.closed' | 'child.requested' | 'child.ended'>

function foldChildren(state: OwnState, event: ChildEvent): void {
  if (event.type === 'fork.opened') state.fork = event.fork
  else if (event.type === 'fork.closed') state.fork = null
  else if (event.type === 'child.requested') state.child = event.child
  else if (state.fork === null) state.child = null
  else state.fork = { ...state.fork, branches: settle(state.fork, event) }
}

/** The branch is marked, and the next pending one opens when no other is running. */
function settle(fork: Fork, event: EventOf<'child.ended'>): readonly ForkedBranch[] {
  const marked = fork.branches.map((branch) =>
    branch.runId === event.child ? { ...branch, status: event.outcome } : branch,
  )
  if (marked.some((branch) => branch.status === 'running')) return marked
  const next = marked.findIndex((branch) => branch.status === 'pending')
  return marked.map((branch, index) => (index === next ? { ...branch, status: 'running' } : branch))
}

type RunEvent = EventOf<
  'run.paused' | 'run.resumed' | 'run.completed' | 'run.blocked' | 'run.failed' | 'run.cancelled'
>

function pauseOf({ by, release, reason }: EventOf<'run.paused'>): OwnState['pause'] {
  return reason === undefined ? { by, release } : { by, release, reason }
}

function foldRun(state: OwnState, event: RunEvent): void {
  switch (event.type) {
    case 'run.paused':
      state.status = 'paused'
      state.pause = pauseOf(event)
      return
    case 'run.resumed':
      state.status = state.approval === null ? 'running' : 'waiting'
      state.pause = null
      if (event.refills) state.counts = { ...state.counts, calls: 0 }
      return
    case 'run.completed':
      state.status = 'completed'
      dropQuestions(state)
      return
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      state.status = statusOf[event.type]
      state.reason = event.reason
      dropQuestions(state)
      return
    default:
      return assertNever(event)
  }
}

/** Nothing that was asked or granted before the end holds after it. */
function dropQuestions(state: OwnState): void {
  state.approval = null
  dropDecisions(state)
}

const statusOf = {
  'run.blocked': 'blocked',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
} as const
