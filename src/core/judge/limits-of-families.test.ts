import fc from 'fast-check'
import { expect, test } from 'vitest'
import { machineOf, Walk } from '../engine/family-builder.contract.ts'
import type { Policy } from '../machine/machine.ts'
import { anyName, anyPolicy, callOf, policyOf } from '../policy/policy-builder.contract.ts'

const bash = callOf('bash')
const plain = {
  id: 'w',
  initial: 'a',
  states: { a: { on: { GO: 'b', END: 'z' } }, b: { on: { END: 'z' } }, z: { type: 'final' } },
}
const forked = {
  id: 'f',
  initial: 'a',
  states: {
    a: {
      on: {
        GO: {
          fork: {
            branches: {
              l: { initial: 'l1', terminal: 'l2' },
              r: { initial: 'r1', terminal: 'r2' },
            },
            on_complete: 'z',
          },
        },
      },
    },
    l1: { on: { OK: 'l2' } },
    l2: { type: 'final' },
    r1: { on: { OK: 'r2' } },
    r2: { type: 'final' },
    z: { on: { END: 'y' } },
    y: { type: 'final' },
  },
}
const checklist = (more: object) => ({
  name: 'list',
  initial: 'q',
  states: { q: { question: 'Fine?', answers: { yes: { next: null, action: 'complete' } } } },
  ...more,
})

function paced(max_calls: number): Policy {
  return policyOf({
    allow: [{ capability: 'bash', rate_limit: { max_calls, window_seconds: 60 } }],
  })
}

test('of n calls at once a limit of k lets exactly k through, in whatever branches', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.constantFrom('l', 'r', null), { maxLength: 16 }),
      (k, branches) => {
        const walk = new Walk(forked, [paced(k)])
        walk.fire('GO')
        const verdicts = branches.map((branch) => walk.call(bash, branch).verdict)
        const passed = verdicts.filter((verdict) => verdict === 'allow').length
        expect(passed).toBe(Math.min(k, branches.length))
        expect(verdicts.lastIndexOf('allow')).toBeLessThan(k)
      },
    ),
    { numRuns: 100 },
  )
})

test('a limit of the definition is shared by its branches, too', () => {
  const policy = {
    allow: [{ capability: 'bash', rate_limit: { max_calls: 1, window_seconds: 9 } }],
  }
  const walk = new Walk({ ...forked, policy })
  walk.fire('GO')
  expect(walk.call(bash, 'l').verdict).toBe('allow')
  expect(walk.call(bash, 'r')).toMatchObject({ verdict: 'deny', code: 'RATE_LIMITED' })
})

test('the calls that a whole run may make are not multiplied by a fork', () => {
  const walk = new Walk({ ...forked, meta: { calls_max: 2 } })
  expect(walk.call(bash).verdict).toBe('allow')
  walk.fire('GO')
  expect(walk.call(bash, 'l').verdict).toBe('allow')
  expect(walk.call(bash, 'r')).toMatchObject({ verdict: 'deny', code: 'CALLS_EXHAUSTED' })
})

test('the session budget of a run includes what its children spend', () => {
  const child = machineOf(checklist({ name: 'child' }))
  const parent = machineOf({
    ...plain,
    states: { ...plain.states, a: { on: { GO: { invoke: 'child', on_complete: 'b' } } } },
  })
  const limits = { microUsdMax: 1_000_000, callsMax: null }
  const walk = new Walk(plain, [], new Map([['child', child]]))
  const main = walk.family.members[0]
  if (main === undefined) throw new Error('bug: no main run')
  walk.family = { ...walk.family, members: [{ ...main, machine: { ...parent, limits } }] }
  walk.fire('GO')
  expect(walk.call(bash).verdict).toBe('allow')
  walk.report(1)
  expect(walk.call(bash)).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
  walk.answer('yes')
  expect(walk.state().stage).toBe('b')
  expect(walk.call(bash)).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXHAUSTED' })
  expect(walk.fire('END').kind).toBe('accepted')
})

test('while a child runs, its policy holds and those of the runs that wait for it do too', () => {
  const child = machineOf(checklist({ policy: { deny: [{ capability: 'bash' }] } }))
  const parent = {
    ...plain,
    states: { ...plain.states, a: { on: { GO: { invoke: 'list', on_complete: 'b' } } } },
    policy: { deny: [{ capability: 'mcp:x:*' }] },
  }
  const walk = new Walk(parent, [], new Map([['list', child]]))
  expect(walk.call(bash).verdict).toBe('allow')
  walk.fire('GO')
  expect(walk.call(bash).code).toBe('POLICY_DENIED')
  expect(walk.call(callOf('mcp:x:y')).code).toBe('POLICY_DENIED')
  walk.answer('yes')
  expect(walk.call(bash).verdict).toBe('allow')
  expect(walk.call(callOf('mcp:x:y')).code).toBe('POLICY_DENIED')
})

