/** Costs of stages, added up. */
import { expect, test } from 'vitest'
import type { LogRecord } from './run-log.ts'
import { stageCosts } from './stage-costs.ts'

function record(seq: number, type: string, more: { member?: string } = {}): LogRecord {
  const { member = 'r1' } = more
  const base = { seq, member, type, at: 0, actor: 'agent:agent', commandId: '', hash: '' }
  return { ...base, data: { type, ...more } as LogRecord['data'] }
}

test('costs belong to the stage in which their run stands, and to nothing before it', () => {
  const branch = { member: 'r1.a' }
  const cost = { costMicroUsd: 10, model: null, source: 'api' }
  const sums = stageCosts([
    record(1, 'money.spent', cost),
    record(2, 'stage.entered'),
    record(3, 'money.spent', cost),
    record(4, 'stage.entered', branch),
    record(5, 'money.spent', { ...cost, ...branch }),
    record(6, 'money.spent', cost),
    record(7, 'stage.entered'),
    record(8, 'money.spent', cost),
  ])
  expect([...sums]).toEqual([
    [2, 20],
    [4, 10],
    [7, 10],
  ])
})
