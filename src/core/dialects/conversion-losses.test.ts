/** Each thing that a dialect cannot say is named, at its place; what it can say is not. */
import { expect, test } from 'vitest'
import { compiled } from '../../../test/known-definitions.contract.ts'
import type { Json, JsonObject } from '../json.ts'
import type { DialectName } from '../machine/machine.ts'
import { convertMachine, type Loss } from './convert.ts'

function lossesOf(definition: JsonObject, to: DialectName): readonly Loss[] {
  return convertMachine(compiled(definition), to).losses
}

function told(definition: JsonObject, to: DialectName): readonly string[] {
  return lossesOf(definition, to).map((loss) => `${loss.pointer} ${loss.what.split(' has no ')[1]}`)
}

function workflow(state: JsonObject, more: JsonObject = {}): JsonObject {
  const begin = { on: { GO: 'end' }, ...state }
  return { id: 'w', initial: 'a', states: { a: begin, end: { type: 'final' } }, ...more }
}

function process(answer: JsonObject, more: JsonObject = {}): JsonObject {
  const states = { a: { question: 'Ok?', answers: { yes: answer } }, b: { question: '' } }
  return { name: 'p', initial: 'a', states, ...more }
}

function form(step: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: 'f',
    steps: [
      { id: 'A', goal: 'Go.', ...step },
      { id: 'B', goal: '' },
    ],
    ...more,
  }
}

const tolerance = '/states/a matching of answers that ignores case and surrounding spaces'

const onlyInWorkflows: readonly (readonly [string, JsonObject, string])[] = [
  ['denied programs', { programs: { deny: ['ssh'] } }, '/states/a/programs denied programs'],
  ['commands', { allowed_commands: ['npm test'] }, '/states/a/allowed_commands list of commands'],
  ['calls', { max_iterations: 3 }, '/states/a/max_iterations limit on tool calls in a stage'],
  ['lines', { max_edit_lines: 3 }, '/states/a/max_edit_lines limit on the lines per edit'],
  ['files', { max_files_per_state: 3 }, '/states/a/max_files_per_state limit on changed files'],
  [
    'bytes',
    { context_budget_bytes: 3 },
    '/states/a/context_budget_bytes limit on the bytes of results',
  ],
  [
    'blocked variables',
    { blocked_env: ['KEY'] },
    '/states/a/blocked_env blocked environment variables',
  ],
  [
    'set variables',
    { env_overrides: { CI: '1' } },
    '/states/a/env_overrides environment variables for commands',
  ],
  [
    'denied tools',
    { disallowed_tools: ['Bash'] },
    '/states/a/disallowed_tools list of denied tools',
  ],
  ['models', { model: 'big' }, '/states/a/model model settings'],
  ['thought', { thinking_level: 'high' }, '/states/a/thinking_level model settings'],
  ['unknown events', { safe_next: 'end' }, '/states/a/safe_next route for unknown signals'],
  [
    'invoked definitions',
    { on: { GO: { invoke: 'x', on_complete: 'end' } } },
    '/states/a/on/GO invoked definitions',
  ],
]

test.each(onlyInWorkflows)('%s are a loss beyond workflows', (_, state, loss) => {
  expect(told(workflow(state), 'process')).toEqual([loss])
  expect(told(workflow(state), 'steps')).toEqual([loss])
  expect(told(workflow(state), 'workflow')).toEqual([])
})

const metas: readonly (readonly [string, JsonObject, string])[] = [
  ['calls', { calls_max: 9 }, '/meta/calls_max limit on the tool calls of a whole run'],
  ['debug', { debug: true }, '/meta/debug debug jumps'],
  ['hold', { after_end: 'hold' }, '/meta/after_end setting that keeps denying calls after the end'],
  ['danger', { danger_level: 'dangerous' }, '/meta/danger_level danger level'],
  ['model', { default_model: 'big' }, '/meta/default_model model settings'],
]

test.each(metas)('the setting %s of a workflow is a loss elsewhere', (_, meta, loss) => {
  expect(told(workflow({}, { meta }), 'process')).toEqual([loss])
  expect(told(workflow({}, { meta }), 'steps')).toEqual([loss])
})

