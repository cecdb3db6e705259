/** The life of a call on a store: its current state, for every caller, also after a crash. */
import { describe, expect, test } from 'vitest'
import type { CallRequest } from '../runtime/calls/calls.ts'
import type { Store } from '../runtime/ports.ts'
import { asAgent, asPerson, type Bench, openBench } from '../runtime/runtime.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

/** `deploy` waits for a person, everything else of the stage is free. */
const release = JSON.stringify({
  id: 'calls',
  initial: 'work',
  policy: { ask: [{ capability: 'deploy' }, { capability: 'publish' }], default: 'allow' },
  states: {
    work: { allowed_tools: ['deploy', 'publish', 'look', 'process_run'], on: { NEXT: 'rest' } },
    rest: { allowed_tools: ['look'], on: { DONE: 'end' } },
    end: { type: 'final' },
  },
})

type CallsBench = Bench & {
  readonly runId: string
  readonly call: (tool: string, more?: Partial<CallRequest>) => CallRequest
  readonly begin: (
    request: CallRequest,
    waitMs?: number,
  ) => ReturnType<Bench['runtime']['calls']['begin']>
  readonly decide: (approvalId: string | null, granted: boolean, note?: string) => Promise<unknown>
  readonly types: () => Promise<readonly string[]>
}

