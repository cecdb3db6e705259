/** Several people have to agree, each of them once, and never the one who asked. */
import { expect, test } from 'vitest'
import { compileDefinition } from '../dialects/compile-definition.ts'
import type { JsonObject } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { sourceOf } from '../source/source.ts'
import { decide } from './decide.ts'
import { unborn } from './evolve.ts'
import { machineOf, Walk } from './family-builder.contract.ts'
import type { Actor, Command, Decision, RunState } from './types.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const named = (name: string): Actor => ({ kind: 'person', name })

function workflow(approvals: JsonObject, more: JsonObject = {}): JsonObject {
  const ship = { target: 'done', approval_message: 'ship?', approvals, ...more }
  return { id: 'w', initial: 'a', states: { a: { on: { SHIP: ship } }, done: { type: 'final' } } }
}

type Table = {
  readonly tell: (command: Command, actor: Actor) => Decision
  readonly state: () => RunState
  readonly events: string[]
}

function open(machine: Machine): Table {
  let state: RunState = unborn
  const events: string[] = []
  const tell: Table['tell'] = (command, actor) => {
    const decision = decide({ machine, envelope: { runId: 'r', at: 1, actor } }, state, command)
    state = decision.state
    events.push(...decision.events.map((event) => event.type))
    return decision
  }
  tell({ type: 'StartRun', stage: null, vars: {}, branch: null }, agent)
  return { tell, state: () => state, events }
}

const ship: Command = {
  type: 'SendSignal',
  name: 'SHIP',
  data: { version: '1' },
  expectStage: null,
  goTo: null,
}
const say = (granted: boolean, more: object = {}): Command => ({
  type: 'ResolveApproval',
  approvalId: null,
  granted,
  note: '',
  ...more,
})

test('a move that two people have to approve waits for the second one', () => {
  const { tell, state, events } = open(machineOf(workflow({ needed: 2, from: ['ada', 'bob'] })))
  tell(ship, agent)
  expect(state().approval?.message).toBe('ship? (needs approval from 2 of ada, bob)')
  expect(tell(say(true, { note: 'fine' }), named('ada')).reply).toEqual({ kind: 'accepted' })
  expect(state()).toMatchObject({ status: 'waiting', stage: 'a' })
  expect(state().approval?.endorsements).toEqual([{ by: named('ada'), note: 'fine' }])
  expect(tell(say(true), named('bob')).reply).toEqual({ kind: 'accepted' })
  expect(state()).toMatchObject({ status: 'completed', stage: 'done', approval: null })
  expect(events.filter((type) => type.startsWith('approval'))).toEqual([
    'approval.requested',
    'approval.endorsed',
    'approval.granted',
  ])
})

test('the same person does not count twice, and nobody outside the list counts', () => {
  const { tell, state } = open(machineOf(workflow({ needed: 2, from: ['ada', 'bob'] })))
  tell(ship, agent)
  tell(say(true), named('ada'))
  for (const who of ['ada', 'eve', 'Bob', '']) {
    expect(tell(say(true), named(who)).reply).toMatchObject({ code: 'NOT_PERMITTED' })
  }
  expect(tell(say(true), agent).reply).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(state().approval?.endorsements).toHaveLength(1)
})

test('the person who asked can not approve, and can still say no', () => {
  const { tell, state } = open(machineOf(workflow({ needed: 1 })))
  tell(ship, named('ada'))
  expect(tell(say(true), named('ada')).reply).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(state().status).toBe('waiting')
  tell(say(false), named('ada'))
  expect(state()).toMatchObject({ status: 'running', stage: 'a', approval: null })
})

test('the first refusal refuses, also after somebody has approved', () => {
  const { tell, state } = open(machineOf(workflow({ needed: 3 })))
  tell(ship, agent)
  tell(say(true), named('ada'))
  tell(say(false, { note: 'not today' }), named('bob'))
  expect(state()).toMatchObject({ status: 'running', stage: 'a', approval: null })
  expect(state().notice).toBe('bob refused: not today')
})

test('what several people approve is changed by none of them', () => {
  const gate = { approval_editable: ['version'] }
  const { tell, state } = open(machineOf(workflow({ needed: 2 }, gate)))
  tell(ship, agent)
  const reply = tell(say(true, { edits: { version: '2' } }), named('ada')).reply
  expect(reply).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(state().approval?.endorsements).toBeUndefined()
})

