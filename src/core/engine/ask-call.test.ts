import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { Walk } from './family-builder.contract.ts'

const work = {
  id: 'w',
  initial: 'a',
  states: { a: { on: { GO: 'b', END: 'z' } }, b: { on: { BACK: 'a' } }, z: { type: 'final' } },
}
const asks = policyOf({ ask: [{ capability: 'mcp:dns:*' }] })
const rate_limit = { max_calls: 1, window_seconds: 60 }
const asksOnce = policyOf({ ask: [{ capability: 'mcp:dns:*', rate_limit }] })
const update = (host: string) => callOf('mcp:dns:update', { input: { host, ttl: 5 } })

test('an asked call waits with a question that shows the tool, the input and the rule', () => {
  const walk = new Walk(work, [asks])
  const reply = walk.call(update('a'))
  expect(reply).toMatchObject({ verdict: 'ask', code: null, rule: '/policy/ask/0' })
  const { approval, status } = walk.state()
  expect(status).toBe('waiting')
  expect(approval).toMatchObject({ kind: 'call', pending: { input: { host: 'a', ttl: 5 } } })
  for (const part of ['mcp__dns__update', '{"host":"a","ttl":5}', '/policy/ask/0']) {
    expect(approval?.message).toContain(part)
  }
  expect(reply.reason).toBe(approval?.message)
  expect(walk.last.recorded.map(({ event }) => event.type)).toEqual([
    'call.asked',
    'approval.requested',
  ])
  expect(walk.last.effects).toEqual([{ type: 'notify-person', approvalId: approval?.id }])
})

test('a grant lets the same call through once, whatever the order of its keys', () => {
  const walk = new Walk(work, [asks])
  walk.call(update('a'))
  walk.decide(true)
  expect(walk.state().status).toBe('running')
  const turned = callOf('mcp:dns:update', { input: { ttl: 5, host: 'a' } })
  expect(walk.call(turned).verdict).toBe('allow')
  expect(walk.state().grants).toEqual([])
  expect(walk.call(turned).verdict).toBe('ask')
})

test('a grant covers neither another input nor another tool', () => {
  for (const other of [update('b'), callOf('mcp:dns:drop', { input: { host: 'a', ttl: 5 } })]) {
    const walk = new Walk(work, [asks])
    walk.call(update('a'))
    walk.decide(true)
    expect(walk.call(other).verdict).toBe('ask')
    walk.decide(false)
    expect(walk.call(update('a')).verdict).toBe('allow')
  }
})

test('while a person decides, no call and no signal passes, and no agent decides', () => {
  const walk = new Walk(work, [asks])
  walk.call(update('a'))
  expect(walk.call(callOf('bash')).code).toBe('APPROVAL_PENDING')
  expect(walk.call(update('a')).code).toBe('APPROVAL_PENDING')
  expect(walk.fire('GO')).toMatchObject({ code: 'APPROVAL_PENDING' })
  const grant = { type: 'ResolveApproval', approvalId: null, granted: true, note: '' } as const
  expect(walk.send(grant)).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(walk.state().status).toBe('waiting')
})

test('a refused call is just not made, and the note reaches the agent', () => {
  const walk = new Walk(work, [asks])
  walk.call(update('a'))
  walk.decide(false, 'not on a Friday')
  expect(walk.state()).toMatchObject({ status: 'running', stage: 'a', approval: null })
  expect(walk.state().notice).toContain('not on a Friday')
  expect(walk.state().notice).toContain('mcp__dns__update')
  expect(walk.call(update('a')).verdict).toBe('ask')
})

test('an approval of a call that nobody decides in time counts as refused', () => {
  const walk = new Walk(work, [asks])
  walk.call(update('a'))
  const approvalId = walk.state().approval?.id ?? ''
  walk.send({ type: 'ExpireApproval', approvalId }, { kind: 'system', name: 'clock' })
  expect(walk.state()).toMatchObject({ status: 'running', stage: 'a' })
  expect(walk.call(update('a')).verdict).toBe('ask')
})

test('a grant ends when its stage is left, also when the run comes back', () => {
  const walk = new Walk(work, [asks])
  walk.call(update('a'))
  walk.decide(true)
  walk.fire('GO')
  expect(walk.call(update('a')).verdict).toBe('ask')
  walk.decide(false)
  walk.fire('BACK')
  expect(walk.call(update('a')).verdict).toBe('ask')
})

test('the stage is asked again when a granted call is made', () => {
  const short = { ...work, states: { ...work.states, a: { max_iterations: 1, on: { GO: 'b' } } } }
  const walk = new Walk(short, [asks])
  walk.call(update('a'))
  walk.decide(true)
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
  expect(walk.call(update('a')).code).toBe('CALLS_EXHAUSTED')
})

