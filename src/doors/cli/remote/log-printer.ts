/**
 * A log for a terminal, record after record. As a trace, a call is one line, told when it ends, and
 * the sums of a stage are told when it is left: a real session reports costs hundreds of times.
 */
import type { Event } from '../../../core/engine/types.ts'
import { addMicroUsd, usdText } from '../../../core/money.ts'
import { counted } from '../ansi.ts'
import type { Io } from '../io.ts'
import type { StyledSpan } from '../play/styled-text.ts'
import type { ReportedCall } from './show-call.ts'
import { eventText, remarkText, type ShownRecord } from './show-event.ts'
import { durationOf } from './show-table.ts'

type Wish = {
  readonly io: Io
  /** `records`: each is a line of its own. */
  readonly look: 'trace' | 'records'
  /** What stands in front of each record; absent: nothing. */
  readonly whose?: readonly StyledSpan[]
  /** The workspace, from which paths are told; absent: not known. */
  readonly folder?: string | null
}

export type LogPrinter = {
  /** The lines of the next record; empty: it is told later. */
  readonly next: (record: ShownRecord) => string
  /** What was not told yet. */
  readonly end: () => string
}

/** Begins at the first record that is shown. */
export function openLogPrinter(wish: Wish): LogPrinter {
  const { io, look, whose = [], folder = null } = wish
  if (look === 'records')
    return { next: (one) => eventText(one, { io, whose, folder }), end: () => '' }
  const maps = { visits: new Map(), open: new Map(), asked: new Map() }
  const draft: TraceDraft = { io, whose, folder, ...maps, lastAt: 0 }
  return { next: (one) => nextOf(draft, one), end: () => endOf(draft) }
}

type Visit = {
  readonly stage: string
  readonly branch: string | null
  readonly at: number
  calls: number
  denied: number
  microUsd: number
  reports: number
}

type TraceDraft = {
  readonly io: Io
  readonly whose: readonly StyledSpan[]
  readonly folder: string | null
  /** Where each run of the family is. */
  readonly visits: Map<string, Visit>
  readonly open: Map<string, ShownRecord>
  /** When people were asked, by approval. */
  readonly asked: Map<string, number>
  /** Of the last record. */
  lastAt: number
}

/** Calls that are kept until they end; a log may say of some that they began, and no more. */
const openCallsMax = 1_000

function nextOf(draft: TraceDraft, record: ShownRecord): string {
  // WHY the cast: the daemon's own records.
  const event = record.data as unknown as Event
  const visit = visitOf(draft, record)
  draft.lastAt = record.at
  switch (event.type) {
    case 'run.started': {
      const branch = event.branch?.name ?? null
      draft.visits.set(record.member, newVisit(record.at, 'the run', branch))
      return lineOf(draft, record)
    }
    case 'stage.entered':
    case 'stage.forced':
      draft.visits.set(record.member, newVisit(record.at, event.stage, visit.branch))
      return leaveStage(visit, record.at, draft) + lineOf(draft, record)
    case 'money.spent':
      visit.microUsd = addMicroUsd(visit.microUsd, event.costMicroUsd)
      visit.reports += 1
      return ''
    case 'call.denied':
      visit.denied += 1
      return lineOf(draft, record)
    case 'call.asked':
      // The question comes next, and says it all.
      return ''
    case 'call.allowed':
      visit.calls += 1
      return keepOpen(draft, event.callId, record)
    case 'call.reported': {
      const begun = draft.open.get(event.callId)
      draft.open.delete(event.callId)
      if (begun === undefined) return lineOf(draft, record)
      return lineOf(draft, begun, { event, at: record.at })
    }
    default:
      return lineOf(draft, record) + waitText(draft, record, event)
  }
}

function visitOf({ visits }: TraceDraft, { member, at }: ShownRecord): Visit {
  const found = visits.get(member) ?? newVisit(at, 'the run', null)
  visits.set(member, found)
  return found
}

function newVisit(at: number, stage: string, branch: string | null): Visit {
  return { stage, branch, at, calls: 0, denied: 0, microUsd: 0, reports: 0 }
}

function lineOf(
  draft: TraceDraft,
  record: ShownRecord,
  ended?: { readonly event: ReportedCall; readonly at: number },
): string {
  const { io, whose, folder } = draft
  const { branch, stage } = visitOf(draft, record)
  const how = ended === undefined ? {} : { ended }
  return eventText(record, { io, whose, folder, branch, stage, ...how })
}

/** Gives the lines of the oldest one if there are too many. */
function keepOpen(draft: TraceDraft, callId: string, record: ShownRecord): string {
  draft.open.set(callId, record)
  if (draft.open.size <= openCallsMax) return ''
  const [[first, oldest] = ['', record]] = draft.open
  draft.open.delete(first)
  return lineOf(draft, oldest)
}

/** How long a person took. */
function waitText({ asked, io }: TraceDraft, { at }: ShownRecord, event: Event): string {
  if (event.type === 'approval.requested') {
    asked.set(event.approval.id, at)
    return ''
  }
  if (!('approvalId' in event) || event.type === 'approval.endorsed') return ''
  const since = asked.get(event.approvalId)
  asked.delete(event.approvalId)
  return since === undefined ? '' : remarkText(`waited ${durationOf(at - since)} for a person`, io)
}

/** `plan: 12s, 3 calls, 1 denied, cost $0.12 in 4 reports`; nothing where nothing was done. */
function leaveStage(visit: Visit, at: number, { io, whose }: TraceDraft): string {
  const { stage, branch, calls, denied, microUsd, reports } = visit
  if (calls + denied + reports === 0) return ''
  const sums = [
    durationOf(at - visit.at),
    ...(calls === 0 ? [] : [counted(calls, 'call')]),
    ...(denied === 0 ? [] : [`${denied} denied`]),
    ...(reports === 0 ? [] : [`cost ${usdText(microUsd)} in ${counted(reports, 'report')}`]),
  ]
  const run = whose.map((one) => one.text).join('')
  const tag = branch === null ? '' : `[${branch}] `
  return remarkText(`${run}${tag}${stage}: ${sums.join(', ')}`, io)
}

function endOf(draft: TraceDraft): string {
  const { open, visits } = draft
  const lines = [...open.values()].map((record) => lineOf(draft, record))
  const sums = [...visits.values()].map((visit) => leaveStage(visit, draft.lastAt, draft))
  open.clear()
  visits.clear()
  return [...lines, ...sums].join('')
}
