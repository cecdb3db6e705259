/**
 * A run's log as a trace: one row for each call from its verdict to its report, one for each wait
 * for a person, and everything else as it came; grouped by the visits of stages, branch by branch.
 */
import type { Event } from '../../src/core/engine/types.ts'
import type { LogRecord } from './run-log.ts'

export type TraceRow = {
  readonly kind: 'call' | 'wait' | 'event'
  readonly record: LogRecord
  /** What ended it: the report of a call, the decision of a person; null: nothing yet. */
  end: LogRecord | null
}

/** One stay in a stage, or what came before the first. */
export type TraceVisit = {
  /** The record that entered the stage; null: the log at hand begins later. */
  readonly record: LogRecord | null
  readonly stage: string
  readonly branch: string | null
  readonly rows: TraceRow[]
  endAt: number | null
  calls: number
  denied: number
  /** Of models, and of calls. */
  modelsMicroUsd: number
  callsMicroUsd: number
  /** Read and written by models, without what came from a cache. */
  tokens: number
  /** How long people were waited for. */
  waitedMs: number
}

export type RunTraceRows = {
  /** In the order in which they began. */
  readonly visits: readonly TraceVisit[]
  readonly rowOf: (seq: number) => TraceRow | null
}

/** Tells the rows of a growing log; what was read once is not read again. */
export function openTraceRows(): (records: readonly LogRecord[]) => RunTraceRows {
  let draft = newDraft()
  let first = 0
  let last = 0
  let told = tellRows(draft)
  return (records) => {
    const begins = records[0]?.seq ?? 0
    // WHY also when the old end went away: what is not shown any more is not kept.
    if (begins !== first) {
      draft = newDraft()
      last = 0
    }
    first = begins
    const from = last === 0 ? 0 : Math.max(0, last + 1 - begins)
    if (from >= records.length && last > 0) return told
    for (let at = from; at < records.length; at += 1) {
      const record = records[at] as LogRecord
      takeRecord(record, draft)
      last = record.seq
    }
    told = tellRows(draft)
    return told
  }
}

type TraceDraft = {
  readonly visits: TraceVisit[]
  /** Where each run of the family is. */
  readonly current: Map<string, TraceVisit>
  readonly branches: Map<string, string>
  readonly openCalls: Map<string, TraceRow>
  readonly waits: Map<string, { readonly row: TraceRow; readonly visit: TraceVisit }>
  readonly bySeq: Map<number, TraceRow>
  /** Calls that a person is asked about, by run, until the question comes. */
  readonly asked: Map<string, TraceRow>
}

function newDraft(): TraceDraft {
  return {
    visits: [],
    current: new Map(),
    branches: new Map(),
    openCalls: new Map(),
    waits: new Map(),
    bySeq: new Map(),
    asked: new Map(),
  }
}

function tellRows({ visits, bySeq }: TraceDraft): RunTraceRows {
  return { visits: [...visits], rowOf: (seq) => bySeq.get(seq) ?? null }
}

function takeRecord(record: LogRecord, draft: TraceDraft): void {
  // WHY the cast: the log holds events and nothing else.
  const event = record.data as unknown as Event
  const { member } = record
  switch (event.type) {
    case 'run.started':
      if (event.branch !== null) draft.branches.set(member, event.branch.name)
      addRow(record, 'event', draft)
      return
    case 'stage.entered':
    case 'stage.forced':
      enterStage(record, event.stage, draft)
      return
    case 'run.completed':
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled': {
      addRow(record, 'event', draft)
      const visit = draft.current.get(member)
      if (visit !== undefined) visit.endAt = record.at
      return
    }
    default:
      if (!takeCall(record, event, draft) && !takeWait(record, event, draft)) {
        addRow(record, 'event', draft)
      }
  }
}

function enterStage(record: LogRecord, stage: string, draft: TraceDraft): void {
  const before = draft.current.get(record.member)
  if (before !== undefined) before.endAt ??= record.at
  const visit = openVisit(record, { stage, record }, draft)
  draft.bySeq.set(record.seq, { kind: 'event', record, end: null })
  // What came before the first stage belongs to it.
  if (before?.record !== null || before.stage !== '') return
  draft.visits.splice(draft.visits.indexOf(before), 1)
  visit.rows.push(...before.rows)
}

function openVisit(
  { member }: LogRecord,
  begun: Pick<TraceVisit, 'stage' | 'record'>,
  draft: TraceDraft,
): TraceVisit {
  const numbers = {
    calls: 0,
    denied: 0,
    modelsMicroUsd: 0,
    callsMicroUsd: 0,
    tokens: 0,
    waitedMs: 0,
  }
  const branch = draft.branches.get(member) ?? null
  const visit: TraceVisit = { ...begun, branch, rows: [], endAt: null, ...numbers }
  draft.visits.push(visit)
  draft.current.set(member, visit)
  return visit
}

function visitOf(record: LogRecord, draft: TraceDraft): TraceVisit {
  return draft.current.get(record.member) ?? openVisit(record, { stage: '', record: null }, draft)
}

function addRow(record: LogRecord, kind: TraceRow['kind'], draft: TraceDraft): TraceRow {
  const row: TraceRow = { kind, record, end: null }
  visitOf(record, draft).rows.push(row)
  draft.bySeq.set(record.seq, row)
  return row
}

/** Whether it is about a call. */
function takeCall(record: LogRecord, event: Event, draft: TraceDraft): boolean {
  const visit = visitOf(record, draft)
  switch (event.type) {
    case 'call.allowed':
      visit.calls += 1
      draft.openCalls.set(event.callId, addRow(record, 'call', draft))
      return true
    case 'call.denied':
      visit.denied += 1
      addRow(record, 'call', draft)
      return true
    case 'call.asked':
      draft.asked.set(record.member, addRow(record, 'call', draft))
      return true
    case 'call.reported': {
      visit.callsMicroUsd += event.costMicroUsd
      const row = draft.openCalls.get(event.callId)
      draft.openCalls.delete(event.callId)
      if (row === undefined) return false
      row.end = record
      draft.bySeq.set(record.seq, row)
      return true
    }
    case 'money.spent':
      visit.modelsMicroUsd += event.costMicroUsd
      visit.tokens += (event.tokens?.input ?? 0) + (event.tokens?.output ?? 0)
      return false
    default:
      return false
  }
}

/** Whether it is about an approval. */
function takeWait(record: LogRecord, event: Event, draft: TraceDraft): boolean {
  switch (event.type) {
    case 'approval.requested': {
      const { id, kind } = event.approval
      const asked = kind === 'call' ? draft.asked.get(record.member) : undefined
      draft.asked.delete(record.member)
      const row = asked ?? addRow(record, 'wait', draft)
      draft.bySeq.set(record.seq, row)
      draft.waits.set(id, { row, visit: visitOf(record, draft) })
      return true
    }
    case 'approval.granted':
    case 'approval.refused':
    case 'approval.expired': {
      const wait = draft.waits.get(event.approvalId)
      draft.waits.delete(event.approvalId)
      if (wait === undefined) return false
      wait.row.end = record
      wait.visit.waitedMs += record.at - wait.row.record.at
      draft.bySeq.set(record.seq, wait.row)
      return true
    }
    default:
      return false
  }
}
