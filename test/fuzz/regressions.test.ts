import { expect, test } from 'vitest'
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import type { Family, FamilyDecision } from '../../src/core/engine/family.ts'
import { commandFamily, mainOf, startFamily } from '../../src/core/engine/family.ts'
import type { Actor, Command } from '../../src/core/engine/types.ts'
import type { Json } from '../../src/core/json.ts'
import { readSource } from '../../src/core/source/read-source.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const ada: Actor = { kind: 'person', name: 'ada' }

function compiled(definition: Json): ReturnType<typeof compileDefinition> {
  const { root } = readSource(JSON.stringify(definition))
  if (root === null) throw new Error('bug: the text cannot be read')
  return compileDefinition(root)
}

function start(definition: Json): Family {
  const [machine] = compiled(definition).machines
  if (machine === undefined) throw new Error('bug: the definition does not start')
  const command = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const context = { library: () => undefined, at: 0, actor: agent }
  return startFamily({ runId: 'r', machine }, command, context).family
}

function send(family: Family, command: Command, actor: Actor): FamilyDecision {
  const context = { library: () => undefined, at: 1, actor }
  return commandFamily(family, { command, branch: null }, context)
}

const signal = (name: string): Command => ({
  type: 'SendSignal',
  name,
  data: null,
  expectStage: null,
  goTo: null,
})

const codes = (definition: Json): string[] => compiled(definition).findings.map((one) => one.code)

const twoStages: Json = {
  id: 'w',
  initial: 'a',
  states: { a: { on: { GO: 'z' } }, z: { type: 'final' } },
}

test('a run that was cancelled while it was paused cannot be resumed', () => {
  const paused = send(start(twoStages), { type: 'PauseRun', release: false }, agent).family
  const over = send(paused, { type: 'CancelRun', reason: 'enough' }, ada).family
  const { reply, family } = send(over, { type: 'ResumeRun' }, agent)
  expect(reply).toMatchObject({ kind: 'refused', code: 'RUN_NOT_RUNNING' })
  expect(mainOf(family).state.status).toBe('cancelled')
})

test('an agent that pauses while a person is asked cannot resume past the refusal', () => {
  const gate: Json = {
    name: 'gate',
    initial: 'a',
    states: {
      a: { question: 'q', answers: { yes: { next: 'b', action: 'notify_human' } } },
      b: { question: 'q', answers: { yes: { next: null, action: 'complete' } } },
    },
  }
  const asked = send(start(gate), signal('yes'), agent).family
  const paused = send(asked, { type: 'PauseRun', release: false }, agent).family
  const no = { type: 'ResolveApproval', approvalId: null, granted: false, note: '' } as const
  const blocked = send(paused, no, ada).family
  expect(mainOf(blocked).state.status).toBe('blocked')
  const { reply, family } = send(blocked, { type: 'ResumeRun' }, agent)
  expect(reply).toMatchObject({ kind: 'refused', code: 'RUN_NOT_RUNNING' })
  expect(mainOf(family).state.status).toBe('blocked')
})

const forked: Json = {
  id: 'w',
  initial: 'a',
  states: {
    a: {
      on: {
        GO: { fork: { branches: { left: { initial: 'b', terminal: 'z' } }, on_complete: 'z' } },
      },
    },
    b: { on: { DONE: 'z' } },
    z: { type: 'final' },
  },
}

test('a branch below a paused run is refused as paused, not as unknown', () => {
  const opened = send(start(forked), signal('GO'), agent).family
  const ready = send(opened, signal('DONE'), agent).family
  const paused = send(ready, { type: 'PauseRun', release: false }, agent).family
  const { reply } = send(paused, { type: 'FinishBranch', branch: 'left' }, agent)
  expect(reply).toMatchObject({ kind: 'refused', code: 'RUN_NOT_RUNNING' })
})

const events = (count: number): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`E${index}`, 'z']))

// Each of these asked for gigabytes: what is written once is part of everything inside it.
test('a name of a hundred thousand letters is refused before it is multiplied', () => {
  const name = 'n'.repeat(100_000)
  const states = { [name]: { on: events(9_000) }, z: { type: 'final' } }
  expect(codes({ id: 'w', initial: name, states })).toEqual(['SIZE_EXCEEDED'])
})

test('a name of five hundred letters is still a name', () => {
  const name = 'n'.repeat(500)
  const states = { [name]: { on: events(3) }, z: { type: 'final' } }
  expect(compiled({ id: 'w', initial: name, states }).machines).toHaveLength(1)
})

test('a large value of a guard that every transition names is refused', () => {
  const guards = { g: { field: 'x', op: 'eq', value: 'v'.repeat(100_000) } }
  const on = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`E${index}`, { target: 'z', guard: 'g' }]),
  )
  const states = { a: { on }, z: { type: 'final' } }
  const { machines, findings } = compiled({ id: 'w', initial: 'a', guards, states })
  expect(machines).toEqual([])
  expect(findings.map((one) => one.code)).toEqual(['SIZE_EXCEEDED'])
})

test('more interrupts than can be followed are refused, and two hundred are not', () => {
  const interrupts = (count: number): Json =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `i${index}`,
        { trigger: { file_pattern: `f${index}` }, target: 'a' },
      ]),
    )
  const states = { a: { on: { BACK: '$return', END: 'z' } }, z: { type: 'final' } }
  const many = { id: 'w', initial: 'a', states, interrupts: interrupts(201) }
  expect(codes(many)).toContain('SIZE_EXCEEDED')
  expect(compiled({ ...many, interrupts: interrupts(200) }).machines).toHaveLength(1)
})

// Twenty such rules took nine seconds: every beginning of each was looked up in the other tiers.
test('a capability of twenty thousand letters is refused', () => {
  const states = { q: { question: 'q', answers: { yes: { next: null, action: 'complete' } } } }
  const policy = { allow: [{ capability: 'a'.repeat(20_000) }] }
  expect(compiled({ name: 'p', initial: 'q', states, policy }).machines).toEqual([])
})