test('a grant counts against the limit of its rule until it has rolled out of the window', () => {
  const walk = new Walk(work, [asksOnce])
  walk.call(update('a'))
  walk.decide(true)
  expect(walk.call(update('b')).code).toBe('RATE_LIMITED')
  walk.at += 30_000
  expect(walk.call(update('a')).verdict).toBe('allow')
  walk.at += 59_999
  expect(walk.call(update('b')).code).toBe('RATE_LIMITED')
  walk.at += 1
  expect(walk.call(update('b')).verdict).toBe('ask')
})

test('a refused question gives back its place in the window', () => {
  const walk = new Walk(work, [asksOnce])
  walk.call(update('a'))
  walk.decide(false)
  expect(walk.call(update('b')).verdict).toBe('ask')
})

test('a grant that waited too long needs room again', () => {
  const walk = new Walk(work, [asksOnce])
  walk.call(update('a'))
  walk.decide(true)
  walk.at += 60_000
  walk.call(update('b'))
  walk.decide(true)
  expect(walk.call(update('b')).verdict).toBe('allow')
  expect(walk.call(update('a')).code).toBe('RATE_LIMITED')
})

test('a host that holds the call until it is granted reports it without asking again', () => {
  const budget_limit = { max_usd: 1, period: 'daily' } as const
  const policy = policyOf({ ask: [{ capability: 'mcp:*', rate_limit, budget_limit }] })
  const walk = new Walk(work, [policy])
  const { callId } = walk.call(update('a'))
  expect(walk.report(0, callId)).toMatchObject({ code: 'CALL_UNKNOWN' })
  walk.decide(true)
  expect(walk.report(1, callId)).toMatchObject({ kind: 'accepted' })
  expect(walk.report(1, callId)).toMatchObject({ code: 'CALL_UNKNOWN' })
  expect(walk.state()).toMatchObject({ callsCount: 1, costMicroUsd: 1_000_000, openCalls: [] })
  expect(walk.call(update('a')).code).toBe('RATE_LIMITED')
  walk.at += 60_000
  expect(walk.call(update('a')).code).toBe('BUDGET_EXHAUSTED')
})

test('after the end a policy still asks, and the run stays over', () => {
  const walk = new Walk(work, [asks])
  walk.fire('END')
  expect(walk.call(update('a')).verdict).toBe('ask')
  expect(walk.state().status).toBe('completed')
  expect(walk.call(callOf('bash')).code).toBe('APPROVAL_PENDING')
  expect(walk.fire('GO').kind).toBe('refused')
  walk.decide(true)
  expect(walk.state().status).toBe('completed')
  expect(walk.call(update('a')).verdict).toBe('allow')
  expect(walk.call(update('a')).verdict).toBe('ask')
  walk.decide(false)
  expect(walk.state().status).toBe('completed')
})

test('a call asked about during a released pause leaves the run paused as it was', () => {
  const walk = new Walk(work, [asks])
  walk.send({ type: 'PauseRun', release: true }, { kind: 'person', name: 'ann' })
  walk.call(update('a'))
  expect(walk.state().status).toBe('waiting')
  expect(walk.send({ type: 'PauseRun', release: false }).kind).toBe('refused')
  walk.decide(true)
  expect(walk.state().status).toBe('paused')
  expect(walk.send({ type: 'ResumeRun' })).toMatchObject({ code: 'NOT_PERMITTED' })
})

test('a question about a call never takes the place of one about a move', () => {
  const on = { GO: { target: 'b', requires_approval: true } }
  const walk = new Walk({ ...work, states: { ...work.states, a: { on } } }, [asks])
  walk.fire('GO')
  const { approval } = walk.state()
  walk.send({ type: 'PauseRun', release: true }, { kind: 'person', name: 'ann' })
  expect(walk.call(callOf('bash')).verdict).toBe('allow')
  expect(walk.call(update('a')).code).toBe('APPROVAL_PENDING')
  expect(walk.state().approval).toEqual(approval)
})

test('nobody is asked about an input that no person could read', () => {
  const walk = new Walk(work, [asks])
  const text = 'x'.repeat(1_100_000)
  const reply = walk.call(callOf('mcp:dns:update', { input: { text } }))
  expect(reply).toMatchObject({ verdict: 'deny', code: 'POLICY_DENIED', rule: '/policy/ask/0' })
  let deep: JsonObject = {}
  for (let i = 0; i < 20_000; i += 1) deep = { deep }
  expect(walk.call(callOf('mcp:dns:update', { input: deep })).verdict).toBe('deny')
  expect(walk.state().status).toBe('running')
})
