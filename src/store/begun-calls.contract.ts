/** Approved calls of gateways on a store: the holder makes a call, and nobody makes it twice. */
import { describe, expect, test } from 'vitest'
import { callLeaseMs, leaseCollection } from '../runtime/calls/leases.ts'
import type { GatewayCall } from '../runtime/gateway/gateway-port.ts'
import type { Store } from '../runtime/ports.ts'
import { asAgent, asPerson, type Bench, openBench } from '../runtime/runtime.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

const asking = JSON.stringify({
  id: 'files',
  initial: 'work',
  policy: { ask: [{ capability: 'mcp:fs:write_file' }], allow: [{ capability: '*' }] },
  states: {
    work: { allowed_tools: ['mcp__fs__write_file'], on: { DONE: 'end' } },
    end: { type: 'final' },
  },
})

const write: GatewayCall = {
  ...{ workspace: '/work', runId: null, mark: null, last: null, holder: 'one' },
  server: { server: 'fs', tool: 'write_file' },
  input: { path: 'a.md', content: 'x' },
  estimateMicroUsd: 7,
}
const byAnother = { ...write, holder: 'two' }

type Begun = Bench & { readonly made: { readonly runId: string; readonly callId: string } }

/** A call that a person has agreed to and that `one` has begun. */
async function openBegun(store: Store): Promise<Begun> {
  const bench = openBench(store)
  const { runtime } = bench
  await runtime.definitions.create({ source: asking, format: 'json' })
  const request = { definition: 'files', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  const asked = await runtime.gateway.check(write, asAgent)
  const decision = { granted: true, note: '', hash: null, edits: null }
  await runtime.resolve(asked.approvalId ?? '', decision, asPerson)
  const begun = await runtime.gateway.check(write, asAgent)
  expect(begun).toMatchObject({ verdict: 'allow', runId })
  return { ...bench, made: { runId, callId: begun.callId ?? '' } }
}

const ended = { branch: null, ok: true, output: null, bytes: 4, costMicroUsd: 5 }
const inDoubt = { verdict: 'deny', code: 'CALL_UNSURE' }

export function begunCallsContract({ store }: Subject): void {
  describe('approved calls that were begun', () => {
    test('are reported by their holder and nobody else', async () => {
      const { runtime, made, pass } = await openBegun(store())
      const { gateway } = runtime
      for (const wait of [0, callLeaseMs]) {
        pass(wait)
        const foreign = gateway.report({ ...ended, ...made, holder: 'two' }, asAgent)
        await expect(foreign).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
        const renewal = gateway.renew({ ...made, holder: 'two' })
        await expect(renewal).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
      }
      expect((await runtime.readHead(made.runId))?.costMicroUsd).toBe(0)
      await gateway.report({ ...ended, ...made, holder: 'one' }, asAgent)
      expect((await runtime.readHead(made.runId))?.costMicroUsd).toBe(5)
      expect(await gateway.check(byAnother, asAgent)).toMatchObject({ verdict: 'ask' })
      expect(await store().countDocuments(leaseCollection, '')).toBe(0)
    })

    test('are written off by nobody while the lease lives, and are in doubt after it', async () => {
      const { runtime, made, pass } = await openBegun(store())
      const { gateway } = runtime
      for (let count = 0; count < 3; count += 1) {
        pass(callLeaseMs - 1)
        const meanwhile = await gateway.check(byAnother, asAgent)
        expect(meanwhile).toMatchObject(inDoubt)
        expect(meanwhile.reason).toContain('already running')
        expect(await gateway.renew({ ...made, holder: 'one' })).toBe(true)
      }
      pass(callLeaseMs)
      const told = await gateway.check(byAnother, asAgent)
      expect(told).toMatchObject({ ...inDoubt, callId: made.callId })
      expect(told.hint).toContain('may have happened')
      expect((await runtime.readHead(made.runId))?.costMicroUsd).toBe(7)
      expect(await gateway.check(byAnother, asAgent)).toMatchObject({ verdict: 'ask' })
      // The first process was alive after all: its word comes too late and harms nothing.
      expect(await gateway.renew({ ...made, holder: 'one' })).toBe(false)
      await gateway.report({ ...ended, ...made, holder: 'one' }, asAgent)
      expect(await gateway.check(byAnother, asAgent)).toMatchObject({ verdict: 'ask' })
    })

    test('are not written off when they are renewed at the last moment', async () => {
      const { runtime, made, pass, again } = await openBegun(store())
      pass(callLeaseMs)
      const renewal = { ...made, holder: 'one' }
      const late = again({
        ...store(),
        writeDocuments: async (changes) => {
          await runtime.gateway.renew(renewal)
          return store().writeDocuments(changes)
        },
      })
      const meanwhile = await late.gateway.check(byAnother, asAgent)
      expect(meanwhile).toMatchObject(inDoubt)
      expect(meanwhile.reason).toContain('already running')
      await runtime.gateway.report({ ...ended, ...renewal }, asAgent)
      expect((await runtime.readHead(made.runId))?.costMicroUsd).toBe(5)
    })

    test('whose writing off was cut short are written off by the next', async () => {
      const { runtime, made, pass, again } = await openBegun(store())
      pass(callLeaseMs)
      const broken = again({ ...store(), commit: () => Promise.reject(new Error('killed')) })
      expect((await broken.gateway.check(byAnother, asAgent)).verdict).toBe('deny')
      pass(callLeaseMs)
      const told = await runtime.gateway.check(byAnother, asAgent)
      expect(told).toMatchObject({ ...inDoubt, callId: made.callId })
      expect((await runtime.readHead(made.runId))?.costMicroUsd).toBe(7)
    })

    test('of which only the lease was left behind are other calls at the next try', async () => {
      const { runtime, made, pass, again } = await openBegun(store())
      // Killed after the report was kept and before the lease was taken away.
      const broken = again({
        ...store(),
        writeDocuments: () => Promise.reject(new Error('killed')),
      })
      const report = { ...ended, ...made, holder: 'one' }
      await expect(broken.gateway.report(report, asAgent)).rejects.toThrow('killed')
      pass(callLeaseMs)
      expect(await runtime.gateway.check(byAnother, asAgent)).toMatchObject({ verdict: 'ask' })
    })

    test('that are renewed while they are reported leave no lease', async () => {
      const { runtime, made } = await openBegun(store())
      const { gateway } = runtime
      const renewals = Array.from({ length: 3 }, () => gateway.renew({ ...made, holder: 'one' }))
      await gateway.report({ ...ended, ...made, holder: 'one' }, asAgent)
      await Promise.all(renewals)
      expect(await store().countDocuments(leaseCollection, '')).toBe(0)
      expect(await gateway.check(write, asAgent)).toMatchObject({ verdict: 'ask' })
    })
  })
}