async function openRun(store: Store): Promise<CallsBench> {
  const bench = openBench(store)
  const { runtime } = bench
  const offer = await runtime.definitions.create({ source: release, format: 'json' })
  expect(offer.ok).toBe(true)
  const request = { definition: 'calls', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  const place = { kind: 'run', runId, branch: null } as const
  return {
    ...bench,
    runId,
    call: (tool, more = {}) => ({
      ...{ place, door: 'api', caller: 'agent', key: 'k1', sameAs: 'key' },
      ...{ tool, input: { to: 'prod' }, host: 'claude', server: null, cwd: null },
      estimateMicroUsd: 0,
      ...more,
    }),
    begin: (one, waitMs = 0) => runtime.calls.begin(one, { actor: asAgent.actor, waitMs }),
    decide: (id, granted, note = '') =>
      runtime.resolve(id ?? '', { granted, note, hash: null, edits: null }, asPerson),
    types: async () =>
      (await runtime.readEvents(runId, { after: 2, limit: 99 })).map(({ type }) => type),
  }
}

const fine = { ok: true, output: 'done', exitCode: 0, bytes: 4, costMicroUsd: 3 }

export function callsContract({ store }: Subject): void {
  describe('a call under a key that is known', () => {
    test('is unsure when it was allowed and never reported, also for another daemon', async () => {
      const { begin, call, again } = await openRun(store())
      const first = await begin(call('look'))
      expect(first).toMatchObject({ state: 'allowed', input: { to: 'prod' } })
      const second = await begin(call('look'))
      expect(second).toMatchObject({ state: 'unsure', code: 'CALL_UNSURE', callId: first.callId })
      const options = { actor: asAgent.actor, waitMs: 0 }
      expect(await again().calls.begin(call('look'), options)).toMatchObject({ state: 'unsure' })
    })

    test('is done once it was reported, with how it ended', async () => {
      const { runtime, runId, begin, call } = await openRun(store())
      const { callId } = await begin(call('look'))
      const ended = { runId, branch: null, callId, report: fine }
      expect(await runtime.calls.end(ended, asAgent.actor)).toBe('ended')
      expect(await begin(call('look'))).toMatchObject({
        ...{ state: 'done', code: 'CALL_DONE', callId },
        report: { ok: true, exitCode: 0, bytes: 4, costMicroUsd: 3 },
      })
      expect(await runtime.calls.end(ended, asAgent.actor)).toBe('unknown')
    })

    test('is one call for all who ask at once', async () => {
      const { begin, call } = await openRun(store())
      const answers = await Promise.all(Array.from({ length: 20 }, () => begin(call('look'))))
      const states = answers.map(({ state }) => state)
      expect(states.filter((state) => state === 'allowed')).toHaveLength(1)
      expect(states.filter((state) => state === 'unsure')).toHaveLength(19)
    })

    test('is denied when it is another call', async () => {
      const { begin, call } = await openRun(store())
      await begin(call('look'))
      const other = await begin(call('look', { input: { to: 'elsewhere' } }))
      expect(other).toMatchObject({ state: 'denied', code: 'REQUEST_INVALID' })
    })

    test('is allowed again only to its holder, or in the same attempt', async () => {
      const { begin, call } = await openRun(store())
      const held = call('look', { door: 'job', holder: 'one' })
      const { callId } = await begin(held)
      expect(await begin(held)).toMatchObject({ state: 'allowed', callId, input: { to: 'prod' } })
      expect(await begin({ ...held, holder: 'two' })).toMatchObject({ state: 'unsure' })
      const tried = call('look', { key: 'k2', attempt: 'a' })
      const first = await begin(tried)
      expect(await begin(tried)).toMatchObject({ state: 'allowed', callId: first.callId })
      expect(await begin({ ...tried, attempt: 'b' })).toMatchObject({ state: 'unsure' })
    })

    test('gets a lost answer in its stage only, since another may forbid it', async () => {
      const { begin, call, runtime, runId } = await openRun(store())
      const tried = call('look', { attempt: 'a' })
      expect(await begin(tried)).toMatchObject({ state: 'allowed' })
      const utterance = { kind: 'message', name: 'NEXT', data: null, stage: null, goTo: null }
      const next = { kind: 'say', utterance, branch: null } as Parameters<typeof runtime.send>[1]
      await runtime.send(runId, next, asAgent)
      expect(await begin(tried)).toMatchObject({ state: 'unsure' })
    })

    test('stays denied', async () => {
      const { begin, call } = await openRun(store())
      const first = await begin(call('format'))
      expect(first).toMatchObject({ state: 'denied', code: 'TOOL_NOT_ALLOWED' })
      const again = await begin(call('format'))
      expect(again).toMatchObject({ state: 'denied', reason: first.reason })
    })
  })

  describe('a call that waits for a person', () => {
    test('names its approval, waits under its key, and passes once under the same id', async () => {
      const { begin, call, decide, types } = await openRun(store())
      const asked = await begin(call('deploy'))
      expect(asked).toMatchObject({ state: 'pending', verdict: 'ask' })
      const { approvalId, callId } = asked
      expect(await begin(call('deploy'))).toMatchObject({ state: 'pending', approvalId, callId })
      await decide(approvalId, true)
      expect(await begin(call('deploy'))).toMatchObject({ state: 'allowed', callId, approvalId })
      expect(await begin(call('deploy'))).toMatchObject({ state: 'unsure', callId })
      expect((await types()).filter((type) => type === 'approval.requested')).toHaveLength(1)
    })

    test('is refused for good under its key, with who refused it and why', async () => {
      const { begin, call, decide, types } = await openRun(store())
      const { approvalId } = await begin(call('deploy'))
      await decide(approvalId, false, 'not on a Friday')
      for (let times = 0; times < 3; times += 1) {
        const told = await begin(call('deploy'))
        expect(told).toMatchObject({
          ...{ state: 'refused', code: 'APPROVAL_REFUSED', approvalId },
          refusal: { by: 'ada', note: 'not on a Friday' },
        })
      }
      expect((await types()).filter((type) => type === 'approval.requested')).toHaveLength(1)
    })

    test('is told of a refusal before the same contents are asked about again', async () => {
      const { begin, call, decide } = await openRun(store())
      const { approvalId } = await begin(call('deploy'))
      await decide(approvalId, false, 'no')
      const told = await begin(call('deploy', { key: 'k2' }))
      expect(told).toMatchObject({ state: 'refused', approvalId, refusal: { note: 'no' } })
      const anew = await begin(call('deploy', { key: 'k3' }))
      expect(anew).toMatchObject({ state: 'pending' })
      expect(anew.approvalId).not.toBe(approvalId)
    })

    test.each([
      ['granted', true, 'allowed'],
      ['refused', false, 'refused'],
    ])('is answered as soon as it is %s', async (_, granted, state) => {
      const { begin, call, decide, runtime, runId } = await openRun(store())
      const answer = begin(call('deploy'), 5_000)
      const approvalId = await pendingOf(runtime, runId)
      await decide(approvalId, granted)
      expect(await answer).toMatchObject({ state, approvalId })
    })

    test('is pending when the time is over or its caller is gone', async () => {
      const { begin, call, runtime } = await openRun(store())
      expect(await begin(call('deploy'), 20)).toMatchObject({ state: 'pending' })
      const signal = AbortSignal.timeout(20)
      const options = { actor: asAgent.actor, waitMs: 60_000, signal }
      expect(await runtime.calls.begin(call('deploy'), options)).toMatchObject({ state: 'pending' })
    })

    test('does not take the place of another question when its grant has run out', async () => {
      const { begin, call, decide, pass, runtime } = await openRun(store())
      const { approvalId } = await begin(call('deploy'))
      await decide(approvalId, true)
      pass(3_600_001)
      const other = await begin(call('publish', { key: 'k2' }))
      const late = await begin(call('deploy', { key: 'k3' }))
      expect(late).toMatchObject({ state: 'denied', code: 'APPROVAL_PENDING' })
      expect((await runtime.readApproval(other.approvalId ?? '')).status).toBe('pending')
    })

    test('is granted to its caller alone', async () => {
      const { begin, call, decide } = await openRun(store())
      const { approvalId } = await begin(call('deploy'))
      await decide(approvalId, true)
      for (const door of ['job', 'hook', 'gateway', 'proxy'] as const) {
        const other = await begin(call('deploy', { door, key: door }))
        expect(other, door).toMatchObject({ state: 'pending' })
        await decide(other.approvalId, false)
      }
      const mine = await begin(call('deploy', { key: 'k2' }))
      expect(mine).toMatchObject({ state: 'allowed', approvalId })
    })
  })

  describe('calls beside one that waits', () => {
    test('wait in their order and are judged after it', async () => {
      const { begin, call, decide, runtime, runId } = await openRun(store())
      const order: string[] = []
      const named = async (key: string, tool: string): Promise<void> => {
        const { state } = await begin(call(tool, { key, input: { key } }), 10_000)
        order.push(`${key} ${state}`)
      }
      const first = named('1', 'deploy')
      const approvalId = await pendingOf(runtime, runId)
      const rest = [named('2', 'look'), named('3', 'look'), named('4', 'publish')]
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(order).toEqual([])
      await decide(approvalId, true)
      await Promise.all([first, rest[0], rest[1]])
      expect(order.toSorted()).toEqual(['1 allowed', '2 allowed', '3 allowed'])
      expect(order.indexOf('2 allowed')).toBeLessThan(order.indexOf('3 allowed'))
      await decide(await pendingOf(runtime, runId, approvalId), false)
      await rest[2]
      expect(order.at(-1)).toBe('4 refused')
    })

    test('do not hold up a call that a person has let through meanwhile', async () => {
      const { begin, call, decide } = await openRun(store())
      const { approvalId } = await begin(call('deploy'))
      await decide(approvalId, true)
      const next = await begin(call('publish', { key: 'k2' }))
      expect(next).toMatchObject({ state: 'pending' })
      expect(await begin(call('deploy'))).toMatchObject({ state: 'allowed', approvalId })
      const other = await begin(call('look', { key: 'k3' }))
      expect(other).toMatchObject({ state: 'denied', code: 'APPROVAL_PENDING' })
    })

    test('are denied when they cannot wait any longer', async () => {
      const { begin, call } = await openRun(store())
      await begin(call('deploy'))
      const late = await begin(call('look', { key: 'k2' }), 20)
      expect(late).toMatchObject({ state: 'denied', code: 'APPROVAL_PENDING' })
    })
  })

  describe('a decision at the prompt of a host', () => {
    test('is granted, used and reported in one command', async () => {
      const { begin, call, runtime, runId } = await openRun(store())
      const { sameAs: _, ...fromHook } = call('deploy', { door: 'hook', caller: 'claude:s' })
      await begin(fromHook)
      const ended = {
        runId,
        branch: null,
        callId: null,
        report: fine,
        grantedAtPrompt: 'the prompt',
      }
      const whose = { door: 'hook', caller: 'claude:s', key: 'k1' } as const
      expect(await runtime.calls.end({ ...ended, ...whose }, asAgent.actor)).toBe('ended')
      const records = (await runtime.readEvents(runId, { after: 0, limit: 99 })).slice(-3)
      const types = records.map(({ type }) => type)
      expect(types).toEqual(['approval.granted', 'call.allowed', 'call.reported'])
      expect(new Set(records.map(({ commandId }) => commandId)).size).toBe(1)
    })

    test('decides no call of another session', async () => {
      const { begin, call, runtime, runId } = await openRun(store())
      const { sameAs: _, ...fromHook } = call('deploy', { door: 'hook', caller: 'claude:s' })
      const { approvalId } = await begin(fromHook)
      const ended = {
        runId,
        branch: null,
        callId: null,
        report: fine,
        grantedAtPrompt: 'the prompt',
      }
      for (const caller of ['claude:other', '']) {
        const forged = { ...ended, door: 'hook', caller, key: 'k1' } as const
        expect(await runtime.calls.end(forged, asAgent.actor)).toBe('unknown')
      }
      expect((await runtime.readApproval(approvalId ?? '')).status).toBe('pending')
    })
  })

  test('a fault while a call waits is a denial; a run that is not there is a fault', async () => {
    const { again, call } = await openRun(store())
    const broken = again({ ...store(), readApproval: () => Promise.reject(new Error('away')) })
    const options = { actor: asAgent.actor, waitMs: 100 }
    const denied = await broken.calls.begin(call('deploy'), options)
    expect(denied).toMatchObject({ state: 'denied', code: 'INTERNAL', reason: 'away' })
    const gone = { kind: 'run', runId: 'gone', branch: null } as const
    const missing = broken.calls.begin(call('look', { place: gone }), options)
    await expect(missing).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
  })

  test('whoever watches is told of every call, by door, host and decision', async () => {
    const { runtime, begin, call } = await openRun(store())
    const seen: unknown[] = []
    const stop = runtime.calls.observe(({ door, host, decision, code }) =>
      seen.push([door, host, decision, code]),
    )
    await begin(call('look'))
    await begin(call('format', { door: 'hook', host: 'codex', key: null }))
    stop()
    await begin(call('look', { key: 'k9' }))
    expect(seen).toEqual([
      ['api', 'claude', 'allowed', null],
      ['hook', 'codex', 'denied', 'TOOL_NOT_ALLOWED'],
    ])
  })
}

/** The approval that waits in a run, as soon as there is one other than `before`. */
async function pendingOf(
  runtime: Bench['runtime'],
  runId: string,
  before: string | null = null,
): Promise<string> {
  for (let tries = 0; tries < 500; tries += 1) {
    const query = { runId, status: 'pending', after: null, limit: 1 } as const
    const [row] = (await runtime.listApprovals(query)).items
    if (row !== undefined && row.id !== before) return row.id
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('nothing waits')
}
