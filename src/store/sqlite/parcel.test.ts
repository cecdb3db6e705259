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
  expectedSeq: count,
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
  indexed: maybe(fc.array(fc.tuple(text, count))),
})

test('whatever is sent to the thread arrives as it was', () => {
  fc.assert(
    fc.property(fc.record({ change, hint: maybe(hint) }), (sent) => {
      expect(unpack(structuredClone(pack(sent)))).toEqual(sent)
    }),
  )
})
