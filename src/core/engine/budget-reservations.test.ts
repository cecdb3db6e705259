import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { openCallsMax } from './evolve.ts'
import { Walk } from './family-builder.contract.ts'
import type { Reply } from './types.ts'

const capped: JsonObject = {
  id: 'capped',
  initial: 'a',
  states: { a: { on: { GO: 'z' } }, z: { type: 'final' } },
  session_budget_usd: 1,
}
const { session_budget_usd: _, ...free } = capped
const minuteMs = 60_000

type CallOptions = { readonly branch?: string; readonly estimateMicroUsd?: number }

/** Asks for a call; the id under which it is reported, or null where it was denied. */
function open(
  walk: Walk,
  tool: string,
  { branch, estimateMicroUsd }: CallOptions = {},
): string | null {
  const held = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  // Each has an input of its own, in every branch: the same call that fails again and again in a
  // run is denied for another reason.
  const input = { branch: branch ?? null, seq: walk.state(branch ?? null).seq }
  const command = { type: 'CheckCall', call: callOf(tool, { input }), ...held } as const
  const reply = walk.send(command, undefined, branch ?? null)
  if (reply.kind !== 'verdict') throw new Error(`bug: a call gave ${JSON.stringify(reply)}`)
  if (reply.verdict === 'deny') expect(reply.code).toBe('BUDGET_EXHAUSTED')
  return reply.verdict === 'allow' ? reply.callId : null
}

type CallEnd = { readonly usd: number; readonly callId: string | null; readonly branch?: string }

function fail(walk: Walk, { usd, callId, branch }: CallEnd): Reply {
  const costMicroUsd = Math.round(usd * 1_000_000)
  const report = { ok: false, output: null, exitCode: 1, bytes: 0, costMicroUsd }
  return walk.send({ type: 'ReportCall', callId, report }, undefined, branch ?? null)
}

