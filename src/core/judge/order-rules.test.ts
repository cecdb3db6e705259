/** Limits on how many calls there were, and on what they add up to. */
import { describe, expect, test } from 'vitest'
import { commandFamily } from '../engine/family.ts'
import { foldFamily, unbornFamily } from '../engine/fold-family.ts'
import type { Call } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { end, forked, named, type ReportedEnd, under } from './order-walk.contract.ts'

describe('a number of calls', () => {
  const three: PolicyDefinition = { allow: [{ capability: 'mcp:bank:*', count: { max: 3 } }] }
  const pay = named('mcp:bank:pay')

  test('counts calls in flight, in all branches', () => {
    const walk = under(three, forked)
    walk.fire('GO')
    const verdicts = ['one', 'two', 'one', 'two'].map((branch) => walk.call(pay, branch).verdict)
    expect(verdicts).toEqual(['allow', 'allow', 'allow', 'deny'])
    expect(walk.call(pay, 'one')).toMatchObject({ code: 'COUNT_EXHAUSTED' })
    expect(walk.call(pay, 'one').rule).toBe('/policy/allow/0/count')
  })

  test('takes a call back that Pawl did not make, but not on the word of the agent', () => {
    const walk = under(three)
    const [one, two] = [walk.call(pay), walk.call(pay), walk.call(pay)]
    end(walk, one, { ok: false, wasNotMade: true, isClaim: true })
    expect(walk.call(pay).verdict).toBe('deny')
    end(walk, two, { ok: false, wasNotMade: true })
    expect([walk.call(pay).verdict, walk.call(pay).verdict]).toEqual(['allow', 'deny'])
  })

  test('does not take back a call that has failed: it may have had its effect before', () => {
    const walk = under(three)
    const [one] = [walk.call(pay), walk.call(pay), walk.call(pay)]
    end(walk, one, { ok: false })
    expect(walk.call(pay).verdict).toBe('deny')
  })

  test('has room again when calls have left the window', () => {
    const count = { max: 2, window_seconds: 60 }
    const walk = under({ allow: [{ capability: 'mcp:bank:*', count }] })
    walk.call(pay)
    walk.at += 30_000
    walk.call(pay)
    const full = walk.call(pay)
    expect(full).toMatchObject({ code: 'COUNT_EXHAUSTED' })
    expect(full.hint).toContain('30 seconds')
    walk.at += 30_000
    expect([walk.call(pay).verdict, walk.call(pay).verdict]).toEqual(['allow', 'deny'])
  })

  test('keeps room for what people are asked about, and gives it back when they refuse', () => {
    const walk = under({ ask: [{ capability: 'mcp:bank:*', count: { max: 1 } }] }, forked)
    walk.fire('GO')
    expect(walk.call(pay, 'one').verdict).toBe('ask')
    expect(walk.call(pay, 'two').code).toBe('COUNT_EXHAUSTED')
    walk.decide(false, '', 'one')
    expect(walk.call(pay, 'two').verdict).toBe('ask')
    walk.decide(true, '', 'two')
    expect(walk.call(pay, 'one').code).toBe('COUNT_EXHAUSTED')
    expect(walk.call(pay, 'two').verdict).toBe('allow')
    expect(walk.call(pay, 'one').code).toBe('COUNT_EXHAUSTED')
  })

  test('cannot be used without a run that counts', () => {
    const walk = under(three)
    const family = { ...walk.family, meters: null as never }
    const command = { type: 'CheckCall', call: pay } as const
    const context = {
      library: () => undefined,
      at: walk.at,
      actor: { kind: 'agent', name: 'agent' } as const,
      policies: walk.policies,
    }
    const { reply } = commandFamily(family, { command, branch: null }, context)
    expect(reply).toMatchObject({ verdict: 'deny' })
  })
})

