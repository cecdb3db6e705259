import { expect, test } from 'vitest'
import type { Policy } from '../../core/machine/machine.ts'
import { policyOf } from '../../core/policy/policy-builder.contract.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import type { Store } from '../ports.ts'
import { asAgent, asPerson, openBench } from '../runtime.contract.ts'
import type { CallRequest } from './calls.ts'

const source = JSON.stringify({
  id: 'calls',
  initial: 'work',
  policy: { ask: [{ capability: 'deploy' }, { capability: 'publish' }], default: 'allow' },
  states: {
    work: {
      allowed_tools: ['deploy', 'publish', 'look', 'mcp__s__send'],
      on: { NEXT: 'rest', GATE: { target: 'rest', requires_approval: true } },
    },
    rest: { allowed_tools: ['look', 'deploy'], on: { DONE: 'end', BACK: 'work' } },
    end: { type: 'final' },
  },
})
const fine = { ok: true, output: 'done', exitCode: 0, bytes: 4, costMicroUsd: 3 }

async function open(store: Store = openMemoryStore(), text = source, policies: Policy[] = []) {
  const bench = openBench(store, policies)
  const { runtime } = bench
  const offer = await runtime.definitions.create({ source: text, format: 'json' })
  expect(offer, JSON.stringify(offer)).toMatchObject({ ok: true })
  const request = { definition: 'calls', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  const place = { kind: 'run', runId, branch: null } as const
  const call = (tool: string, more: Partial<CallRequest> = {}): CallRequest => ({
    ...{ place, door: 'api', caller: 'agent', key: 'k1', sameAs: 'key' },
    ...{ tool, input: { to: 'prod' }, host: 'claude', server: null, cwd: null },
    estimateMicroUsd: 0,
    ...more,
  })
  const begin = (one: CallRequest, waitMs = 0) =>
    runtime.calls.begin(one, { actor: asAgent.actor, waitMs })
  const decide = (id: string | null, granted: boolean) =>
    runtime.resolve(id ?? '', { granted, note: '', hash: null, edits: null }, asPerson)
  const types = async () =>
    (await runtime.readEvents(runId, { after: 0, limit: 9999 })).map(({ type }) => type)
  return { ...bench, runId, call, begin, decide, types }
}

test('a done call is not let through again under its key, also if asked about first', async () => {
  const policies = [policyOf({ ask: [{ capability: 'look' }] })]
  const { begin, call, decide, runtime, runId, pass } = await open(
    openMemoryStore(),
    source,
    policies,
  )
  const asked = await begin(call('look'))
  expect(asked.state).toBe('pending')
  await decide(asked.approvalId, true)
  pass(3_600_001)
  policies.length = 0
  const made = await begin(call('look'))
  expect(made.state).toBe('allowed')
  await runtime.calls.end({ runId, branch: null, callId: made.callId, report: fine }, asAgent.actor)
  expect((await begin(call('look'))).state).toBe('done')
})

test('a done call is not asked about once more after its first grant had run out', async () => {
  const { begin, call, decide, runtime, runId, pass } = await open()
  const asked = await begin(call('deploy'))
  await decide(asked.approvalId, true)
  pass(3_600_001)
  const anew = await begin(call('deploy'))
  expect(anew.state).toBe('pending')
  await decide(anew.approvalId, true)
  const made = await begin(call('deploy'))
  expect(made.state).toBe('allowed')
  await runtime.calls.end({ runId, branch: null, callId: made.callId, report: fine }, asAgent.actor)
  expect((await begin(call('deploy'))).state).toBe('done')
})

test('a call that could not wait is judged when it is asked about again', async () => {
  const { begin, call, decide } = await open()
  const asked = await begin(call('deploy'))
  const sibling = call('look', { key: 'k2', input: { a: 1 } })
  expect(await begin(sibling)).toMatchObject({ state: 'denied', code: 'APPROVAL_PENDING' })
  await decide(asked.approvalId, true)
  expect(await begin(sibling)).toMatchObject({ state: 'allowed' })
})

test('a call denied while the run was paused is judged again after it goes on', async () => {
  const { begin, call, runtime, runId } = await open()
  await runtime.send(runId, { kind: 'pause', release: false }, asPerson)
  expect(await begin(call('look'))).toMatchObject({ state: 'denied', code: 'RUN_NOT_RUNNING' })
  await runtime.send(runId, { kind: 'resume' }, asPerson)
  expect(await begin(call('look'))).toMatchObject({ state: 'allowed' })
})

test('a decision between two looks is not slept over', async () => {
  const store = openMemoryStore()
  let approve: (() => Promise<unknown>) | null = null
  const slow: Store = {
    ...store,
    readHead: async (runId) => {
      const now = approve
      approve = null
      if (now !== null) await now()
      return store.readHead(runId)
    },
  }
  const { begin, call, runtime, runId, decide } = await open(slow)
  const first = await begin(call('deploy'))
  approve = () => decide(first.approvalId, true)
  const started = performance.now()
  expect(await begin(call('deploy'), 60_000)).toMatchObject({ state: 'allowed' })
  expect(performance.now() - started).toBeLessThan(30_000)
  void runtime
  void runId
})

test('the same key and holder with other contents is not let through unjudged', async () => {
  const { call, begin } = await open()
  const from = { door: 'gateway', caller: '', sameAs: 'contents', holder: 'h', key: 'g1' } as const
  expect(await begin(call('look', from))).toMatchObject({ state: 'allowed' })
  const other = await begin(call('format_disk', { ...from, input: { all: true } }))
  expect(other.state).toBe('unsure')
})

test('a grant that has run out is not used by a report', async () => {
  const { call, begin, decide, runtime, runId, pass, types } = await open()
  const { sameAs: _, ...hook } = call('deploy', { door: 'hook', caller: 'claude:s' })
  const asked = await begin(hook)
  await decide(asked.approvalId, true)
  pass(3_600_001)
  const ended = { runId, branch: null, callId: null, report: fine }
  const whose = { door: 'hook', caller: 'claude:s', key: 'k1' } as const
  expect(await runtime.calls.end({ ...ended, ...whose }, asAgent.actor)).toBe('unknown')
  expect(await types()).not.toContain('call.allowed')
})

test('a grant of a session is not used by a report of somebody else (runs.report)', async () => {
  const { call, begin, decide, runtime, runId } = await open()
  const { sameAs: _, ...hook } = call('deploy', { door: 'hook', caller: 'claude:s' })
  const asked = await begin(hook)
  await decide(asked.approvalId, true)
  const report = { kind: 'report', callId: null, report: fine, branch: null } as const
  const { reply } = await runtime.send(runId, report, asAgent)
  expect(reply.kind).toBe('refused')
  expect(await begin({ ...hook, key: 'k2' })).toMatchObject({ state: 'allowed' })
})

test('a call whose wire broke while it waited behind another one still waits', async () => {
  const { begin, call, decide, runtime } = await open()
  const asked = await begin(call('deploy'))
  const sibling = call('look', { key: 'k2', attempt: 'a', input: { a: 1 } })
  const signal = AbortSignal.timeout(20)
  // The wire breaks, and the client sends the same again, as the same attempt.
  await runtime.calls.begin(sibling, { actor: asAgent.actor, waitMs: 60_000, signal })
  const again = begin(sibling, 5_000)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await decide(asked.approvalId, true)
  expect(await again).toMatchObject({ state: 'allowed' })
})

test('a caller that is gone does not stay in the queue of siblings', async () => {
  const { begin, call, runtime } = await open()
  await begin(call('deploy'))
  void begin(call('look', { key: 'k2', input: { a: 1 } }), 60_000)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const signal = AbortSignal.timeout(20)
  const started = performance.now()
  const third = call('look', { key: 'k3', input: { a: 2 } })
  await runtime.calls.begin(third, { actor: asAgent.actor, waitMs: 60_000, signal })
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('where a person has lifted the rules, no call waits behind a question', async () => {
  const { begin, call, runtime, runId } = await open()
  await begin(call('deploy'))
  await runtime.send(runId, { kind: 'pause', release: true }, asPerson)
  const started = performance.now()
  const free = await begin(call('look', { key: 'k2', input: { a: 1 } }), 60_000)
  expect(free.state).toBe('allowed')
  expect(performance.now() - started).toBeLessThan(30_000)
})

test.each(['cancel', 'pause'] as const)('an answer is not given again after %s', async (kind) => {
  const { begin, call, runtime, runId } = await open()
  const job = call('look', { door: 'job', caller: '', holder: 'runner' })
  expect(await begin(job)).toMatchObject({ state: 'allowed' })
  // The daemon dies before the job has begun; a person ends or pauses the run; the client resends.
  const intent = kind === 'cancel' ? { kind, reason: '' } : { kind, release: false }
  await runtime.send(runId, intent as never, asPerson)
  expect(await begin(job)).toMatchObject({ state: 'unsure' })
})
