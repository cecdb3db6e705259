/**
 * A store in memory, for tests and simulations. Every operation is synchronous inside, so that
 * nothing can interleave; it reads no clock and uses no randomness.
 */

import type {
  ApprovalRow,
  Committed,
  DocumentStore,
  EventRecord,
  OutboxItem,
  RunChange,
  RunHead,
  RunQuery,
  RunStore,
  Snapshot,
  Store,
  StoreMaintenance,
} from '../../runtime/ports.ts'
import { hashText } from '../../runtime/record/binds.ts'
import type { RunRows } from '../../runtime/record/ports.ts'
import { isNear } from '../../runtime/sessions/folders.ts'
import { checkChange, countLogBytes } from '../check-change.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import { memoryDefinitions } from './memory-definitions.ts'
import { memoryDocuments } from './memory-documents.ts'
import { type MemoryRegister, memoryRegister } from './memory-register.ts'
import { memoryClaims } from './memory-session-claims.ts'

/** All that is kept of one run. */
type StoredRun = {
  head: RunHead
  readonly events: EventRecord[]
  readonly replies: Map<string, string>
  approvals: Map<string, ApprovalRow>
  readonly outbox: Map<string, OutboxItem>
  snapshot: Snapshot | null
}

type Runs = Map<string, StoredRun>
type Documents = Pick<DocumentStore, 'readDocuments'>

/** An empty store. */
export function openMemoryStore(): Store {
  const runs: Runs = new Map()
  const register = memoryRegister()
  const { machines, ...definitions } = memoryDefinitions(register)
  const documents = memoryDocuments(register)
  const claims = memoryClaims(register)
  const care = careCalls(runs, definitions.putMachines, register)
  return {
    ...runCalls(runs, documents, register),
    ...definitions,
    ...claims.calls,
    ...documents,
    ...care,
    ...register.calls,
    listClaims: claims.list,
    listMachines: machines,
    listCollections: documents.listCollections,
    findStrays: async () => [],
    readRunRows: async (runId) => rowsOf(runs.get(runId)),
    removeRuns: async (runIds) => {
      for (const id of runIds) claims.drop(id)
      await care.removeRuns(runIds)
    },
  }
}

function rowsOf(run: StoredRun | undefined): RunRows {
  if (run === undefined) return { replies: [], outbox: [], snapshot: null, logBytes: null }
  return {
    replies: [...run.replies].map(([commandId, text]) => ({ commandId, text })),
    outbox: [...run.outbox.values()].map(copy),
    snapshot: run.snapshot && copy(run.snapshot),
    logBytes: countLogBytes(run.events),
  }
}

function runCalls(runs: Runs, documents: Documents, register: MemoryRegister): RunStore {
  return {
    commit: async (change) => commit(runs, change, register),
    loadRun: async (runId) => {
      const run = runs.get(runId)
      if (run === undefined) return null
      const tail = run.events.slice((run.snapshot?.seq ?? 1) - 1).map(copy)
      return { head: copy(run.head), snapshot: run.snapshot && copy(run.snapshot), tail }
    },
    readHead: async (runId) => copyOrNull(runs.get(runId)?.head),
    readSeqs: async (runIds) =>
      new Map(
        runIds.flatMap((id) => {
          const run = runs.get(id)
          return run === undefined ? [] : [[id, run.head.seq] as const]
        }),
      ),
    findReply: async (runId, commandId) => runs.get(runId)?.replies.get(commandId) ?? null,
    readEvents: async (runId, { after, limit }) =>
      (runs.get(runId)?.events ?? []).slice(after, after + limit).map(copy),
    ...listCalls(runs, documents),
    ...outboxCalls(runs, register),
  }
}