describe('a sum of a number', () => {
  const transfers: PolicyDefinition = {
    ask: [{ capability: 'x' }],
    allow: [{ capability: 'mcp:bank:transfer', sum: { of: 'input.amount', max: 1 } }],
  }
  const transfer = (amount: unknown): Call =>
    named('mcp:bank:transfer', { amount } as unknown as JsonObject)

  test('is exact for decimals, and leaves no room beyond the limit', () => {
    const walk = under(transfers)
    const verdicts = Array.from({ length: 11 }, () => walk.call(transfer(0.1)).verdict)
    expect(verdicts).toEqual([...Array.from({ length: 10 }, () => 'allow'), 'deny'])
    expect(walk.call(transfer(0)).verdict).toBe('allow')
    expect(walk.call(transfer(0.000001)).code).toBe('SUM_EXHAUSTED')
  })

  test('denies what is no number, or a negative one', () => {
    const walk = under(transfers)
    for (const amount of [-1, '1e3', 'x', null, [1], {}, true, undefined, 1e300]) {
      expect(walk.call(transfer(amount)).code).toBe('SUM_EXHAUSTED')
    }
    expect(walk.call(transfer('0.5')).verdict).toBe('allow')
  })

  test('gives back what a call has added that was not made', () => {
    const walk = under(transfers)
    const open = walk.call(transfer(1))
    expect(walk.call(transfer(0.5)).verdict).toBe('deny')
    end(walk, open, { ok: false, wasNotMade: true })
    expect(walk.call(transfer(0.5)).verdict).toBe('allow')
  })

  test('keeps what a call has added that has failed', () => {
    const walk = under(transfers)
    end(walk, walk.call(transfer(1)), { ok: false })
    expect(walk.call(transfer(0.5)).verdict).toBe('deny')
  })

  test('of results is known at the end, and one call at a time may exceed it', () => {
    const walk = under({
      allow: [{ capability: 'mcp:llm:ask', sum: { of: 'output.tokens', max: 100 } }],
    })
    const ask = named('mcp:llm:ask')
    const first = walk.call(ask)
    expect(walk.call(ask).code).toBe('SUM_EXHAUSTED')
    end(walk, first, { output: { tokens: 99 } })
    const second = walk.call(ask)
    end(walk, second, { output: { tokens: 99 } })
    expect(walk.call(ask).code).toBe('SUM_EXHAUSTED')
  })

  test('of results is used up by a call that nobody ever reports, as long as it counts', () => {
    const sum = { of: 'output.tokens', max: 100, window_seconds: 7_200 }
    const walk = under({ allow: [{ capability: 'mcp:llm:ask', sum }] })
    const ask = named('mcp:llm:ask')
    const lost = walk.call(ask)
    walk.at += 16 * 60_000
    expect(walk.call(ask).code).toBe('SUM_EXHAUSTED')
    for (let count = 0; count < 300; count += 1) walk.call(named('mcp:other:tool', { count }))
    expect(walk.state().openCalls.some(({ callId }) => callId === lost.callId)).toBe(false)
    expect(walk.call(ask).code).toBe('SUM_EXHAUSTED')
    walk.at += 2 * 3_600_000
    expect(walk.call(ask).verdict).toBe('allow')
  })

  test('of results is counted when the report comes late', () => {
    const walk = under({
      allow: [{ capability: 'mcp:llm:ask', sum: { of: 'output.tokens', max: 100 } }],
    })
    const late = walk.call(named('mcp:llm:ask'))
    walk.at += 3_600_000
    end(walk, late, { output: { tokens: 60 } })
    end(walk, walk.call(named('mcp:llm:ask')), { output: { tokens: 39 } })
    expect(walk.call(named('mcp:llm:ask')).verdict).toBe('allow')
  })

  test('loses nothing by a call whose end comes when it does not count any more', () => {
    const sum = { of: 'input.amount', max: 1, window_seconds: 3_600 }
    const walk = under({ allow: [{ capability: 'mcp:bank:transfer', sum }] })
    const old = walk.call(transfer(1))
    walk.at += 3_600_000
    expect(walk.call(transfer(1)).verdict).toBe('allow')
    end(walk, old, { ok: false })
    expect(walk.call(transfer(0.5)).code).toBe('SUM_EXHAUSTED')
  })

  test('of results is used up by a result that does not name it', () => {
    const walk = under({
      allow: [{ capability: 'mcp:llm:ask', sum: { of: 'output.tokens', max: 100 } }],
    })
    end(walk, walk.call(named('mcp:llm:ask')), { output: { words: 1 } })
    expect(walk.call(named('mcp:llm:ask')).code).toBe('SUM_EXHAUSTED')
  })
})

test('the log alone gives the same counts', () => {
  const walk = under({
    allow: [
      { capability: 'mcp:bank:*', count: { max: 9 }, sum: { of: 'input.amount', max: 9 } },
      { capability: 'mcp:cd:deploy', after: { capability: 'mcp:bank:*', fresh: true } },
    ],
  })
  const recorded = [...walk.last.recorded]
  const step = (call: Call, how: ReportedEnd | null): void => {
    const reply = walk.call(call)
    recorded.push(...walk.last.recorded)
    if (how === null) return
    end(walk, reply, how)
    recorded.push(...walk.last.recorded)
  }
  step(named('mcp:bank:pay', { amount: 2 }), {})
  step(named('mcp:bank:pay', { amount: 3 }), { ok: false })
  step(named('mcp:bank:pay', { amount: 1 }), null)
  const machine = walk.family.members[0]?.machine
  if (machine === undefined) throw new Error('bug: no machine')
  const folded = foldFamily(unbornFamily('r'), JSON.parse(JSON.stringify(recorded)), () => machine)
  expect(JSON.parse(JSON.stringify(folded))).toEqual(JSON.parse(JSON.stringify(walk.family)))
})
