import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { openCallsMax } from './evolve.ts'
import { Walk } from './family-builder.contract.ts'

const capped: JsonObject = {
  id: 'capped',
  initial: 'a',
  states: { a: { on: { GO: 'z' } }, z: { type: 'final' } },
  session_budget_usd: 1,
}
const { session_budget_usd: _, ...free } = capped
const minuteMs = 60_000

type Said = { readonly branch?: string; readonly estimateMicroUsd?: number }

/** Asks for a call; the id under which it is reported, or null where it was denied. */
function open(walk: Walk, tool: string, { branch, estimateMicroUsd }: Said = {}): string | null {
  const held = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const command = { type: 'CheckCall', call: callOf(tool), ...held } as const
  const reply = walk.send(command, undefined, branch ?? null)
  if (reply.kind !== 'verdict') throw new Error(`bug: a call gave ${JSON.stringify(reply)}`)
  if (reply.verdict === 'deny') expect(reply.code).toBe('BUDGET_EXHAUSTED')
  return reply.verdict === 'allow' ? reply.callId : null
}

describe('calls of which nobody says what they cost', () => {
  test('one call of unknown cost may be open, and the next waits for its report', () => {
    const walk = new Walk(capped)
    const first = open(walk, 'ask')
    const waits = walk.call(callOf('other'))
    expect(waits).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
    expect(waits.reason).toContain('waits for an open call of unknown cost')
    expect(waits.hint).toContain('report the open call first')
    walk.report(0.1, first)
    expect(open(walk, 'other')).not.toBeNull()
  })

  test('a call holds what its tool has cost at most', () => {
    const walk = new Walk(capped)
    walk.report(0.3, open(walk, 'ask'))
    walk.report(0.1, open(walk, 'ask'))
    // $0.40 are spent; two hold $0.30 each, and the second of them may go beyond the end.
    expect([1, 2, 3].map(() => open(walk, 'ask') !== null)).toEqual([true, true, false])
  })

  test('a tool that has ended without a cost is free, however many of its calls are open', () => {
    const walk = new Walk(capped)
    walk.report(0, open(walk, 'look'))
    expect(open(walk, 'ask')).not.toBeNull()
    for (let count = 0; count < 50; count += 1) expect(open(walk, 'look')).not.toBeNull()
  })

  test('calls of a host, which costs nothing, are made at once and without a report', () => {
    const walk = new Walk(capped)
    for (let count = 0; count < 50; count += 1) {
      expect(open(walk, 'read', { estimateMicroUsd: 0 })).not.toBeNull()
    }
    expect(walk.state().openCalls.some(({ reserve }) => reserve !== undefined)).toBe(false)
  })

  test('a word of nought counts no longer once the tool has cost something', () => {
    const walk = new Walk(capped)
    walk.report(0.4, open(walk, 'ask', { estimateMicroUsd: 0 }))
    const opened = [1, 2, 3].map(() => open(walk, 'ask', { estimateMicroUsd: 0 }) !== null)
    expect(opened).toEqual([true, true, false])
  })

  test('a call of unknown cost that nobody reports stands in the way for a while only', () => {
    const walk = new Walk(capped)
    open(walk, 'ask')
    walk.at += 15 * minuteMs - 1
    expect(open(walk, 'ask')).toBeNull()
    walk.at += 1
    expect(open(walk, 'ask')).not.toBeNull()
  })

  test('without a budget nothing waits and nothing is held', () => {
    const walk = new Walk(free)
    expect([1, 2, 3].map(() => open(walk, 'ask') !== null)).toEqual([true, true, true])
    expect(walk.state().openCalls.some(({ reserve }) => reserve !== undefined)).toBe(false)
  })

  test('a budget of a policy makes only the calls wait that count on it', () => {
    const budget_limit = { max_usd: 1, period: 'daily' } as const
    const walk = new Walk(free, [policyOf({ allow: [{ capability: 'ask', budget_limit }] })])
    const first = open(walk, 'ask')
    expect(open(walk, 'ask')).toBeNull()
    expect([open(walk, 'other'), open(walk, 'other')]).not.toContain(null)
    walk.report(0.5, first)
    expect([1, 2].map(() => open(walk, 'ask') !== null)).toEqual([true, false])
  })

  test('no open call that holds money is forgotten for another', () => {
    const walk = new Walk(capped)
    walk.report(0.000001, open(walk, 'ask'))
    const first = open(walk, 'ask')
    for (let count = 0; count < openCallsMax; count += 1) {
      open(walk, 'read', { estimateMicroUsd: 0 })
    }
    expect(walk.state().openCalls.map(({ callId }) => callId)).toContain(first)
    for (let count = 1; count < openCallsMax; count += 1) expect(open(walk, 'ask')).not.toBeNull()
    expect(open(walk, 'ask')).toBeNull()
    walk.report(0, first)
    expect(open(walk, 'ask')).not.toBeNull()
    expectCounted(walk)
  })
})

const forked: JsonObject = {
  id: 'shared',
  initial: 'go',
  session_budget_usd: 1,
  states: {
    go: {
      on: {
        GO: {
          fork: {
            join: 'all',
            on_complete: 'end',
            branches: Object.fromEntries(
              Array.from({ length: 8 }, (_, i) => [
                `b${i}`,
                { initial: `s${i}`, terminal: `t${i}` },
              ]),
            ),
          },
        },
      },
    },
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [
        [`s${i}`, { on: { DONE: `t${i}` } }],
        [`t${i}`, { type: 'final' }],
      ]).flat(),
    ),
    end: { type: 'final' },
  },
}

/** In which branch which tool is called, with or without an estimate, and what is reported when. */
const plan = fc.array(
  fc.record({
    branch: fc.nat(7),
    tool: fc.constantFrom('cheap', 'dear', 'free'),
    report: fc.nat(120),
  }),
  { minLength: 20, maxLength: 100 },
)

const cost = { free: 0, cheap: 70_000, dear: 350_000 }

/** The calls that hold money are counted as they come and go. */
function expectCounted(walk: Walk): void {
  for (const { state } of walk.family.members) {
    const holding = state.openCalls.filter(({ reserve }) => reserve !== undefined)
    expect(state.holdsCount ?? 0).toBe(holding.length)
  }
}

test('a hundred agents in any branches overshoot their shared budget by one call at most', () => {
  fc.assert(
    fc.property(plan, (steps) => {
      const walk = new Walk(forked)
      walk.fire('GO')
      const opened: { branch: string; callId: string; usd: number }[] = []
      for (const { branch: at, tool, report } of steps) {
        const branch = `b${at}`
        const callId = open(walk, tool, { branch })
        const microUsd = cost[tool as keyof typeof cost]
        if (callId !== null) opened.push({ branch, callId, usd: microUsd / 1_000_000 })
        const [ended] = opened.splice(report % 100, report % 100 < opened.length ? 1 : 0)
        if (ended !== undefined) walk.report(ended.usd, ended.callId, ended.branch)
        expectCounted(walk)
      }
      for (const { usd, callId, branch } of opened) walk.report(usd, callId, branch)
      const spent = walk.family.members.reduce((sum, { state }) => sum + state.costMicroUsd, 0)
      expect(spent).toBeLessThan(1_000_000 + cost.dear)
    }),
    { numRuns: 60 },
  )
})