function commit(runs: Runs, change: RunChange, { note }: MemoryRegister): Committed {
  checkChange(change)
  const { runId, expectedSeq, reply } = change
  const known = runs.get(runId)
  if (reply !== null && known?.replies.has(reply.commandId)) return 'repeated'
  if ((known?.head.seq ?? 0) !== expectedSeq) return 'conflict'
  const run = known ?? emptyRun(change.head)
  if (expectedSeq === 0) note({ type: 'run.started', runId, hash: change.events[0]?.hash ?? '' })
  if (reply !== null && change.events.length === 0) {
    note({ type: 'reply.kept', runId, commandId: reply.commandId, hash: hashText(reply.text) })
  }
  run.head = copy(change.head)
  run.events.push(...change.events.map(copy))
  if (reply !== null) run.replies.set(reply.commandId, reply.text)
  for (const row of change.approvals) run.approvals.set(row.id, copy(row))
  for (const item of change.outbox) run.outbox.set(item.id, copy(item))
  if (change.snapshot !== null) run.snapshot = copy(change.snapshot)
  runs.set(runId, run)
  return 'committed'
}

function emptyRun(head: RunHead): StoredRun {
  return {
    head,
    events: [],
    replies: new Map(),
    approvals: new Map(),
    outbox: new Map(),
    snapshot: null,
  }
}

type ListCalls = Pick<RunStore, 'listRuns' | 'listApprovals' | 'readApproval' | 'dueApprovals'>

function listCalls(runs: Runs, documents: Documents): ListCalls {
  const approvals = () => [...runs.values()].flatMap((run) => [...run.approvals.values()])
  return {
    listRuns: async (query) => {
      const { after, limit, statuses, workspace, near, definition, stage, words = [] } = query
      const last = after === null ? null : parseCursor(after, [0, ''])
      const texts = await textsBeside(documents, [...runs.keys()], query.beside)
      const heads = [...runs.values()]
        .map((run) => run.head)
        .filter((head) => statuses === null || statuses.includes(head.status))
        .filter((head) => workspace === null || head.workspace === workspace)
        .filter(({ workspace: at }) => near === undefined || (at !== null && isNear(at, near)))
        .filter((head) => definition === null || head.definition === definition)
        .filter((head) => stage === undefined || head.stage === stage)
        .filter((head) => words.every((word) => saysWord(head, texts.get(head.id), word)))
        .sort((a, b) => b.updatedAt - a.updatedAt || compare(b.id, a.id))
        .filter((head) => last === null || isBefore([head.updatedAt, head.id], last))
      return pageFrom(heads.map(copy), limit, (head) => [head.updatedAt, head.id])
    },
    listApprovals: async ({ after, limit, status, runId }) => {
      const last = after === null ? null : parseCursor(after, [0, ''])
      const rows = approvals()
        .filter((row) => status === null || row.status === status)
        .filter((row) => runId === null || row.runId === runId)
        .sort((a, b) => a.requestedAt - b.requestedAt || compare(a.id, b.id))
        .filter((row) => last === null || isBefore(last, [row.requestedAt, row.id]))
      return pageFrom(rows.map(copy), limit, (row) => [row.requestedAt, row.id])
    },
    readApproval: async (id) => copyOrNull(approvals().find((row) => row.id === id)),
    dueApprovals: async (at, limit) =>
      approvals()
        .filter((row) => row.status === 'pending' && (row.expiresAt ?? at + 1) <= at)
        .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0) || compare(a.id, b.id))
        .slice(0, limit)
        .map(copy),
  }
}

function saysWord(head: RunHead, beside: string | undefined, word: string): boolean {
  const { id, definition, status, stage, workspace } = head
  const texts = [id, definition, status, stage, workspace ?? [], beside ?? []].flat()
  return lowered(texts.join('\n')).includes(lowered(word))
}

async function textsBeside(
  documents: Documents,
  runIds: readonly string[],
  beside: RunQuery['beside'],
): Promise<ReadonlyMap<string, string>> {
  if (beside === undefined) return new Map()
  const rows = await documents.readDocuments(beside.collection, runIds)
  return new Map(rows.map(({ key, data }) => [key, String(JSON.parse(data)[beside.field] ?? '')]))
}

