/**
 * Changes on their way to the thread that writes them: what every change has goes as plain lists.
 * WHY: a copy names every field of every object; without the names it costs a quarter.
 */
import type { Change, EventRecord, RunHead } from '../../runtime/ports.ts'

export type PackedChange = Omit<Change, 'head' | 'events'> & {
  readonly head: readonly unknown[]
  readonly events: readonly (readonly unknown[])[]
}

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

export function packChange(change: Change): PackedChange {
  const head = headKeys.map((key) => change.head[key])
  const events = change.events.map((event) => eventKeys.map((key) => event[key]))
  return { ...change, head, events }
}

export function unpackChange(packed: PackedChange): Change {
  const head = named<RunHead>(headKeys, packed.head)
  const events = packed.events.map((values) => named<EventRecord>(eventKeys, values))
  return { ...packed, head, events }
}

function named<T>(keys: readonly (keyof T & string)[], values: readonly unknown[]): T {
  const record: Record<string, unknown> = {}
  for (const [index, key] of keys.entries()) record[key] = values[index]
  // WHY the cast: the same keys gave these values.
  return record as T
}
