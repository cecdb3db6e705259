/** A log as a trace: calls with their ends, visits, branches, waits and costs. */
import { expect, test } from 'vitest'
import type { LogRecord } from './run-log.ts'
import { openTraceRows } from './trace-rows.ts'

let seq = 0

function record(data: object, { at = seq * 100, member = 'r1' } = {}): LogRecord {
  seq += 1
  const type = String((data as { readonly type: string }).type)
  return { seq, at, member, type, data, actor: 'agent:a' } as unknown as LogRecord
}

function story(): readonly LogRecord[] {
  seq = 0
  const allowed = (callId: string) => ({ type: 'call.allowed', callId, tool: 'Read', input: {} })
  const reported = (callId: string) => ({
    type: 'call.reported',
    callId,
    costMicroUsd: 5,
    ok: true,
  })
  return [
    record({ type: 'run.started', stage: 'a', branch: null }),
    record({ type: 'stage.entered', stage: 'a', by: 'start' }),
    record(allowed('c1')),
    record(allowed('c2')),
    record({ type: 'money.spent', costMicroUsd: 7, tokens: { input: 900, output: 100 } }),
    record(reported('c2'), { at: 900 }),
    record(reported('c1'), { at: 1_000 }),
    record({ type: 'call.denied', tool: 'Bash', input: {}, code: 'X', reason: 'no' }),
    record({ type: 'approval.requested', approval: { id: 'q', kind: 'move' } }, { at: 2_000 }),
    record({ type: 'approval.granted', approvalId: 'q', by: { name: 'p' } }, { at: 5_000 }),
    record({ type: 'run.started', stage: 'x', branch: { name: 'left' } }, { member: 'r2' }),
    record({ type: 'stage.entered', stage: 'x', by: 'start' }, { member: 'r2' }),
    record({ type: 'stage.entered', stage: 'b', by: 'signal' }, { at: 6_000 }),
    record(allowed('c3'), { member: 'r2' }),
  ]
}

function shape(records: readonly LogRecord[], trace = openTraceRows()) {
  return trace(records).visits.map(({ stage, branch, rows, calls, denied }) => ({
    ...{ stage, branch, calls, denied },
    rows: rows.map((row) => [row.kind, row.record.seq, row.end?.seq ?? null]),
  }))
}

test('calls have their ends, whatever came between, and branches are apart', () => {
  expect(shape(story())).toEqual([
    {
      ...{ stage: 'a', branch: null, calls: 2, denied: 1 },
      rows: [
        ['event', 1, null],
        ['call', 3, 7],
        ['call', 4, 6],
        ['event', 5, null],
        ['call', 8, null],
        ['wait', 9, 10],
      ],
    },
    {
      ...{ stage: 'x', branch: 'left', calls: 1, denied: 0 },
      rows: [
        ['event', 11, null],
        ['call', 14, null],
      ],
    },
    { stage: 'b', branch: null, calls: 0, denied: 0, rows: [] },
  ])
})

test('a visit sums up its costs, its time and its waits', () => {
  const { visits, rowOf } = openTraceRows()(story())
  expect(visits[0]).toMatchObject({
    ...{ modelsMicroUsd: 7, tokens: 1_000, callsMicroUsd: 10, waitedMs: 3_000, endAt: 6_000 },
  })
  expect(rowOf(6)).toBe(rowOf(4))
})

test('a log that grows gives the same as one that is read at once', () => {
  const records = story()
  const trace = openTraceRows()
  for (let count = 1; count < records.length; count += 1) trace(records.slice(0, count))
  expect(shape(records, trace)).toEqual(shape(records))
})

test('what is put in front is read again', () => {
  const records = story()
  const trace = openTraceRows()
  trace(records.slice(5))
  trace(records.slice(2))
  expect(shape(records, trace)).toEqual(shape(records))
})

test('a hundred thousand records are as many rows as there are calls', () => {
  seq = 0
  const records = [record({ type: 'stage.entered', stage: 'a', by: 'start' })]
  for (let count = 0; count < 50_000; count += 1) {
    records.push(record({ type: 'call.allowed', callId: `c${count}`, tool: 'Read', input: {} }))
    records.push(record({ type: 'call.reported', callId: `c${count}`, costMicroUsd: 0, ok: true }))
  }
  const [visit] = openTraceRows()(records).visits
  expect(visit?.rows).toHaveLength(50_000)
  expect(visit?.rows.every((row) => row.end !== null)).toBe(true)
})