/** WHY a to z only: the stores with a database can do no more, and all of them agree. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function outboxCalls(
  runs: Runs,
  { note }: MemoryRegister,
): Pick<RunStore, 'takeOutbox' | 'settleOutboxItem' | 'delayOutboxItem'> {
  return {
    takeOutbox: async ({ at, leaseMs, limit }) =>
      [...runs.values()]
        .flatMap((run) => [...run.outbox.values()].map((item) => ({ run, item })))
        .filter(({ item }) => item.dueAt <= at)
        .sort((a, b) => a.item.dueAt - b.item.dueAt || compare(a.item.id, b.item.id))
        .slice(0, limit)
        .map(({ run, item }) => {
          const taken = { ...item, dueAt: at + leaseMs, attempts: item.attempts + 1 }
          run.outbox.set(item.id, taken)
          return copy(taken)
        }),
    settleOutboxItem: async (id) => {
      for (const run of runs.values()) {
        if (run.outbox.delete(id)) note({ type: 'outbox.settled', id })
      }
    },
    delayOutboxItem: async (id, dueAt) => {
      for (const run of runs.values()) {
        const item = run.outbox.get(id)
        if (item !== undefined) run.outbox.set(id, { ...item, dueAt })
      }
    },
  }
}

function careCalls(
  runs: Runs,
  putMachines: Store['putMachines'],
  { note }: MemoryRegister,
): StoreMaintenance {
  const listeners = new Set<(runId: string, seq: number) => void>()
  return {
    kind: 'memory',
    isShared: false,
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tellChange: (runId, seq) => {
      for (const listener of listeners) queueMicrotask(() => listener(runId, seq))
    },
    replaceProjections: async (head, approvals, snapshot) => {
      const run = runs.get(head.id)
      if (run === undefined) return
      run.head = copy(head)
      run.approvals = byId(approvals)
      run.snapshot = snapshot && copy(snapshot)
    },
    importRun: async ({ head, events, approvals, machines }) => {
      if (runs.has(head.id)) return 'exists'
      const run = { ...emptyRun(copy(head)), events: events.map(copy), approvals: byId(approvals) }
      runs.set(head.id, run)
      note({ type: 'run.imported', head: [head.id, head.seq, head.hash] })
      await putMachines(machines, head.updatedAt)
      return 'imported'
    },
    listRunIds: async ({ after, limit }) => {
      const last = after === null ? null : parseCursor(after, [''])[0]
      const ids = [...runs.keys()].filter((id) => last === null || id > last).sort(compare)
      return pageFrom(ids, limit, (id) => [id])
    },
    listEnded: async ({ before, limit }) =>
      [...runs.values()]
        .map(({ head, events }) => ({ id: head.id, endedAt: head.endedAt ?? before, events }))
        .filter(({ endedAt }) => endedAt < before)
        .sort((a, b) => a.endedAt - b.endedAt || compare(a.id, b.id))
        .slice(0, limit)
        .map(({ id, endedAt, events }) => ({ id, endedAt, bytes: countLogBytes(events) })),
    removeRuns: async (runIds) => {
      for (const id of runIds) runs.delete(id)
      note({ type: 'runs.removed', runIds })
    },
    countBytes: async () =>
      [...runs.values()].reduce((sum, run) => sum + countLogBytes(run.events), 0),
    listenError: () => null,
    findTrouble: async () => null,
    close: async () => undefined,
  }
}

const byId = (rows: readonly ApprovalRow[]) => new Map(rows.map((row) => [row.id, copy(row)]))

// WHY: records are flat, so this is a deep copy; nobody outside holds what is kept.
const copy = <T extends object>(row: T): T => ({ ...row })
const copyOrNull = <T extends object>(row: T | undefined): T | null =>
  row === undefined ? null : copy(row)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

type TimeAndId = readonly [number, string]
const isBefore = ([a, x]: TimeAndId, [b, y]: TimeAndId) => a < b || (a === b && x < y)
