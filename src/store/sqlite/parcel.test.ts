import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, EventRecord, RunHead } from '../../runtime/ports.ts'
import { approvalOf, owedOf } from '../records.contract.ts'
import { pack, unpack } from './parcel.ts'

const text = fc.string({ unit: 'binary' })
const count = fc.nat()
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null })

const head: fc.Arbitrary<RunHead> = fc.record({
  id: text,
  machine: text,
  definition: text,
  dialect: text,
  workspace: maybe(text),
  status: text,
  stage: text,
  seq: count,
  hash: text,
  callsCount: count,
  costMicroUsd: count,
  startedAt: count,
  updatedAt: count,
  endedAt: maybe(count),
})
const event: fc.Arbitrary<EventRecord> = fc.record({
  seq: count,
  member: text,
  type: text,
  data: text,
  at: count,
  actor: text,
  commandId: text,
  hash: text,
})
const change: fc.Arbitrary<Change> = fc.record({
  runId: text,
  expectedSeq: fc.oneof(fc.constant(0), count),
  head,
  events: fc.array(event, { maxLength: 3 }),
  reply: maybe(fc.record({ commandId: text, text })),
  approvals: fc.constantFrom([], [approvalOf('a_1', 'r_1')]),
  owed: fc.constantFrom([], [owedOf('o_1', 'r_1')]),
  snapshot: maybe(fc.record({ seq: count, version: count, state: text })),
})
const hint = fc.record({
  log: count,
  minute: count,
  isOlder: fc.boolean(),
  due: fc.constantFrom('fresh' as const, 'any' as const, null),
})

/** A change in which texts stand twice, as they do in real ones. */
const twice = fc.record({ change, of: fc.array(event, { minLength: 1 }) }).map(({ change, of }) => {
  const { runId } = change
  const events = of.map((one) => ({ ...one, member: runId }))
  const { hash, commandId } = events.at(-1) as EventRecord
  const reply = change.reply === null ? null : { ...change.reply, commandId }
  return { ...change, events, reply, head: { ...change.head, id: runId, hash } }
})

const pinned = { machine: '', definition: '', dialect: '', workspace: null }

test('whatever is sent to the thread arrives as it was', () => {
  fc.assert(
    fc.property(
      fc.record({ change: fc.oneof(change, twice), hint: maybe(hint) }),
      ({ change, hint }) => {
        const isThere = change.expectedSeq > 0
        const arrived = isThere ? { ...change, head: { ...change.head, ...pinned } } : change
        expect(unpack(structuredClone(pack({ change, hint })))).toEqual({ change: arrived, hint })
      },
    ),
  )
})
