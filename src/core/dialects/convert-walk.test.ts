/** What is converted without loss lets an agent do the same: both are walked side by side. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compiled, dialects, known } from '../../../test/known-definitions.contract.ts'
import { decide } from '../engine/decide.ts'
import type { Command, Decision, RunState } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import type { DialectName, Machine } from '../machine/machine.ts'
import { readCall } from '../tools/read-call.ts'
import { convertMachine } from './convert.ts'

function act(machine: Machine, state: RunState | null, command: Command): Decision {
  const actor =
    command.type === 'ResolveApproval'
      ? ({ kind: 'person', name: 'ada' } as const)
      : ({ kind: 'agent', name: 'agent' } as const)
  return decide({ machine, envelope: { runId: 'r', at: 0, actor } }, state, command)
}

const begin: Command = { type: 'StartRun', stage: null, vars: {}, branch: null }

function send(name: string, data: JsonObject | null = null): Command {
  return { type: 'SendSignal', name, data, expectStage: null, goTo: null }
}

/** The same word of the agent, as a form hears it when it was no form before. */
function sendTo(machine: Machine, source: Machine, name: string): Command {
  const isSame = machine.dialect !== 'steps' || source.dialect === 'steps'
  return isSame ? send(name) : send('submit', { choice: name })
}

const tools = ['Read', 'Edit', 'Bash', 'mcp__fs__write_file']

/** What an agent would notice of a run. */
function seen(machine: Machine, state: RunState): JsonObject {
  const verdicts = tools.map((tool) => {
    const input = tool === 'Bash' ? { command: 'ls' } : { file_path: 'a.ts', content: 'x' }
    const call = readCall({ tool, input }, { machine, workspace: '/workspace' })
    const { reply } = act(machine, state, { type: 'CheckCall', call })
    return `${tool} ${reply.kind === 'verdict' ? reply.verdict : reply.kind}`
  })
  const hasEnded = state.status !== 'running' && state.status !== 'waiting'
  // An end may have no stage of its own in the other dialect.
  return { status: state.status, stage: hasEnded ? '' : state.stage, verdicts }
}

const walkedMax = 400

/** Sends every signal of every reachable stage, and one that nobody knows, to both. */
function walkBoth(source: Machine, converted: Machine): number {
  const one = act(source, null, begin)
  const other = act(converted, null, begin)
  const open: [RunState, RunState][] = [[one.state, other.state]]
  const visited = new Set<string>()
  let sentCount = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [left, right] = next
    expect(seen(converted, right)).toEqual(seen(source, left))
    const key = `${left.stage} ${left.status}`
    if (visited.has(key) || visited.size > walkedMax) continue
    visited.add(key)
    const names = Object.keys(source.stages[left.stage]?.signals ?? {})
    for (const name of [...names, 'NOBODY_KNOWS']) {
      const was = act(source, left, sendTo(source, source, name))
      const is = act(converted, right, sendTo(converted, source, name))
      sentCount += 1
      expect(is.reply.kind, `${name} in ${left.stage}`).toBe(was.reply.kind)
      open.push([was.state, is.state])
    }
  }
  return sentCount
}

const plainWorkflow = {
  id: 'plain',
  initial: 'a',
  context: { limit: 3, 'is-new': true, vars: 'x' },
  min_isolation: 'isolated',
  policy: { deny: [{ capability: 'bash' }] },
  paths: { read: ['/tmp/**'] },
  states: {
    a: { instructions: 'Begin.', on: { GO: 'b', "IT'S OVER": 'done', 'a`b\\"c': 'c' } },
    b: { on: { BACK: 'a', ON: { target: 'c' }, STAY: 'b' } },
    c: { on: { END: 'done' } },
    done: { type: 'final' },
  },
}

