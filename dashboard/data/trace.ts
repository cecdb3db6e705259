/**
 * What a log tells about the graph of a machine: which stages were entered how often, along which
 * way, what was refused where, and where each run of the family stands.
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

/** The key of a step. */
export function stepKey(from: string, to: string): string {
  return `${from} → ${to}`
}

/** What the records up to a number tell. */
export function traceOf(records: readonly LogRecord[], upTo: number): Trace {
  const members = new Map<string, MemberTrace>()
  const maps = { visits: newMap(), steps: newMap(), refusedSignals: newMap(), denied: newMap() }
  for (const record of records) {
    if (record.seq > upTo) break
    take(record, members, maps)
  }
  return { ...maps, members: [...members.values()] }
}

type Maps = {
  readonly visits: Map<string, number>
  readonly steps: Map<string, number>
  readonly refusedSignals: Map<string, number>
  readonly denied: Map<string, number>
}

function newMap(): Map<string, number> {
  return new Map()
}

function take(record: LogRecord, members: Map<string, MemberTrace>, maps: Maps): void {
  const event = record.data as unknown as Event
  if (event.type === 'run.started') {
    const { machine, stage, branch } = event
    const { member: runId } = record
    members.set(runId, {
      runId,
      machine,
      stage: '',
      status: 'running',
      branch: branch?.name ?? null,
    })
    if (branch !== null) count(maps.steps, stepKey('', stage))
    return
  }
  const member = members.get(record.member)
  if (member === undefined) return
  switch (event.type) {
    case 'stage.entered':
    case 'stage.forced':
      if (member.stage !== '') count(maps.steps, stepKey(member.stage, event.stage))
      count(maps.visits, event.stage)
      member.stage = event.stage
      break
    case 'signal.rejected':
      count(maps.refusedSignals, `${member.stage} / ${event.name}`)
      break
    case 'call.denied':
      count(maps.denied, member.stage)
      break
    case 'approval.requested':
      member.status = 'waiting'
      break
    case 'approval.granted':
    case 'approval.refused':
    case 'approval.expired':
    case 'run.resumed':
      member.status = 'running'
      break
    case 'run.paused':
    case 'run.completed':
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      member.status = event.type.slice(4)
  }
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1)
}