const plain = {
  a: { on: { SHIP: { target: 'done', requires_approval: true } } },
  done: { type: 'final' },
}

test('a gate without a word about people asks as it always did', () => {
  const { tell, state } = open(machineOf({ ...workflow({}), states: plain }))
  tell(ship, named('ada'))
  expect(state().approval).not.toHaveProperty('quorum')
  expect(state().approval).not.toHaveProperty('askedBy')
  tell(say(true), named('ada'))
  expect(state().status).toBe('completed')
})

test('a process may ask for several people as well', () => {
  const answers = { Yes: { next: null, action: 'notify_human', approvals: { needed: 2 } } }
  const states = { a: { question: 'Done?', answers } }
  const { tell, state } = open(machineOf({ name: 'p', initial: 'a', states }))
  tell({ ...ship, name: 'Yes', data: null } as Command, agent)
  tell(say(true), named('ada'))
  expect(state().status).toBe('waiting')
  tell(say(true), named('bob'))
  expect(state().status).toBe('completed')
})

function codes(definition: JsonObject): readonly string[] {
  const { findings } = compileDefinition(sourceOf(definition))
  return findings.filter((one) => one.severity === 'error').map((one) => one.code)
}

test('people that can never be enough are an error of the definition', () => {
  expect(codes(workflow({ needed: 3, from: ['ada', 'bob', 'ada'] }))).toContain('VALUE_CONFLICT')
  expect(codes(workflow({ needed: 2 }, { requires_approval: false }))).toContain('VALUE_CONFLICT')
  expect(codes(workflow({ needed: 0 }))).toContain('LIMIT_INVALID')
  const policy = { ask: [{ capability: 'bash', approvals: { needed: 2, from: ['ada'] } }] }
  expect(codes({ ...workflow({ needed: 1 }), policy })).toContain('VALUE_CONFLICT')
  const answers = { Yes: { next: null, action: 'complete', approvals: { needed: 2 } } }
  const states = { a: { question: 'Done?', answers } }
  expect(codes({ name: 'p', initial: 'a', states })).toContain('VALUE_CONFLICT')
})

const work = { id: 'w', initial: 'a', states: { a: { on: { END: 'z' } }, z: { type: 'final' } } }
const drop = callOf('mcp:dns:drop', { input: { host: 'a' } })

test('of several rules that ask about a call, the strictest people have to agree', () => {
  const wide = policyOf({
    ask: [{ capability: '*' }, { capability: 'mcp:*', approvals: { needed: 2 } }],
  })
  const from = ['ada', 'bob', 'eve']
  const named = policyOf({ allow: [{ capability: 'mcp:dns:*', approvals: { needed: 1, from } }] })
  const walk = new Walk(work, [wide, named])
  expect(walk.call(drop).verdict).toBe('ask')
  expect(walk.state().approval?.quorum).toEqual({ needed: 2, from })
  // `ann` decides here, who is not on the list.
  expect(walk.decide(true)).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(walk.call(drop).code).toBe('APPROVAL_PENDING')
})

test('a call that nobody could ever approve is denied at once', () => {
  const policies = ['ada', 'bob'].map((name) =>
    policyOf({ ask: [{ capability: 'mcp:*', approvals: { needed: 1, from: [name] } }] }),
  )
  const walk = new Walk(work, policies)
  expect(walk.call(drop)).toMatchObject({ verdict: 'deny', code: 'POLICY_DENIED' })
  expect(walk.state().approval).toBeNull()
})

test('a rule about people counts on no meter, and lets a granted call through once', () => {
  const walk = new Walk(work, [
    policyOf({ ask: [{ capability: 'mcp:*', approvals: { needed: 1, from: ['ann'] } }] }),
  ])
  walk.call(drop)
  expect(walk.state().approval?.pending).toMatchObject({ meters: [] })
  walk.decide(true)
  expect(walk.call(drop).verdict).toBe('allow')
  const allowed = walk.last.recorded.at(-1)?.event
  expect(allowed).toMatchObject({ type: 'call.allowed' })
  expect(allowed).not.toHaveProperty('quorum')
  expect(walk.call(drop).verdict).toBe('ask')
})