const toolWorkflow = {
  id: 'tools',
  initial: 'none',
  states: {
    none: { allowed_tools: [], on: { A: 'some', B: 'all' } },
    some: {
      allowed_tools: ['Read', 'Edit', 'Bash'],
      disallowed_tools: ['Bash'],
      on: { A: 'all', END: 'end' },
    },
    all: { on: { A: 'stuck', B: 'none', END: 'end' } },
    stuck: {},
    end: { type: 'final' },
  },
}

const bareForm = {
  id: 'bare',
  tool: { name: 'submit_form' },
  start: 'manual',
  variables: [{ name: 'a', value: 1 }],
  steps: [
    { id: 'ONE', goal: 'First.', instructions: ['Then this.'], next: ['TWO'] },
    { id: 'TWO', goal: 'Second.', tools: { allow: ['submit_form', 'Read'] }, next: ['THREE'] },
    { id: 'THREE', goal: 'Third.', tools: { allow: [] } },
  ],
}

const closedProcess = { name: 'notice', initial: 'n', states: { n: { question: 'All is well.' } } }

const valueless = (workflow: typeof plainWorkflow): JsonObject => {
  const { context: _, ...rest } = workflow
  return rest
}

const kept: readonly (readonly [what: string, definition: JsonObject, to: DialectName])[] = [
  ['a workflow as a process', valueless(plainWorkflow), 'process'],
  ['a workflow as a form', plainWorkflow, 'steps'],
  ['a workflow with tool lists as a form', toolWorkflow, 'steps'],
  ['a form without inputs as a workflow', bareForm, 'workflow'],
  ['a closed process as a workflow', closedProcess, 'workflow'],
]

test.each(kept)('%s lets the agent do exactly the same', (_, definition, to) => {
  const source = compiled(definition)
  const { definition: printed, losses } = convertMachine(source, to)
  expect(losses).toEqual([])
  const converted = compiled(printed)
  expect(converted.dialect).toBe(to)
  // The policy stands at the same place in every dialect.
  const heldBy = ({ policy, paths, minIsolation }: Machine) => [policy, paths, minIsolation]
  expect(heldBy(converted)).toEqual(heldBy(source))
  const stages = Object.values(source.stages)
  const signals = stages.flatMap((stage) => Object.keys(stage.signals))
  expect(walkBoth(source, converted)).toBeGreaterThan(signals.length)
})

test('whatever is converted without loss is the same to the agent', () => {
  let count = 0
  for (const { machine } of known) {
    for (const to of dialects) {
      const { definition, losses } = convertMachine(machine, to)
      if (to === machine.dialect || losses.length > 0) continue
      count += 1
      walkBoth(machine, compiled(definition))
    }
  }
  expect(count).toBeGreaterThan(20)
})

const stageNames = ['a', 'b c', "it's", '`d`', 'é'] as const
const eventNames = ['GO', 'go', "it's", '`tick`', '"quote"', 'back\\slash', 'é', 'a b'] as const
const anyStage = fc.constantFrom(...stageNames)

/** Workflows of plain events and tool lists, with names that are awkward to write. */
const plainWorkflows = fc.record({
  id: fc.constantFrom('w', 'plain-1'),
  initial: anyStage,
  states: fc
    .tuple(
      ...stageNames.map(() =>
        fc.record(
          {
            on: fc.dictionary(fc.constantFrom(...eventNames), anyStage, { minKeys: 1 }),
            allowed_tools: fc.subarray(['Read', 'Edit', 'Bash']),
            disallowed_tools: fc.constant(['Bash']),
          },
          { requiredKeys: ['on'] },
        ),
      ),
      anyStage,
    )
    .map(([...parts]) => {
      const last = parts.pop() as string
      const states = stageNames.map((name, index): [string, JsonObject] => [
        name,
        name === last ? { type: 'final' } : (parts[index] as JsonObject),
      ])
      return Object.fromEntries(states)
    }),
})