test('a fork is a loss beyond workflows', () => {
  const fork = { branches: { x: { initial: 'b', terminal: 'end' } }, on_complete: 'end' }
  const states = { a: { on: { GO: { fork } } }, b: { on: { OK: 'end' } }, end: { type: 'final' } }
  const definition = { id: 'w', initial: 'a', states }
  expect(told(definition, 'process')).toEqual(['/states/a/on/GO/fork branches'])
  expect(told(definition, 'steps')).toEqual(['/states/a/on/GO/fork branches'])
})

test('a detour is a loss; the way back from it is just never taken', () => {
  const fix = { on: { BACK: '$return', STOP: 'end' } }
  const interrupts = { schema: { trigger: { file_pattern: '*.sql' }, target: 'fix' } }
  const states = { a: { on: { GO: 'end' } }, fix, end: { type: 'final' } }
  const definition = { id: 'w', initial: 'a', states, interrupts }
  for (const to of ['process', 'steps'] as const) {
    expect(told(definition, to)).toEqual(['/interrupts/schema detours'])
    const { stages } = compiled(convertMachine(compiled(definition), to).definition)
    expect(JSON.stringify(stages)).not.toContain('BACK')
  }
})

test('a tool list is a loss for a process only', () => {
  const definition = workflow({ allowed_tools: [] })
  expect(lossesOf(definition, 'process')).toEqual([
    {
      pointer: '/states/a/allowed_tools',
      what: 'a process has no tool list for each stage',
      effect: 'every tool can be used in `a`, where none was allowed',
    },
  ])
  expect(told(definition, 'steps')).toEqual([])
})

test('values are a loss for a process, and for a form when they look like paths', () => {
  const definition = workflow({}, { context: { 'a.b': 1, c: 2 } })
  expect(told(definition, 'process')).toEqual(['/context initial values'])
  expect(told(definition, 'steps')).toEqual(['/context/a.b variable names like `a.b`'])
})

test('an approval of a workflow is lost in a form, and blocks in a process', () => {
  const go = { target: 'end', requires_approval: true, approval_message: 'Really?' }
  const definition = workflow({ on: { GO: go } })
  const at = '/states/a/on/GO/requires_approval'
  expect(told(definition, 'steps')).toEqual([`${at} approval by a person`])
  expect(told(definition, 'process')).toEqual([
    `${at} way to continue after a refusal`,
    `${at} message of its own for the approver`,
  ])
})

const guards = { ok: { field: 'n', op: 'gt', value: 1, source: 'observed' } }

test('a guard is lost in a process, and sees too much in a form', () => {
  const definition = workflow({ on: { GO: { target: 'end', guard: 'ok' } } }, { guards })
  expect(told(definition, 'process')).toEqual(['/guards/ok conditions on values'])
  expect(told(definition, 'steps')).toEqual([
    '/guards/ok conditions on the values from before a submission',
    '/guards/ok conditions on the source of a value',
    '/states/a/on/GO way to reject a submit when no condition holds',
  ])
  const { definition: printed } = convertMachine(compiled(definition), 'steps')
  const [step] = printed.steps as JsonObject[]
  expect(step?.inputs).toEqual([
    { name: 'choice', enum: ['GO'] },
    { name: 'n', type: 'number', required: false },
  ])
})

test('ways that guards choose between become answers of their own', () => {
  const go = [{ target: 'b', guard: 'ok' }, { target: 'c', guard: 'ok' }, { target: 'b' }]
  const states = {
    a: { on: { GO: go } },
    b: { on: { OK: 'c' } },
    c: { type: 'final' },
  }
  const definition = { id: 'w', initial: 'a', states, guards }
  const { definition: printed, losses } = convertMachine(compiled(definition), 'process')
  expect(losses.map((loss) => [loss.pointer, loss.effect])).toEqual([
    ['/states/a/on/GO', 'the agent in `a` chooses freely between `GO:b`, `GO:c`'],
  ])
  expect(printed.states).toMatchObject({
    a: { answers: { 'GO:b': { next: 'b' }, 'GO:c': { next: 'c' } } },
  })
})