describe('calls of which nobody says what they cost', () => {
  test('one call of unknown cost may be open, and the next waits for its report', () => {
    const walk = new Walk(capped)
    const first = open(walk, 'ask')
    const waits = walk.call(callOf('other'))
    expect(waits).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
    expect(waits.reason).toContain('has to wait for an open call of unknown cost')
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

  test('a word of zero counts no longer once the tool has cost something', () => {
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

  test('a call that fails and costs nothing says nothing of its tool', () => {
    const walk = new Walk(capped)
    fail(walk, { usd: 0, callId: open(walk, 'ask') })
    expect([1, 2].map(() => open(walk, 'ask') !== null)).toEqual([true, false])
  })

  test('a call that fails and costs something says what its tool may cost', () => {
    const walk = new Walk(capped)
    fail(walk, { usd: 0.4, callId: open(walk, 'ask') })
    expect([1, 2, 3].map(() => open(walk, 'ask') !== null)).toEqual([true, true, false])
  })
})

describe('calls with an estimate', () => {
  const low = { estimateMicroUsd: 1 }

  test('an estimate below what the tool has cost holds what it has cost', () => {
    const walk = new Walk(capped)
    walk.report(0.4, open(walk, 'ask'))
    expect([1, 2, 3].map(() => open(walk, 'ask', low) !== null)).toEqual([true, true, false])
  })

  test('an open call holds more once its tool is known to cost more', () => {
    const walk = new Walk(capped)
    const [first, second] = [open(walk, 'ask', low), open(walk, 'ask', low)]
    walk.report(0.5, first)
    expect(open(walk, 'ask', low)).toBeNull()
    walk.report(0.4, second)
    expect(open(walk, 'ask', low)).not.toBeNull()
  })

  test('only what the tool has cost has to fit beside an open call of unknown cost', () => {
    const walk = new Walk(capped)
    walk.report(0.6, open(walk, 'ask'))
    walk.report(0.1, open(walk, 'look'))
    const unknown = open(walk, 'other')
    expect([open(walk, 'ask', low), open(walk, 'look', low)]).toEqual([null, expect.any(String)])
    walk.report(0.1, unknown)
    expect(open(walk, 'ask', low)).not.toBeNull()
  })

  test('an estimate that does not fit is refused, also where the tool has cost more', () => {
    const walk = new Walk(capped)
    walk.report(0.9, open(walk, 'ask'))
    expect(open(walk, 'ask', { estimateMicroUsd: 200_000 })).toBeNull()
    expect(open(walk, 'ask', { estimateMicroUsd: 100_000 })).not.toBeNull()
  })
})

describe('a run with as many open calls that hold money as it can keep', () => {
  /** The first of them is the one that would be forgotten. */
  function crowd(walk = new Walk(capped)) {
    walk.report(0.000001, open(walk, 'ask'))
    const ids = Array.from({ length: openCallsMax }, () => open(walk, 'ask'))
    expect(ids).not.toContain(null)
    return { walk, first: ids[0] ?? null }
  }

  function expectKept({ walk, first }: ReturnType<typeof crowd>): void {
    const before = walk.state().costMicroUsd
    expect(walk.report(0.9, first)).toMatchObject({ kind: 'accepted' })
    expect(walk.state().costMicroUsd).toBe(before + 900_000)
    expectCounted(walk)
  }

  test('lets no call through, whether it holds money or not, until one is reported', () => {
    const { walk, first } = crowd()
    expect([open(walk, 'ask'), open(walk, 'read', { estimateMicroUsd: 0 })]).toEqual([null, null])
    walk.report(0, first)
    expect(open(walk, 'ask')).not.toBeNull()
    expectCounted(walk)
  })

  test('forgets calls that hold nothing first', () => {
    const walk = new Walk(capped)
    walk.report(0.000001, open(walk, 'ask'))
    const first = open(walk, 'ask')
    for (let count = 0; count < openCallsMax; count += 1) {
      open(walk, 'read', { estimateMicroUsd: 0 })
    }
    expectKept({ walk, first })
  })

  test('forgets none of them for calls of Pawl itself, which are never denied', () => {
    const crowded = crowd()
    for (let count = 0; count < 3; count += 1) {
      const own = crowded.walk.call({ ...callOf('pawl_state'), isOwn: true })
      expect(own.verdict).toBe('allow')
      expect(crowded.walk.state().openCalls).toHaveLength(openCallsMax + 1)
    }
    expectKept(crowded)
  })

  test('forgets none of them for a call that a person let through', () => {
    const asking = policyOf({ ask: [{ capability: 'push' }], allow: [{ capability: '*' }] })
    const walk = new Walk(capped, [asking])
    const { callId } = walk.call(callOf('push'))
    walk.decide(true)
    const crowded = crowd(walk)
    expect(walk.report(0.01, callId)).toMatchObject({ kind: 'accepted' })
    expect(walk.state().openCalls).toHaveLength(openCallsMax)
    expect(walk.state().costMicroUsd).toBe(10_001)
    expectKept(crowded)
  })

  test('gives the place of one that was not reported in time to another', () => {
    const { walk } = crowd()
    walk.at += 15 * minuteMs
    expect(open(walk, 'ask')).not.toBeNull()
    expect(walk.state().openCalls).toHaveLength(openCallsMax)
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

const costs = { free: [0], cheap: [70_000, 20_000], dear: [350_000, 100_000] } as const
const dearestMicroUsd = 350_000

/** Which tool is called in which branch, what is said of its cost, and how which call ends. */
const step = fc.record({
  branch: fc.nat(7),
  tool: fc.constantFrom('cheap', 'dear', 'dear', 'free'),
  estimate: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'zero', 'low', 'right'),
  which: fc.nat(1),
  end: fc.constantFrom('ok', 'ok', 'failed', 'failed at a cost'),
  /** The place among the open calls of the one that ends; there may be none. */
  report: fc.nat(20),
})
type Step = (typeof step extends fc.Arbitrary<infer T> ? T : never) & {
  readonly tool: keyof typeof costs
}
const plan = fc.record({
  /** Calls of next to no cost that are open from the beginning to the end. */
  crowd: fc.constantFrom(0, 0, 0, 0, 0, openCallsMax - 1, openCallsMax),
  steps: fc.array(step, { minLength: 20, maxLength: 100 }),
})

/** The calls that hold money are counted as they come and go. */
function expectCounted(walk: Walk): void {
  for (const { state } of walk.family.members) {
    const holding = state.openCalls.filter(({ reserve }) => reserve !== undefined)
    expect(state.holdsCount ?? 0).toBe(holding.length)
  }
}

type StartedCall = {
  readonly callId: string
  readonly branch: string
  readonly tool: string
  /** What it holds at least while it is open; null: unknown so far. */
  most: number | null
  readonly step: Step | null
}

/** Agents that tell the truth as far as they can: no call costs more than it holds. */
class Storm {
  readonly walk = new Walk(forked)
  readonly opened: StartedCall[] = []
  readonly #dearest = new Map<string, number>()
  readonly #all: StartedCall[] = []
  paid = 0

  constructor(crowd: number) {
    this.walk.fire('GO')
    for (let count = 0; count < crowd; count += 1) {
      this.#open('tiny', { branch: 'b0', estimateMicroUsd: 1 })
    }
  }

  begin(step: Step): void {
    const said = { none: undefined, zero: 0, low: 1, right: costs[step.tool][0] }[step.estimate]
    const estimate = said === undefined ? {} : { estimateMicroUsd: said }
    this.#open(step.tool, { branch: `b${step.branch}`, ...estimate }, step)
  }

  #open(
    tool: string,
    said: CallOptions & { readonly branch: string },
    step: Step | null = null,
  ): void {
    const callId = open(this.walk, tool, said)
    const known = [said.estimateMicroUsd, this.#dearest.get(tool)].filter(
      (one) => one !== undefined,
    )
    const most = known.length === 0 ? null : Math.max(...known)
    if (callId === null) return
    const one = { callId, branch: said.branch, tool, most, step }
    this.opened.push(one)
    this.#all.push(one)
  }

  end({ callId, branch, tool, most, step }: StartedCall): void {
    const all = step === null ? [1] : costs[step.tool]
    const whole = step?.end === 'failed' ? 0 : (all[step?.which ?? 0] ?? all[0])
    const cost = Math.min(whole, most ?? whole)
    const isOk = step === null || step.end === 'ok'
    const usd = cost / 1_000_000
    const reply = isOk
      ? this.walk.report(usd, callId, branch)
      : fail(this.walk, { usd, callId, branch })
    // One that holds nothing may be forgotten for another.
    if (most !== 0) expect(reply.kind).toBe('accepted')
    this.paid += cost
    if (isOk || cost > 0) this.#learn(tool, cost)
  }

  /** A call whose cost was unknown holds what its tool costs once that is known. */
  #learn(tool: string, cost: number): void {
    for (const one of this.#all) if (one.tool === tool) one.most ??= cost
    this.#dearest.set(tool, Math.max(cost, this.#dearest.get(tool) ?? 0))
  }
}

const bound =
  'a hundred agents overshoot a shared budget by less than one call, and no cost is lost, as ' +
  'long as no call costs more than it holds'

test(bound, () => {
  fc.assert(
    fc.property(plan, ({ crowd, steps }) => {
      const storm = new Storm(crowd)
      const { walk, opened } = storm
      const crowded = opened.splice(0)
      for (const one of steps) {
        storm.begin(one)
        const [ended] = opened.splice(one.report, 1)
        if (ended !== undefined) storm.end(ended)
        expectCounted(walk)
      }
      for (const one of [...opened, ...crowded]) storm.end(one)
      const spent = walk.family.members.reduce((sum, { state }) => sum + state.costMicroUsd, 0)
      expect(spent).toBe(storm.paid)
      expect(spent).toBeLessThan(1_000_000 + dearestMicroUsd)
    }),
    { numRuns: 100 },
  )
})