test('so it is for plain workflows that nobody wrote', () => {
  const runsMax = Number(process.env.PAWL_CONVERT_RUNS ?? 100)
  let count = 0
  const property = fc.property(plainWorkflows, (definition) => {
    const source = compiled(definition as JsonObject)
    for (const to of ['process', 'steps'] as const) {
      const { definition: printed, losses } = convertMachine(source, to)
      if (losses.length > 0) continue
      count += 1
      walkBoth(source, compiled(printed))
    }
  })
  fc.assert(property, { numRuns: runsMax })
  expect(count).toBeGreaterThan(runsMax / 8)
}, 600_000)

test('a workflow keeps its values when it becomes a form', () => {
  const { definition } = convertMachine(compiled(plainWorkflow), 'steps')
  expect(compiled(definition).vars).toEqual(plainWorkflow.context)
})

test('a list of no tools does not become a list of all tools in a form', () => {
  const { definition } = convertMachine(compiled(toolWorkflow), 'steps')
  const steps = definition.steps as JsonObject[]
  expect(steps.map((step) => step.tools)).toEqual([
    { allow: ['submit'] },
    { allow: ['Read', 'Edit'] },
    undefined,
    undefined,
  ])
})

test('the tool that submits a form is no tool of the host in a workflow', () => {
  const form = { ...bareForm, steps: [{ ...bareForm.steps[1], next: [] }] }
  form.steps[0] = { ...form.steps[0], tools: { allow: ['submit_form'] } } as never
  const { definition } = convertMachine(compiled(form as unknown as JsonObject), 'workflow')
  expect(definition.states).toMatchObject({ TWO: { allowed_tools: [] } })
})

test('what is told once becomes part of the first stage, when no run comes back there', () => {
  const process = {
    name: 'p',
    initial: 'a',
    initial_prompt: 'Be careful.',
    states: { a: { question: 'Ready?', answers: { yes: { next: 'b' } } }, b: { question: 'Bye.' } },
  }
  const { definition, losses } = convertMachine(compiled(process), 'workflow')
  expect(definition.states).toMatchObject({ a: { instructions: 'Be careful.\n\nReady?' } })
  expect(losses.map((one) => one.what)).toEqual([
    'a workflow has no matching of answers that ignores case and surrounding spaces',
  ])
})

test('with guards, a form takes the same ways once the values were there before', () => {
  const workflow = {
    id: 'guarded',
    initial: 'a',
    context: { score: 7 },
    guards: {
      high: { field: 'score', op: 'gte', value: 9 },
      fair: { field: 'score', op: 'gte', value: 5 },
      named: { field: 'name', op: 'exists' },
    },
    states: {
      a: {
        on: {
          END: [{ target: 'done', guard: 'high' }, { target: 'b', guard: 'fair' }, { target: 'c' }],
          NAME: [{ target: 'done', guards: ['named', 'fair'] }],
        },
      },
      b: { on: { END: 'done' } },
      c: { on: { END: 'done' } },
      done: { type: 'final' },
    },
  }
  const source = compiled(workflow)
  const converted = compiled(convertMachine(source, 'steps').definition)
  for (const [vars, name] of [
    [{ score: 9 }, 'END'],
    [{ score: 5 }, 'END'],
    [{ score: 1 }, 'END'],
    [{ score: '9' }, 'END'],
    [{ name: 'x' }, 'NAME'],
  ] as const) {
    const start: Command = { ...begin, vars } as Command
    const was = act(source, act(source, null, start).state, send(name))
    const is = act(converted, act(converted, null, start).state, send('submit', { choice: name }))
    expect(seen(converted, is.state), JSON.stringify(vars)).toEqual(seen(source, was.state))
  }
  // Where the workflow refuses, the form begins the step anew: never does it complete.
  const start: Command = { ...begin, vars: { name: 'x', score: 1 } } as Command
  const is = act(converted, act(converted, null, start).state, send('submit', { choice: 'NAME' }))
  expect([is.state.status, is.state.stage]).toEqual(['running', 'a'])
})
