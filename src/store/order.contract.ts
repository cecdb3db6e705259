/** Rules on what happened before, on a store: exact under load, and waiting instead of denying. */
import { describe, expect, test } from 'vitest'
import type { Report } from '../core/engine/types.ts'
import type { JsonObject } from '../core/json.ts'
import { failedCallsIn } from '../core/policy/failed-calls.ts'
import type { CallAnswer, CallRequest } from '../runtime/calls/calls.ts'
import type { Store } from '../runtime/ports.ts'
import { asAgent, type Bench, openBench } from '../runtime/runtime.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

const branches = ['b0', 'b1', 'b2', 'b3'] as const

/** `pay` is limited in number and sum, `push` comes after `tests`, and `ship` after `push`. */
const limited = JSON.stringify({
  id: 'limited',
  initial: 'work',
  policy: {
    allow: [
      { capability: 'pay', count: { max: 7 } },
      { capability: 'send', sum: { of: 'input.amount', max: 50, window_seconds: 3600 } },
      { capability: 'push', after: { capability: 'tests' } },
      { capability: 'ship', after: { capability: 'push' } },
    ],
  },
  states: {
    work: {
      on: {
        SPLIT: {
          fork: {
            join: 'all',
            on_complete: 'end',
            branches: Object.fromEntries(
              branches.map((name) => [name, { initial: `s-${name}`, terminal: `t-${name}` }]),
            ),
          },
        },
      },
    },
    ...Object.fromEntries(
      branches.flatMap((name) => [
        [`s-${name}`, { on: { DONE: `t-${name}` } }],
        [`t-${name}`, { type: 'final' }],
      ]),
    ),
    end: { type: 'final' },
  },
})

type OrderBench = Bench & {
  readonly runId: string
  readonly begin: (
    tool: string,
    more?: Partial<CallRequest> & { readonly waitMs?: number; readonly branch?: string },
  ) => Promise<CallAnswer>
  readonly end: (answer: CallAnswer, how?: Partial<Report>) => Promise<unknown>
  readonly types: () => Promise<readonly string[]>
}

let keys = 0
const failure = { ok: false, exitCode: 1 } as const
const notMade = { ok: false, exitCode: null, wasNotMade: true } as const

async function openRun(store: Store): Promise<OrderBench> {
  const bench = openBench(store)
  const { runtime } = bench
  await runtime.definitions.create({ source: limited, format: 'json' })
  const request = { definition: 'limited', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  return {
    ...bench,
    runId,
    begin: (tool, { waitMs = 0, branch, ...more } = {}) => {
      keys += 1
      const place = { kind: 'run', runId, branch: branch ?? null } as const
      const call: CallRequest = {
        ...{ place, door: 'hook', caller: 'claude:s1', key: `k${keys}` },
        ...{ tool, input: {}, host: 'claude', server: null, cwd: null, estimateMicroUsd: 0 },
        ...more,
      }
      return runtime.calls.begin(call, { actor: asAgent.actor, waitMs })
    },
    end: ({ callId, branch }, how = {}) => {
      const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0, ...how }
      return runtime.calls.end({ runId, branch, callId, report }, asAgent.actor)
    },
    types: async () =>
      (await runtime.readEvents(runId, { after: 2, limit: 500 })).map(({ type }) => type),
  }
}

const isAllowed = ({ state }: CallAnswer): boolean => state === 'allowed'

async function inParallel(
  { begin }: OrderBench,
  calls: readonly {
    readonly tool: string
    readonly branch?: string
    readonly input?: JsonObject
  }[],
): Promise<readonly CallAnswer[]> {
  return Promise.all(calls.map(({ tool, ...more }) => begin(tool, more)))
}

