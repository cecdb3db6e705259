/** Rules over a session, on a store: exact over its runs, also at once and after a restart. */
import { describe, expect, test } from 'vitest'
import type { CallAnswer, CallRequest } from '../runtime/calls/calls.ts'
import type { Store } from '../runtime/ports.ts'
import { asAgent, asPerson, type Bench, openBench } from '../runtime/runtime.contract.ts'
import { sessionRunsMax } from '../runtime/sessions/session-history.ts'
import type { Subject } from './store-under-test.contract.ts'

const limited = JSON.stringify({
  id: 'limited',
  initial: 'work',
  policy: {
    allow: [
      { capability: 'pay', count: { max: 7, scope: 'session' } },
      { capability: 'push', after: { capability: 'tests', scope: 'session' } },
    ],
  },
  states: { work: { on: { END: 'end' } }, end: { type: 'final' } },
})

let keys = 0
const fresh = (what: string): string => `${what}${keys++}`

type Sessions = Bench & {
  readonly start: (session?: string) => Promise<string>
  readonly begin: (runId: string, tool: string, more?: Partial<CallRequest>) => Promise<CallAnswer>
  readonly end: (answer: CallAnswer) => Promise<unknown>
}

async function openSessions(store: Store): Promise<Sessions> {
  const bench = openBench(store)
  const { runtime } = bench
  if ((await store.findDefinition('limited', '')) === null) {
    await runtime.definitions.create({ source: limited, format: 'json' })
  }
  return {
    ...bench,
    start: async (session) => {
      const request = { definition: 'limited', task: null, stage: null, vars: {}, workspace: null }
      const whose = session === undefined ? {} : { session }
      return (await runtime.start({ ...request, ...whose }, asPerson)).runId
    },
    begin: (runId, tool, more = {}) =>
      runtime.calls.begin(
        {
          ...{ place: { kind: 'run', runId, branch: null }, door: 'hook', caller: 'claude:s' },
          ...{ key: fresh('k'), tool, input: {}, host: 'claude', server: null, cwd: null },
          ...{ estimateMicroUsd: 0, ...more },
        },
        { actor: asAgent.actor, waitMs: 0 },
      ),
    end: ({ callId, runId, branch }) => {
      const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0 }
      return runtime.calls.end({ runId: runId ?? '', branch, callId, report }, asAgent.actor)
    },
  }
}

const isAllowed = ({ state }: CallAnswer): boolean => state === 'allowed'

export function sessionOrderContract({ store }: Subject): void {
  describe('rules over a session', () => {
    test('100 calls at once in four of its runs: exactly as many pass as are allowed', async () => {
      const { start, begin } = await openSessions(store())
      const caller = fresh('claude:')
      const runs = [await start(), await start(), await start(), await start()]
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          begin(runs[index % runs.length] ?? '', 'pay', { caller }),
        ),
      )
      expect(answers.filter(isAllowed)).toHaveLength(7)
      const codes = answers.filter((one) => !isAllowed(one)).map(({ code }) => code)
      expect(new Set(codes)).toEqual(new Set(['COUNT_EXHAUSTED']))
    })

    test('what it did before is known after a restart, and when its claims are gone', async () => {
      const first = await openSessions(store())
      const caller = fresh('claude:')
      const ended = await first.start(caller)
      for (let count = 0; count < 5; count += 1) await first.begin(ended, 'pay', { caller })
      await first.end(await first.begin(ended, 'tests', { caller }))
      await first.runtime.sessions.releaseSession(caller)
      const second = await openSessions(store())
      const next = await second.start(caller)
      expect(await second.begin(next, 'push', { caller })).toMatchObject({ state: 'allowed' })
      const paid = [1, 2, 3].map(() => second.begin(next, 'pay', { caller }))
      expect((await Promise.all(paid)).filter(isAllowed)).toHaveLength(2)
    })

    test('a call by another door belongs to the session that has the run', async () => {
      const { start, begin, end } = await openSessions(store())
      const caller = fresh('claude:')
      const runId = await start(caller)
      await end(await begin(runId, 'tests', { caller }))
      const other = { door: 'gateway', caller: 'g' } as const
      expect(await begin(runId, 'push', other)).toMatchObject({ state: 'allowed' })
      const nobodys = await start()
      const denied = await begin(nobodys, 'push', other)
      expect(denied).toMatchObject({ state: 'denied', code: 'PREREQUISITE_MISSING' })
      expect(denied.reason).toContain('it is not known which session')
    })

    test('another session does not rest on what this one did', async () => {
      const { start, begin, end } = await openSessions(store())
      const caller = fresh('claude:')
      const runId = await start()
      await end(await begin(runId, 'tests', { caller }))
      expect(await begin(runId, 'push', { caller })).toMatchObject({ state: 'allowed' })
      const other = await begin(runId, 'push', { caller: fresh('claude:') })
      expect(other).toMatchObject({ code: 'PREREQUISITE_MISSING' })
    })

    test('after too many runs, or when one is removed, nothing counts as known', async () => {
      const { start, begin } = await openSessions(store())
      const [busy, old] = [fresh('claude:'), fresh('claude:')]
      for (let count = 0; count < sessionRunsMax; count += 1) {
        expect((await begin(await start(), 'free', { caller: busy })).state).toBe('allowed')
      }
      const denied = await begin(await start(), 'pay', { caller: busy })
      expect(denied.reason).toContain('too many runs')
      const gone = await start()
      await begin(gone, 'pay', { caller: old })
      await store().removeRuns([gone])
      expect((await begin(await start(), 'pay', { caller: old })).reason).toContain('removed')
    })
  })
}