test('a failed end blocks in a process and completes in a form', () => {
  const definition = {
    id: 'w',
    initial: 'a',
    states: {
      a: { on: { GO: 'end', NO: 'failed' } },
      end: { type: 'final', instructions: 'Thanks.' },
      failed: { type: 'final' },
    },
  }
  expect(told(definition, 'process')).toEqual(['/states/failed failed outcome'])
  const { definition: printed } = convertMachine(compiled(definition), 'process')
  expect(printed.states).toEqual({
    a: { question: 'a', answers: { GO: { next: 'end' }, NO: { next: null, action: 'block' } } },
    end: { question: 'Thanks.' },
  })
  expect(told(definition, 'steps')).toEqual([
    '/states/end instructions after its end',
    '/states/failed failed outcome',
  ])
})

test('a failed end behind an approval is said to complete in a process', () => {
  const states = {
    a: { on: { NO: { target: 'failed', requires_approval: true }, GO: 'end' } },
    end: { type: 'final' },
    failed: { type: 'final' },
  }
  expect(told({ id: 'w', initial: 'a', states }, 'process')).toContain(
    '/states/a/on/NO answers with two actions',
  )
})

test('a stage without a way out ends a process and holds a form', () => {
  const states = { a: { on: { GO: 'stuck', OK: 'end' } }, stuck: {}, end: { type: 'final' } }
  const definition = { id: 'w', initial: 'a', states }
  expect(told(definition, 'process')).toEqual([
    '/states/stuck states without answers, except final ones',
  ])
  expect(told(definition, 'steps')).toEqual([])
})

test('a run that is over at once waits for a submission in a form', () => {
  const definition = { id: 'w', initial: 'end', states: { end: { type: 'final' } } }
  expect(told(definition, 'steps')).toEqual(['/states/end step that ends it on entry'])
})

test('a name that a process cannot have is changed, which is a loss', () => {
  const { definition, losses } = convertMachine(
    compiled({ ...workflow({}), id: 'My Flow' }),
    'process',
  )
  expect(definition.name).toBe('my-flow')
  expect(losses.map((loss) => loss.pointer)).toEqual(['/id'])
})

test.each(['workflow', 'steps'] as const)('a budget stays one in %s', (dialect) => {
  const machine = compiled(process({ next: 'b' }, { session_budget_usd: 1 }))
  const { definition } = convertMachine(machine, dialect)
  expect(definition.session_budget_usd).toBe(1)
  expect(compiled(definition).limits.microUsdMax).toBe(1_000_000)
})

const onlyInProcesses: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  [
    'mail',
    process({ next: 'b' }, { email_config: { max_emails_per_session: 1 } }),
    ['/email_config limits on mail'],
  ],
  [
    'endpoint tools',
    process({ next: 'b' }, { allowed_tools: ['memory_read'] }),
    ["/allowed_tools list of Pawl's own memory and task tools"],
  ],
  ['warnings', process({ next: 'b', action: 'warn' }), ['/states/a/answers/yes/action warnings']],
  [
    'a prompt that would be repeated',
    process({ next: 'a' }, { initial_prompt: 'Hello.' }),
    ['/initial_prompt text that is shown only once'],
  ],
  [
    'a blocked outcome',
    process({ next: null, action: 'block' }),
    ['/states/a/answers/yes blocked outcome'],
  ],
]

test.each(onlyInProcesses)(
  '%s: a loss beyond processes, beside its tolerance',
  (_, definition, losses) => {
    expect([...told(definition, 'workflow')].sort()).toEqual([...losses, tolerance].sort())
    expect([...told(definition, 'steps')].sort()).toEqual([...losses, tolerance].sort())
    expect(told(definition, 'process')).toEqual([])
  },
)

test('a refused approval blocks a process, stays in a workflow and is unknown to a form', () => {
  const definition = process({ next: 'b', action: 'notify_human' })
  const at = '/states/a/answers/yes/action'
  expect(told(definition, 'workflow')).toEqual([tolerance, `${at} refusals that end the run`])
  expect(told(definition, 'steps')).toEqual([`${at} approval by a person`, tolerance])
})

test('names that belong to Pawl in a workflow are changed, which is a loss', () => {
  const states = {
    $returned: { question: 'Ok?', answers: { 'INTERRUPT:x': { next: 'b' } } },
    b: { question: '' },
  }
  const { definition, losses } = convertMachine(
    compiled({ name: 'p', initial: '$returned', states }),
    'workflow',
  )
  expect(definition).toMatchObject({
    initial: 'returned',
    states: { returned: { on: { INTERRUPT_x: 'b' } } },
  })
  expect(losses.map((loss) => loss.pointer)).toContain('/states/$returned')
  expect(losses.map((loss) => loss.pointer)).toContain('/states/$returned/answers/INTERRUPT:x')
})

