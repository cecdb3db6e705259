import { expect, test } from 'vitest'
import type { LogRecord } from './run-log.ts'
import { openTracer } from './run-trace.ts'

function recordOf(seq: number, data: object): LogRecord {
  const { type } = data as { readonly type: string }
  const rest = { at: seq, actor: 'agent:a', commandId: '', hash: '' }
  return { seq, member: 'r', type, data, ...rest } as unknown as LogRecord
}

const started = { type: 'run.started', machine: 'm', stage: 'a', vars: {}, branch: null }
const said = { type: 'text.said', text: 'x', role: 'user' }
const log = [
  recordOf(1, started),
  recordOf(2, { type: 'stage.entered', stage: 'a', by: 'start' }),
  recordOf(3, { type: 'call.denied', tool: 'Bash', input: {}, code: 'X', reason: '', rule: null }),
  recordOf(4, { type: 'stage.entered', stage: 'b', by: 'signal' }),
  recordOf(5, said),
]

test('a log tells which stages were entered, along which way, and what was denied where', () => {
  const trace = openTracer()(log, 5)
  expect([...trace.visits]).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  expect([...trace.steps]).toEqual([['a → b', 1]])
  expect([...trace.denied]).toEqual([['a', 1]])
  expect(trace.members).toMatchObject([{ runId: 'r', stage: 'b', status: 'running' }])
})

test('a fork and its join are steps of their own', () => {
  const forked = [
    ...log,
    recordOf(6, { type: 'fork.opened', fork: {} }),
    recordOf(7, { type: 'fork.closed', joined: true }),
    recordOf(8, { type: 'stage.entered', stage: 'c', by: 'join' }),
    recordOf(9, { type: 'fork.closed', joined: false }),
    recordOf(10, { type: 'stage.entered', stage: 'b', by: 'join' }),
  ]
  const { steps } = openTracer()(forked, 10)
  expect([...steps.keys()]).toEqual(['a → b', 'b →  fork', ' join → c', ' fail → b'])
})

test('what is told stays the same object while nothing of it changes', () => {
  const tracer = openTracer()
  const before = tracer(log, 5)
  const longer = [...log, recordOf(6, said), recordOf(7, said)]
  expect(tracer(longer, 7)).toBe(before)
  const moved = [...longer, recordOf(8, { type: 'stage.entered', stage: 'a', by: 'signal' })]
  const after = tracer(moved, 8)
  expect(after).not.toBe(before)
  expect(after.visits.get('a')).toBe(2)
  expect(before.visits.get('a')).toBe(1)
})

test('the past is told as it was, and the present again after it', () => {
  const tracer = openTracer()
  tracer(log, 5)
  expect(tracer(log, 2).members[0]?.stage).toBe('a')
  expect(tracer(log, 2).denied.size).toBe(0)
  expect(tracer(log, 5).members[0]?.stage).toBe('b')
})

test('what is let go at the old end is not forgotten, and what is put in front is counted', () => {
  const tracer = openTracer()
  tracer(log, 5)
  const later = [...log.slice(3), recordOf(6, { type: 'stage.entered', stage: 'a', by: 'signal' })]
  expect(tracer(later, 6).visits.get('a')).toBe(2)
  const end = openTracer()
  expect(end(log.slice(3), 5).visits.get('a')).toBeUndefined()
  expect(end(log, 5).visits.get('a')).toBe(1)
})
