/**
 * Changes on their way to the thread that writes them: what every change has goes as plain lists.
 * WHY: a copy names every field of every object; without the names it costs a quarter.
 */
import type { Change, EventRecord, RunHead } from '../../runtime/ports.ts'

export type PackedChange = readonly [
  runId: string,
  expectedSeq: number,
  head: readonly unknown[],
  events: readonly (readonly unknown[])[],
  reply: readonly [commandId: string, text: string] | null,
  /** What few changes have. */
  rest: Pick<Change, 'approvals' | 'owed' | 'snapshot'> | null,
]

// WHY tables: the compiler finds a field that is left out.
const headFields: Readonly<Record<keyof RunHead, 1>> = {
  id: 1,
  machine: 1,
  definition: 1,
  dialect: 1,
  status: 1,
  stage: 1,
  seq: 1,
  hash: 1,
  workspace: 1,
  callsCount: 1,
  costMicroUsd: 1,
  startedAt: 1,
  updatedAt: 1,
  endedAt: 1,
}
const eventFields: Readonly<Record<keyof EventRecord, 1>> = {
  seq: 1,
  member: 1,
  type: 1,
  data: 1,
  at: 1,
  actor: 1,
  commandId: 1,
  hash: 1,
}
const headKeys = Object.keys(headFields) as readonly (keyof RunHead)[]
const eventKeys = Object.keys(eventFields) as readonly (keyof EventRecord)[]

const none = { approvals: [], owed: [], snapshot: null }

export function packChange(change: Change): PackedChange {
  const { runId, expectedSeq, head, events, reply, approvals, owed, snapshot } = change
  const isPlain = approvals.length === 0 && owed.length === 0 && snapshot === null
  return [
    runId,
    expectedSeq,
    headKeys.map((key) => head[key]),
    events.map((event) => eventKeys.map((key) => event[key])),
    reply === null ? null : [reply.commandId, reply.text],
    isPlain ? null : { approvals, owed, snapshot },
  ]
}

export function unpackChange(packed: PackedChange): Change {
  const [runId, expectedSeq, head, events, reply, rest] = packed
  return {
    runId,
    expectedSeq,
    head: named<RunHead>(headKeys, head),
    events: events.map((values) => named<EventRecord>(eventKeys, values)),
    reply: reply === null ? null : { commandId: reply[0], text: reply[1] },
    ...(rest ?? none),
  }
}

function named<T>(keys: readonly (keyof T & string)[], values: readonly unknown[]): T {
  const record: Record<string, unknown> = {}
  for (let index = 0; index < keys.length; index += 1) {
    record[keys[index] as string] = values[index]
  }
  // WHY the cast: the same keys gave these values.
  return record as T
}
