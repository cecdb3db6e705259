/**
 * What the log of a run shows on its graph: how often each stage was entered, by which route, what
 * was denied or rejected where, and the current stage of the run and its child runs.
 */
import type { Event } from '../../src/core/engine/types.ts'
import type { LogRecord } from './run-log.ts'

export type MemberTrace = {
  readonly runId: string
  readonly branch: string | null
  readonly machine: string
  stage: string
  status: string
}

export type Trace = {
  /** How often each stage was entered. */
  readonly visits: ReadonlyMap<string, number>
  /** How often one stage followed another, by `from → to`. */
  readonly steps: ReadonlyMap<string, number>
  /** Refused signals, by `stage / signal`. */
  readonly refusedSignals: ReadonlyMap<string, number>
  /** Denied calls, by stage. */
  readonly denied: ReadonlyMap<string, number>
  readonly members: readonly MemberTrace[]
}

/** What stands for a fork, for its join, and for branches that failed, in the key of a step. */
export const forkStep = ' fork'
export const joinStep = ' join'
export const failStep = ' fail'

/** The key of a step. */
export function stepKey(from: string, to: string): string {
  return `${from} → ${to}`
}

/** Tells what a growing log says of the graph. */
type Tracer = (records: readonly LogRecord[], upTo: number) => Trace

/**
 * Opens a tracer. What it gives stays the same object while nothing of it changes, so that whoever
 * draws it has nothing to draw anew; and a log that grows is not read again from its beginning.
 */
export function openTracer(): Tracer {
  let seen = 0
  let draft = newDraft()
  let told = traceIn(draft)
  return (records, upTo) => {
    const first = records[0]?.seq ?? 1
    // Back in time, or a part was put in front: all of it anew.
    if (upTo < seen || (first <= draft.first && first !== draft.begun)) {
      draft = newDraft()
      seen = 0
    }
    if (seen === 0) [draft.first, draft.begun] = [first, first]
    let hasChanged = seen === 0
    for (let at = Math.max(0, seen + 1 - first); at < records.length; at += 1) {
      const record = records[at]
      if (record === undefined || record.seq > upTo) break
      hasChanged = take(record, draft) || hasChanged
      seen = record.seq
    }
    if (hasChanged) told = traceIn(draft)
    return told
  }
}

type Draft = {
  /** The first record that it has seen, and the one that the log began with then. */
  first: number
  begun: number
  readonly members: Map<string, MemberTrace>
  readonly visits: Map<string, number>
  readonly steps: Map<string, number>
  readonly refusedSignals: Map<string, number>
  readonly denied: Map<string, number>
  /** How the fork of a run ended that has not entered its next stage yet. */
  readonly closed: Map<string, string>
}

function newDraft(): Draft {
  const maps = { visits: new Map(), steps: new Map(), refusedSignals: new Map(), denied: new Map() }
  return { first: 1, begun: 1, members: new Map(), closed: new Map(), ...maps }
}

function traceIn({ members, visits, steps, refusedSignals, denied }: Draft): Trace {
  return {
    visits: new Map(visits),
    steps: new Map(steps),
    refusedSignals: new Map(refusedSignals),
    denied: new Map(denied),
    members: [...members.values()].map((one) => ({ ...one })),
  }
}

/** Whether the record changes anything. */
function take(record: LogRecord, draft: Draft): boolean {
  const event = record.data as unknown as Event
  const { member: runId } = record
  if (event.type === 'run.started') {
    const { machine, stage, branch } = event
    const member = { runId, machine, stage: '', status: 'running', branch: branch?.name ?? null }
    draft.members.set(runId, member)
    if (branch !== null) count(draft.steps, stepKey('', stage))
    return true
  }
  // WHY made up: of a long log only the end is at hand, and its beginning may not be.
  const member = draft.members.get(runId) ?? unknownMember(runId)
  if (!note(event, member, draft)) return false
  draft.members.set(runId, member)
  return true
}

function unknownMember(runId: string): MemberTrace {
  return { runId, machine: '', stage: '', status: 'running', branch: null }
}

function note(event: Event, member: MemberTrace, draft: Draft): boolean {
  switch (event.type) {
    case 'fork.opened':
      count(draft.steps, stepKey(member.stage, forkStep))
      return true
    case 'fork.closed':
      draft.closed.set(member.runId, event.joined ? joinStep : failStep)
      return false
    case 'stage.entered':
    case 'stage.forced':
      if (member.stage !== '') {
        const from = draft.closed.get(member.runId) ?? member.stage
        count(draft.steps, stepKey(from, event.stage))
      }
      draft.closed.delete(member.runId)
      count(draft.visits, event.stage)
      member.stage = event.stage
      return true
    case 'signal.rejected':
      count(draft.refusedSignals, `${member.stage} / ${event.name}`)
      return true
    case 'call.denied':
      count(draft.denied, member.stage)
      return true
    case 'approval.requested':
      member.status = 'waiting'
      return true
    case 'approval.granted':
    case 'approval.refused':
    case 'approval.expired':
    case 'run.resumed':
      member.status = 'running'
      return true
    case 'run.paused':
    case 'run.completed':
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      member.status = event.type.slice(4)
      return true
    default:
      return false
  }
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1)
}
