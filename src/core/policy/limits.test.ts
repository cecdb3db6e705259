import { expect, test } from 'vitest'
import type { PolicyRule } from '../machine/machine.ts'
import { findFull, reservationsFor } from './limits.ts'
import { foldMeters, noMeters } from './meters.ts'

function ruled(more: Partial<PolicyRule>): PolicyRule {
  return { capability: 'bash', rate: null, budget: null, origin: '/policy/allow/0', ...more }
}

const rate = { callsMax: 1, windowMs: 60_000 }
const budget = { microUsdMax: 1_000_000, period: 'daily' } as const

test('a limit of which nothing is known has no room', () => {
  const now = { meters: null, at: 0, since: null }
  expect(findFull([{ rule: ruled({ rate }), meter: 'm' }], now)?.code).toBe('RATE_LIMITED')
  expect(findFull([{ rule: ruled({ budget }), meter: 'm' }], now)?.code).toBe('BUDGET_EXHAUSTED')
  expect(findFull([{ rule: ruled({}), meter: 'm' }], now)).toBeNull()
})

test('a limit that is no number has no room', () => {
  const now = { meters: noMeters, at: 0, since: null }
  const full = (rule: PolicyRule) => findFull([{ rule, meter: 'm' }], now)?.code
  expect(full(ruled({ rate: { callsMax: Number.NaN, windowMs: 1 } }))).toBe('RATE_LIMITED')
  expect(full(ruled({ rate: { callsMax: 1, windowMs: Number.NaN } }))).toBe('RATE_LIMITED')
  expect(full(ruled({ rate: { callsMax: 1, windowMs: 0 } }))).toBe('RATE_LIMITED')
  const money = { microUsdMax: Number.NaN, period: 'daily' } as const
  expect(full(ruled({ budget: money }))).toBe('BUDGET_EXHAUSTED')
  const lost = { meters: noMeters, at: Number.NaN, since: null }
  expect(findFull([{ rule: ruled({ rate }), meter: 'm' }], lost)?.code).toBe('RATE_LIMITED')
})

test('a full limit names its rule and says when there is room again', () => {
  const meters = foldMeters(noMeters, {
    ...{ type: 'call.allowed', callId: '', tool: '', input: {}, edits: [], counts: true },
    ...{ at: 0, meters: [{ meter: 'm', windowMs: 60_000 }] },
  })
  const full = findFull([{ rule: ruled({ rate }), meter: 'm' }], {
    meters,
    at: 15_000,
    since: null,
  })
  expect(full).toMatchObject({ code: 'RATE_LIMITED', rule: '/policy/allow/0' })
  expect(full?.reason).toBe('`bash` is limited to 1 call in 1 minute')
  expect(full?.hint).toContain('45 seconds')
})

test('rules of one pattern share a meter, which counts for the longest of their windows', () => {
  const day = ruled({ rate: { callsMax: 9, windowMs: 86_400_000 } })
  const limited = [ruled({ rate }), day, ruled({ budget })].map((rule) => ({ rule, meter: 'm' }))
  expect(reservationsFor(limited, null)).toEqual([{ meter: 'm', windowMs: 86_400_000 }])
  expect(reservationsFor(limited.slice(2), 5)).toEqual([{ meter: 'm', windowMs: null, since: 5 }])
})
