/**
 * Records for tests of stores: each like one of the runtime's, with what matters named.
 */
import type {
  ApprovalRow,
  DefinitionRow,
  DefinitionVersion,
  EventRecord,
  OutboxItem,
  RunChange,
  RunHead,
  StoredMachine,
} from '../runtime/ports.ts'

export const startedAt = 1_700_000_000_000

export function eventOf(seq: number, more: Partial<EventRecord> = {}): EventRecord {
  return {
    seq,
    member: 'r_1',
    type: 'stage.entered',
    data: JSON.stringify({ type: 'stage.entered', stage: `s${seq}` }),
    at: startedAt + seq,
    actor: 'agent:claude',
    commandId: `c_${seq}`,
    binds: null,
    hash: `hash-${seq}`,
    ...more,
  }
}

export function headOf(id: string, seq: number, more: Partial<RunHead> = {}): RunHead {
  return {
    id,
    machine: 'sha256-of-machine',
    definition: 'release',
    dialect: 'workflow',
    status: 'running',
    stage: `s${seq}`,
    seq,
    hash: `hash-${seq}`,
    workspace: '/work/app',
    callsCount: seq,
    costMicroUsd: seq * 1_000,
    startedAt,
    updatedAt: startedAt + seq,
    endedAt: null,
    ...more,
  }
}

/** The next records of a run: as many as are asked for, after `expectedSeq`. */
export function changeOf(
  runId: string,
  expectedSeq: number,
  more: Partial<Omit<RunChange, 'head'>> & { head?: Partial<RunHead>; count?: number } = {},
): RunChange {
  const { head, count = 1, ...rest } = more
  const events =
    rest.events ??
    Array.from({ length: count }, (_, index) => eventOf(expectedSeq + index + 1, { member: runId }))
  return {
    runId,
    expectedSeq,
    events,
    head: headOf(runId, expectedSeq + events.length, head),
    reply: null,
    approvals: [],
    outbox: [],
    snapshot: null,
    ...rest,
  }
}

export function replyOf(commandId: string, text = '{"kind":"accepted"}'): RunChange['reply'] {
  return { commandId, text }
}

export function approvalOf(
  id: string,
  runId: string,
  more: Partial<ApprovalRow> = {},
): ApprovalRow {
  return {
    id,
    runId,
    member: runId,
    kind: 'move',
    message: 'publish the release?',
    hash: `hash-of-${id}`,
    status: 'pending',
    requestedAt: startedAt,
    expiresAt: null,
    decidedAt: null,
    decidedBy: null,
    note: '',
    pending: '{"move":"goto","stage":"published"}',
    ...more,
  }
}

export function outboxItemOf(
  id: string,
  runId: string,
  more: Partial<OutboxItem> = {},
): OutboxItem {
  return { id, runId, kind: 'notify', data: '{}', dueAt: startedAt, attempts: 0, ...more }
}

export function machineOf(hash: string, more: Partial<StoredMachine> = {}): StoredMachine {
  return { hash, name: 'release', dialect: 'workflow', format: 1, compiled: '{}', ...more }
}

export function versionOf(version: number, more: Partial<DefinitionVersion> = {}) {
  return {
    version,
    sourceHash: `source-${version}`,
    source: `{ "name": "release" } // ${version}\n`,
    format: 'json',
    machines: { release: `machine-${version}` },
    createdAt: startedAt + version,
    ...more,
  } satisfies DefinitionVersion
}

export function definitionOf(
  id: string,
  name: string,
  more: Partial<DefinitionRow> = {},
): DefinitionRow {
  return {
    id,
    name,
    workspace: '',
    dialect: 'workflow',
    createdAt: startedAt + 1,
    updatedAt: startedAt + 1,
    latest: versionOf(1),
    ...more,
  }
}
