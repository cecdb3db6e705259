import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { costMicroUsdMax, sumMicroUsdMax } from '../money.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { evolve } from './evolve.ts'
import { Walk } from './family-builder.contract.ts'
import { refuseAmounts } from './model-spend.ts'

const answers = { yes: { next: null, action: 'complete' } }
const capped: JsonObject = {
  name: 'capped',
  initial: 'ask',
  states: { ask: { question: 'May we go on?', answers } },
  session_budget_usd: 1,
}
const free: JsonObject = {
  id: 'free',
  initial: 'a',
  states: { a: { on: { GO: 'z' } }, z: { type: 'final' } },
}

function spend(walk: Walk, costMicroUsd: number, model: string | null = 'm-1'): void {
  walk.send({ type: 'RecordSpend', spend: { source: 'test', model, tokens: null, costMicroUsd } })
}

function warnings(walk: Walk): readonly string[] {
  return walk.last.recorded.flatMap(({ event }) =>
    event.type === 'warning.raised' ? [event.message] : [],
  )
}

test('what a model costs counts into the budget of the run', () => {
  const walk = new Walk(capped)
  spend(walk, 999_999)
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
  spend(walk, 1)
  expect(walk.call(callOf('bash')).code).toBe('BUDGET_EXHAUSTED')
  expect(walk.state().costMicroUsd).toBe(1_000_000)
})

test('an amount that would refill a budget is refused, and none of it is kept', () => {
  const walk = new Walk(capped)
  for (const cost of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    spend(walk, cost)
    expect(walk.last.reply).toMatchObject({ kind: 'refused', code: 'DATA_INVALID' })
    expect(walk.last.recorded).toEqual([])
  }
})

test('no report and no sum of them is more than a run can hold', () => {
  const walk = new Walk(capped)
  spend(walk, costMicroUsdMax + 1)
  expect(walk.last.reply).toMatchObject({ kind: 'refused', code: 'DATA_INVALID' })
  spend(walk, costMicroUsdMax)
  expect(walk.last.reply.kind).toBe('accepted')
  const full = { ...walk.state(), costMicroUsd: sumMicroUsdMax - 1 }
  const spent = { type: 'money.spent', source: 'x', model: null, tokens: null } as const
  const paid = { ...spent, costMicroUsd: 9_007_199_254_740_991, at: 1, meters: [] }
  expect(evolve(full, paid).costMicroUsd).toBe(sumMicroUsdMax)
  expect(refuseAmounts(full, { cost: 1 })).toBeNull()
  expect(refuseAmounts(full, { cost: 2 })?.code).toBe('DATA_INVALID')
})

test('the end of a budget is announced at 80 and at 95 percent, once each', () => {
  const walk = new Walk(capped)
  const told: (readonly string[])[] = []
  for (const cost of [799_999, 1, 100_000, 49_999, 1, 50_000]) {
    spend(walk, cost)
    told.push(warnings(walk))
  }
  expect(told).toEqual([
    [],
    ['$0.80 of $1.00 of the budget of `capped` is spent (80%)'],
    [],
    [],
    ['$0.95 of $1.00 of the budget of `capped` is spent (95%)'],
    [],
  ])
})

test('a payment that passes both marks at once is told once', () => {
  const walk = new Walk(capped)
  spend(walk, 2_000_000)
  expect(warnings(walk)).toHaveLength(1)
})

test('a budget for models denies every call once it is used up, until the next period', () => {
  const budget_limit = { max_usd: 1, period: 'daily' } as const
  const policy = policyOf({ allow: [{ capability: 'model:*', budget_limit }] })
  const walk = new Walk(free, [policy])
  spend(walk, 800_000)
  expect(warnings(walk)).toHaveLength(1)
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
  spend(walk, 200_000)
  const denied = walk.call(callOf('bash'))
  expect(denied).toMatchObject({ code: 'BUDGET_EXHAUSTED', rule: '/policy/allow/0' })
  walk.at += 86_400_000
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
})

test('a budget for one model is not used up by another', () => {
  const budget_limit = { max_usd: 1, period: 'daily' } as const
  const policy = policyOf({ allow: [{ capability: 'model:big', budget_limit }] })
  const walk = new Walk(free, [policy])
  spend(walk, 5_000_000, 'small')
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
  spend(walk, 1_000_000, 'big')
  expect(walk.call(callOf('bash')).code).toBe('BUDGET_EXHAUSTED')
})

test('an estimate is held until the report, and calls that do not fit are denied', () => {
  const walk = new Walk(capped)
  const check = (estimateMicroUsd: number) => {
    walk.send({ type: 'CheckCall', call: callOf('bash'), estimateMicroUsd })
    return walk.last.reply as { verdict: string; code: string | null; callId: string | null }
  }
  const first = check(600_000)
  expect(first.verdict).toBe('allow')
  expect(check(500_000)).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
  expect(check(400_000).verdict).toBe('allow')
  expect(check(0)).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
  const report = { ok: true, output: null, exitCode: null, bytes: null, costMicroUsd: 100_000 }
  walk.send({ type: 'ReportCall', callId: first.callId, report })
  expect(check(500_000).verdict).toBe('allow')
})

test('what a call holds that nobody reports comes back after a while', () => {
  const walk = new Walk(capped)
  walk.send({ type: 'CheckCall', call: callOf('bash'), estimateMicroUsd: 1_000_000 })
  expect(walk.call(callOf('bash')).code).toBe('BUDGET_EXHAUSTED')
  walk.at += 15 * 60_000
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
})

test('an estimate is held on the budgets of policies as well', () => {
  const budget_limit = { max_usd: 1, period: 'daily' } as const
  const walk = new Walk(free, [policyOf({ allow: [{ capability: 'bash', budget_limit }] })])
  walk.send({ type: 'CheckCall', call: callOf('bash'), estimateMicroUsd: 700_000 })
  walk.send({ type: 'CheckCall', call: callOf('bash'), estimateMicroUsd: 400_000 })
  expect(walk.last.reply).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
  walk.send({ type: 'CheckCall', call: callOf('bash'), estimateMicroUsd: 300_000 })
  expect(walk.last.reply).toMatchObject({ verdict: 'allow' })
})