test('a limit is not refilled by invoking the same child again', () => {
  const policy = {
    allow: [{ capability: 'bash', rate_limit: { max_calls: 1, window_seconds: 9 } }],
  }
  const child = machineOf(checklist({ policy }))
  const invoke = { on: { GO: { invoke: 'list', on_complete: 'a' } } }
  const loop = {
    id: 'loop',
    initial: 'a',
    states: { a: { on: { ...invoke.on, END: 'z' } }, z: { type: 'final' } },
  }
  const walk = new Walk(loop, [], new Map([['list', child]]))
  walk.fire('GO')
  expect(walk.call(bash).verdict).toBe('allow')
  walk.answer('yes')
  walk.fire('GO')
  expect(walk.call(bash).code).toBe('RATE_LIMITED')
})

test('every policy laid over a run needs room, each on a meter of its own', () => {
  const walk = new Walk(plain, [paced(3), paced(2)])
  const verdicts = [1, 2, 3].map(() => walk.call(bash).verdict)
  expect(verdicts).toEqual(['allow', 'allow', 'deny'])
})

test('a denied call costs nothing, and a failed one does', () => {
  const policy = policyOf({
    allow: [{ capability: '*', rate_limit: { max_calls: 2, window_seconds: 60 } }],
    deny: [{ capability: 'web' }],
  })
  const walk = new Walk(plain, [policy])
  for (const _ of [1, 2, 3]) expect(walk.call(callOf('web')).code).toBe('POLICY_DENIED')
  expect(walk.call(bash).verdict).toBe('allow')
  const report = { ok: false, output: null, exitCode: 1, bytes: 0, costMicroUsd: 0 }
  walk.send({ type: 'ReportCall', callId: null, report })
  expect(walk.call(bash).verdict).toBe('allow')
  expect(walk.call(bash).code).toBe('RATE_LIMITED')
})

test('a report that would give back money or bytes is refused, and changes nothing', () => {
  const walk = new Walk(plain)
  walk.call(bash)
  const before = walk.state()
  for (const costMicroUsd of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd }
    const reply = walk.send({ type: 'ReportCall', callId: null, report })
    expect(reply).toMatchObject({ kind: 'refused', code: 'DATA_INVALID' })
  }
  const report = { ok: true, output: null, exitCode: 0, bytes: -5, costMicroUsd: 0 }
  expect(walk.send({ type: 'ReportCall', callId: null, report }).kind).toBe('refused')
  expect(walk.state()).toEqual(before)
  expect(walk.report(0.25)).toMatchObject({ kind: 'accepted' })
})

test('adding a policy never makes an answer softer', () => {
  const rank = { allow: 0, ask: 1, deny: 2 }
  fc.assert(
    fc.property(fc.array(anyPolicy, { maxLength: 3 }), anyPolicy, anyName, (some, more, name) => {
      const call = callOf(name, { tool: name })
      const before = new Walk(plain, some).call(call).verdict
      const after = new Walk(plain, [...some, more]).call(call).verdict
      expect(rank[after]).toBeGreaterThanOrEqual(rank[before])
    }),
    { numRuns: 300 },
  )
})

test('in a final stage and during a released pause only policies speak', () => {
  const closed = {
    ...plain,
    states: { ...plain.states, a: { allowed_tools: ['Read'], on: { END: 'z' } } },
  }
  const policy = policyOf({ deny: [{ capability: 'web' }] })
  const done = new Walk(closed, [policy])
  expect(done.call(bash).code).toBe('TOOL_NOT_ALLOWED')
  done.fire('END')
  expect(done.call(bash).verdict).toBe('allow')
  expect(done.call(callOf('web')).code).toBe('POLICY_DENIED')
  const released = new Walk(closed, [policy])
  released.send({ type: 'PauseRun', release: true }, { kind: 'person', name: 'ann' })
  expect(released.call(bash).verdict).toBe('allow')
  expect(released.call(callOf('web')).code).toBe('POLICY_DENIED')
})

test('the tools with which the agent answers are never policed', () => {
  const walk = new Walk(plain, [policyOf({ default: 'deny', deny: [{ capability: '*' }] })])
  expect(walk.call(callOf('mcp:pawl:pawl_signal', { isOwn: true })).verdict).toBe('allow')
})

test('a decision costs the same with one rule and with ten thousand', () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => ({ capability: `mcp:s${i}:tool_${i}*` }))
  const policy = policyOf({ deny: rules, ask: rules, allow: [{ capability: 'bash' }] })
  const walk = new Walk(plain, [policy])
  expect(walk.call(bash)).toMatchObject({ verdict: 'allow', rule: '/policy/allow/0' })
  expect(walk.call(callOf('mcp:s777:tool_777x')).rule).toBe('/policy/deny/777')
})