export function orderContract({ store }: Subject): void {
  test('a call that fails again and again is noticed, after a restart too', async () => {
    const bench = await openRun(store())
    const fail = async (): Promise<void> =>
      void (await bench.end(await bench.begin('tests'), failure))
    for (let count = 0; count < 3; count += 1) await fail()
    expect((await bench.begin('tests')).code).toBe('CALL_REPEATED')
    // Another runtime on the same store knows nothing but what is stored.
    const { runtime } = openBench(store())
    const family = await runtime.readFamily(bench.runId)
    const failed = failedCallsIn(family?.meters ?? null)
    expect(failed).toMatchObject([{ count: 3, isTold: true }])
    expect(isAllowed(await bench.begin('tests'))).toBe(true)
  })

  describe('100 parallel calls under limits of what happened before', () => {
    test('exactly as many pass as are allowed, in one run', async () => {
      const bench = await openRun(store())
      const calls = Array.from({ length: 100 }, (_, index) => ({
        tool: index % 2 === 0 ? 'pay' : 'send',
        input: { amount: 5 },
      }))
      const answers = await inParallel(bench, calls)
      const passed = (tool: string): number =>
        answers.filter((one, index) => isAllowed(one) && calls[index]?.tool === tool).length
      expect([passed('pay'), passed('send')]).toEqual([7, 10])
      const codes = new Set(answers.filter((one) => !isAllowed(one)).map(({ code }) => code))
      expect([...codes].sort()).toEqual(['COUNT_EXHAUSTED', 'SUM_EXHAUSTED'])
    })

    test('exactly as many pass as are allowed, also when some are not made', async () => {
      const bench = await openRun(store())
      const { runtime, runId, end } = bench
      const split = { kind: 'signal', name: 'SPLIT', data: null } as const
      await runtime.send(runId, { kind: 'say', utterance: split, branch: null }, asAgent)
      const calls = Array.from({ length: 100 }, (_, index) => ({
        tool: index % 2 === 0 ? 'pay' : 'send',
        input: { amount: 5 },
        branch: branches[index % branches.length] as string,
      }))
      const answers = await inParallel(bench, calls)
      expect(answers.filter(isAllowed)).toHaveLength(17)
      // What fails still counts; what was not made is taken back, and exactly that many pass again.
      const ended = answers.filter(isAllowed).slice(0, 10)
      for (const [index, one] of ended.entries()) await end(one, index < 5 ? failure : notMade)
      const again = await inParallel(bench, calls)
      expect(again.filter(isAllowed)).toHaveLength(5)
    })
  })

  describe('a call whose prerequisite is in flight', () => {
    test('waits for it and is allowed when it has ended well, which is on record', async () => {
      const { begin, end, types } = await openRun(store())
      const tests = await begin('tests')
      const push = begin('push', { waitMs: 30_000 })
      await expect.poll(types).toContain('call.waiting')
      await end(tests)
      expect(await push).toMatchObject({ state: 'allowed' })
      expect(await types()).toEqual([
        ...['call.allowed', 'call.waiting', 'call.reported', 'call.allowed'],
      ])
    })

    test('is denied when it has failed', async () => {
      const { begin, end, types } = await openRun(store())
      const tests = await begin('tests')
      const push = begin('push', { waitMs: 30_000 })
      await expect.poll(types).toContain('call.waiting')
      await end(tests, failure)
      expect(await push).toMatchObject({ state: 'denied', code: 'PREREQUISITE_MISSING' })
    })

    test('waits for it also when it gets here first', async () => {
      const { begin, end, types } = await openRun(store())
      const push = begin('push', { waitMs: 30_000 })
      await expect.poll(types).toContain('call.waiting')
      const tests = await begin('tests')
      await end(tests)
      expect(await push).toMatchObject({ state: 'allowed' })
      expect(await types()).not.toContain('call.denied')
    })

    test('is denied when no such call begins, however many wait with it', async () => {
      const { begin, types } = await openRun(store())
      const pushes = Array.from({ length: 8 }, () => begin('push', { waitMs: 30_000 }))
      const codes = (await Promise.all(pushes)).map(({ code }) => code)
      expect(new Set(codes)).toEqual(new Set(['PREREQUISITE_MISSING']))
      const told = await types()
      expect(told.filter((type) => type === 'call.waiting')).toHaveLength(8)
      expect(told.filter((type) => type === 'call.denied')).toHaveLength(8)
    })

    test('is denied when it cannot wait, or not any longer', async () => {
      const { begin } = await openRun(store())
      await begin('tests')
      expect(await begin('push')).toMatchObject({ code: 'PREREQUISITE_RUNNING' })
      expect(await begin('push', { waitMs: 20 })).toMatchObject({ code: 'PREREQUISITE_RUNNING' })
    })

    test('lets those wait that come after it, in a row', async () => {
      const { begin, end, types } = await openRun(store())
      const tests = await begin('tests')
      const push = begin('push', { waitMs: 30_000 })
      await expect.poll(types).toContain('call.waiting')
      const ship = begin('ship', { waitMs: 30_000 })
      await expect
        .poll(async () => (await types()).filter((type) => type === 'call.waiting').length)
        .toBe(2)
      await end(tests)
      const pushed = await push
      expect(pushed.state).toBe('allowed')
      await end(pushed)
      expect((await ship).state).toBe('allowed')
    })

    test('does not wait for another session, nor from inside of a job', async () => {
      const { begin } = await openRun(store())
      await begin('tests')
      const other = await begin('push', { caller: 'claude:s2', waitMs: 30_000 })
      expect(other.code).toBe('PREREQUISITE_MISSING')
      const job = await begin('push', { door: 'job', caller: '', waitMs: 30_000 })
      expect(job.code).toBe('PREREQUISITE_MISSING')
    })
  })
}
