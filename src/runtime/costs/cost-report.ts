/**
 * The costs of runs, read from their logs: by run, stage, tool and day. Only reads, and reports
 * what it leaves out.
 */
import type { Event } from '../../core/engine/types.ts'
import type { EventRecord, RunHead, Store } from '../ports.ts'
import { unknownRun } from '../runs/log-maintenance.ts'

export type CostQuery = {
  /** Null: all runs. */
  readonly runId: string | null
  /** Milliseconds since 1970. */
  readonly since: number
}

export type RunCostRow = {
  readonly runId: string
  readonly definition: string
  readonly stage: string
  /** The tool of a call, or `model:NAME`. */
  readonly tool: string
  /** In UTC. */
  readonly day: string
  readonly costMicroUsd: number
  readonly count: number
}

export type CostReport = {
  readonly rows: readonly RunCostRow[]
  /** There was more than one answer holds. */
  readonly isPartial: boolean
}

/** Runs that are looked into, and records of all of them together. */
const runsMax = 500
const recordsMax = 200_000
const pageMax = 1_000

type CostScan = { readonly rows: Map<string, RunCostRow>; recordsLeft: number }

/** The costs of one run, or of those that changed last. */
export async function readCosts(store: Store, { runId, since }: CostQuery): Promise<CostReport> {
  const { heads, isMore } = await headsFor(store, runId)
  const reading: CostScan = { rows: new Map(), recordsLeft: recordsMax }
  for (const head of heads) {
    if (head.costMicroUsd === 0 || head.updatedAt < since) continue
    await readRun(store, reading, { head, since })
  }
  return { rows: [...reading.rows.values()], isPartial: isMore || reading.recordsLeft <= 0 }
}

type Heads = { readonly heads: readonly RunHead[]; readonly isMore: boolean }

async function headsFor(store: Store, runId: string | null): Promise<Heads> {
  if (runId !== null) {
    const head = await store.readHead(runId)
    if (head === null) throw unknownRun(runId)
    return { heads: [head], isMore: false }
  }
  const query = { statuses: null, workspace: null, definition: null, after: null, limit: runsMax }
  const { items, next } = await store.listRuns(query)
  return { heads: items, isMore: next !== null }
}

type RunCostQuery = { readonly head: RunHead; readonly since: number }

async function readRun(
  store: Store,
  reading: CostScan,
  { head, since }: RunCostQuery,
): Promise<void> {
  const seen: Seen = { stages: new Map(), tools: new Map() }
  for (let after = 0; reading.recordsLeft > 0; ) {
    const records = await store.readEvents(head.id, { after, limit: pageMax })
    for (const record of records) {
      const paid = see(seen, record)
      if (paid !== null && record.at >= since) add(reading.rows, head, { ...paid, at: record.at })
    }
    reading.recordsLeft -= records.length
    const last = records.at(-1)
    if (last === undefined || records.length < pageMax) return
    after = last.seq
  }
}

/** Where each run of the family stands, and what its open calls are of. */
type Seen = { readonly stages: Map<string, string>; readonly tools: Map<string, string> }
type Paid = { readonly stage: string; readonly tool: string; readonly costMicroUsd: number }

/** Only these tell anything here; the others are not even read. */
const toldTypes: ReadonlySet<string> = new Set([
  ...['run.started', 'stage.entered', 'call.allowed', 'call.reported', 'money.spent'],
])

function see(seen: Seen, { type, member, data }: EventRecord): Paid | null {
  if (!toldTypes.has(type)) return null
  // WHY the cast: nobody but this program writes records, and their hashes prove it.
  const event = JSON.parse(data) as Event
  const stage = seen.stages.get(member) ?? ''
  switch (event.type) {
    case 'run.started':
    case 'stage.entered':
      seen.stages.set(member, event.stage)
      return null
    case 'call.allowed':
      seen.tools.set(event.callId, event.tool)
      return null
    case 'call.reported': {
      const tool = seen.tools.get(event.callId) ?? ''
      seen.tools.delete(event.callId)
      const { costMicroUsd } = event
      return costMicroUsd === 0 ? null : { stage, tool, costMicroUsd }
    }
    case 'money.spent': {
      const { model, costMicroUsd } = event
      return { stage, tool: `model:${model ?? 'unknown'}`, costMicroUsd }
    }
    default:
      return null
  }
}

function add(
  rows: Map<string, RunCostRow>,
  head: RunHead,
  paid: Paid & { readonly at: number },
): void {
  const { id: runId, definition } = head
  const { stage, tool, costMicroUsd } = paid
  const day = new Date(paid.at).toISOString().slice(0, 10)
  const key = JSON.stringify([runId, stage, tool, day])
  const before = rows.get(key)
  rows.set(key, {
    ...{ runId, definition, stage, tool, day },
    costMicroUsd: costMicroUsd + (before?.costMicroUsd ?? 0),
    count: 1 + (before?.count ?? 0),
  })
}