const input = { inputs: [{ name: 'x' }] }
const onlyInForms: readonly (readonly [string, JsonObject, string])[] = [
  ['inputs', input, '/steps/0/inputs inputs'],
  [
    'a set',
    { on: { enter: [{ action: 'set', name: 'n', value: 1 }] } },
    '/steps/0/on/enter/0 actions',
  ],
  [
    'a count',
    { on: { presubmit: [{ action: 'inc', name: 'n' }] } },
    '/steps/0/on/presubmit/0 actions',
  ],
  ['words', { on: { start: [{ action: 'say', text: 'Hi' }] } }, '/steps/0/on/start/0 actions'],
  ['a call', { on: { submit: [{ action: 'call', name: 't' }] } }, '/steps/0/on/submit/0 actions'],
  ['a get', { on: { enter: [{ action: 'get', inputs: [] }] } }, '/steps/0/on/enter/0 actions'],
  ['a save', { on: { submit: [{ action: 'save', inputs: [] }] } }, '/steps/0/on/submit/0 actions'],
  [
    'a duty to call',
    { tools: { call: true } },
    '/steps/0/tools/call setting that requires a tool call',
  ],
  [
    'a free choice of the next step',
    { tools: { allowGoToStep: true } },
    '/steps/0/tools/allowGoToStep setting that lets the agent name the next stage',
  ],
  ['placeholders', { instructions: ['Hi {{name}}'] }, '/steps/0/instructions/0 placeholders'],
  [
    'conditional instructions',
    { instructions: [{ if: 'vip', text: 'Bow.' }] },
    '/steps/0/instructions/0 conditional instructions',
  ],
]

test.each(onlyInForms)('%s: a loss beyond forms', (_, step, loss) => {
  const definition = form({ next: ['B'], ...step })
  expect(told(definition, 'workflow')).toEqual([loss])
  expect(told(definition, 'process')).toEqual([loss])
  expect(told(definition, 'steps')).toEqual([])
})

test('conditions and required inputs of a way are a loss beyond forms', () => {
  const next = [{ id: 'B', if: 'vip', requires: ['x'] }, 'A']
  const definition = form({ ...input, next })
  expect(told(definition, 'workflow')).toEqual([
    '/steps/0/inputs inputs',
    '/steps/0/next/0/requires required inputs on routes',
    '/steps/0 way to choose by expressions, so each route becomes an event',
  ])
  expect(told(definition, 'process').at(-1)).toBe(
    '/steps/0 way to choose by conditions, so each route becomes an answer',
  )
})

test('a form that may complete in place gets an event for that', () => {
  const { definition } = convertMachine(
    compiled(form({ next: [{ id: 'B', if: 'vip' }] })),
    'workflow',
  )
  const states = definition.states as { readonly [name: string]: Json }
  expect(states.A).toMatchObject({ on: { 'submit:B': 'B', 'submit:complete': 'completed' } })
})

test('losses of a task in an envelope point into the envelope', () => {
  const task = { ...form({ ...input, next: ['B'] }), variables: [{ name: 'v', value: 1 }] }
  const definition = { type: 'context', context: { task: [task] } }
  expect(told(definition, 'process')).toEqual([
    '/context/task/0/variables initial values',
    '/context/task/0/steps/0/inputs inputs',
  ])
})

test('the evidence without which a form does not end is kept elsewhere', () => {
  const evidence = { evidence: 'npm test', exit: 0 }
  const asked = { inputs: [{ name: 'x', required: false }] }
  const next = [{ id: 'b', if: [evidence, 'inputs.x'] }]
  const steps = [
    { id: 'a', goal: 'a', ...asked, next },
    { id: 'b', goal: 'b' },
  ]
  const machine = compiled({ type: 'steps', id: 'f', steps })
  const answers = { 'submit:complete': { next: null, action: 'complete', if: evidence } }
  expect(convertMachine(machine, 'process').definition).toMatchObject({
    states: { a: { answers } },
  })
  const on = { 'submit:complete': { target: 'completed', guard: 'npm test' } }
  expect(convertMachine(machine, 'workflow').definition).toMatchObject({ states: { a: { on } } })
})
