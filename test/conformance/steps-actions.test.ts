/** Step workflows: the events, the actions, and the scopes of variables, step by step. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { claimWalks } from './form-walks.ts'
import { formDoors, useForms } from './forms.ts'

const claim = claimsOf('step workflows')
const doors = useDoors()
const forms = useForms(doors)

const a = { name: 'a' }
const b = { name: 'b' }
const end = { id: 'END', goal: 'End' }
const ask = (more: LooseJson = {}) => ({ id: 'ASK', goal: 'Ask', inputs: [a], ...more })
const again = { id: 'AGAIN', goal: 'Ask again', inputs: [a] }
const set = (name: string, value: LooseJson, more: LooseJson = {}) => ({
  action: 'set',
  name,
  value,
  ...more,
})
const say = (text: string, more: LooseJson = {}) => ({ action: 'say', text, ...more })
const inc = (name: string, more: LooseJson = {}) => ({ action: 'inc', name, ...more })
const call = (name: string, more: LooseJson = {}) => ({ action: 'call', name, ...more })
const save = (more: LooseJson = {}) => ({ action: 'save', ...more })
const get = (more: LooseJson = {}) => ({ action: 'get', ...more })
const texts = (...all: string[]) => all.map((text) => ({ text }))

claimWalks(forms, 'on.start', [
  {
    quote: 'on.start | First workflow turn, before the first on.enter',
    check: 'texts of on.start come before those of on.enter',
    steps: [ask({ on: { start: [say('one')], enter: [say('two')] } })],
    after: { said: texts('one', 'two') },
  },
  {
    quote: 'Initialize workflow-local state',
    check: 'a local value exists from the start',
    steps: [ask({ on: { start: [set('local.n', 3)] } })],
    after: { local: { n: 3 } },
  },
  {
    quote: 'Queue first-turn say or call actions',
    check: 'a call is pending after the start',
    steps: [ask({ on: { start: [call('lookup')] } })],
    after: { pending: { name: 'lookup' } },
  },
  {
    quote: 'Seed values that the first step’s instructions depend on',
    check: 'the first instructions show the values that on.start set',
    steps: [ask({ instructions: ['Greet {{who}}.'], on: { start: [set('who', 'Ann')] } })],
    after: { brief: expect.stringContaining('Greet Ann.') },
  },
  {
    quote: 'Executes once at workflow initialization',
    check: 'returning to the first step does not run on.start again',
    steps: [ask({ on: { start: [inc('local.n')] }, next: ['ASK'] })],
    submits: [{ a: 'x' }, { a: 'y' }],
    after: { local: { n: 1 } },
  },
])

claimWalks(forms, 'on.enter', [
  {
    quote: 'on.enter | Entering a step (before input collection)',
    check: 'on.enter also runs when a later step is entered',
    steps: [ask({ next: ['END'] }), { ...end, on: { enter: [say('welcome')] } }],
    submits: [{ a: 'x' }],
    after: { step: 'END', said: texts('welcome') },
  },
  {
    quote: 'Display step-specific greetings',
    check: 'a greeting is shown with the step',
    steps: [ask({ on: { enter: [say('Hello!')] } })],
    after: { said: [{ role: 'assistant', text: 'Hello!' }] },
  },
  {
    quote: 'Pre-populate inputs from existing data',
    check: 'a known value is filled in before anything is asked',
    steps: [ask({ on: { enter: [get()] } })],
    more: { variables: [{ name: 'a', value: 'known' }] },
    after: { collected: { a: 'known' }, missing: [] },
  },
  {
    quote: 'Initialize step-local counters',
    check: 'a counter is set when the step is entered',
    steps: [ask({ on: { enter: [set('local.tries', 0)] } })],
    after: { local: { tries: 0 } },
  },
])

claimWalks(forms, 'on.presubmit', [
  {
    quote: 'on.presubmit | After agent submits, before validation',
    check: 'a required value that on.presubmit fills in is not missing',
    steps: [
      ask({ inputs: [a, b], on: { presubmit: [set('inputs.b', 'dflt')] }, next: ['END'] }),
      end,
    ],
    submits: [{ a: 'x' }],
    after: { code: 'ok', step: 'END' },
  },
  {
    quote: 'Default missing optional fields',
    check: 'a default is set only if no value was submitted',
    steps: [
      ask({
        inputs: [a, { ...b, required: false }],
        on: { presubmit: [set('inputs.b', 'US', { if: 'inputs.b == `null`' })], submit: [save()] },
      }),
    ],
    submits: [{ a: 'x', b: 'NO' }],
    after: { vars: { a: 'x', b: 'NO' } },
  },
  {
    quote: 'Transform input values before validation',
    check: 'the transformed value is validated',
    steps: [
      ask({
        inputs: [{ ...a, enum: ['yes', 'no'] }],
        on: {
          presubmit: [{ action: 'set', name: 'inputs.a', valueFrom: 'lower(inputs.a)' }],
          submit: [save()],
        },
      }),
    ],
    submits: [{ a: 'YES' }],
    after: { code: 'ok', vars: { a: 'yes' } },
  },
  {
    quote: 'on.presubmit | Values from current submit call',
    check: 'on.presubmit sees the values just submitted',
    steps: [
      ask({
        inputs: [a, b],
        on: { presubmit: [{ action: 'set', name: 'seen', valueFrom: 'inputs.a' }] },
      }),
    ],
    submits: [{ a: 'now' }],
    after: { code: 'FIELDS_MISSING', vars: { seen: 'now' } },
  },
])

claimWalks(forms, 'on.submit', [
  {
    quote: 'on.submit | After validation passes',
    check: 'on.submit does not run while an input is missing',
    steps: [ask({ inputs: [a, b], on: { submit: [set('done', true)] } })],
    submits: [{ a: 'x' }],
    after: { code: 'FIELDS_MISSING', vars: {} },
  },
  {
    quote: 'before evaluating transitions',
    check: 'a transition condition sees the value that on.submit set',
    steps: [
      ask({
        on: { submit: [set('local.ok', true)] },
        next: [{ id: 'END', if: 'local.ok' }, 'ASK'],
      }),
      end,
    ],
    submits: [{ a: 'x' }],
    after: { step: 'END' },
  },
  {
    quote: 'Persist inputs to global variables',
    check: 'save stores the inputs as global variables',
    steps: [ask({ on: { submit: [save()] }, next: ['END'] }), end],
    submits: [{ a: 'kept' }],
    after: { vars: { a: 'kept' }, collected: {} },
  },
  {
    quote: 'Update counters',
    check: 'a counter counts submissions',
    steps: [ask({ on: { submit: [inc('local.n')] }, next: ['ASK'] })],
    submits: [{ a: 'x' }, { a: 'y' }, { a: 'z' }],
    after: { local: { n: 3 } },
  },
  {
    quote: 'Confirm submission to user',
    check: 'a text is shown with the response',
    steps: [ask({ on: { submit: [say('Saved {{inputs.a}}!')] }, next: ['END'] }), end],
    submits: [{ a: 'x' }],
    after: { said: texts('Saved x!') },
  },
  {
    quote: 'Trigger external tool calls',
    check: 'a call is pending in the next step',
    steps: [
      ask({
        on: { submit: [call('notify', { arguments: { who: '{{inputs.a}}' } })] },
        next: ['END'],
      }),
      end,
    ],
    submits: [{ a: 'x' }],
    after: { step: 'END', pending: { name: 'notify', arguments: { who: 'x' } } },
  },
  {
    quote: 'Trigger external tool calls',
    check: 'a call queued by the last step is still pending after the end',
    steps: [ask({ on: { submit: [call('notify')] } })],
    submits: [{ a: 'x' }],
    after: {
      status: 'completed',
      pending: { name: 'notify' },
      brief: expect.stringContaining('`notify`'),
    },
  },
])

claimWalks(forms, 'say', [
  {
    quote: 'say | Queue a verbatim message',
    check: 'the text is passed on verbatim',
    steps: [ask({ on: { enter: [say('  Très “bien” *ok*  ')] } })],
    after: { said: texts('  Très “bien” *ok*  ') },
  },
  {
    quote: 'role | string | "assistant"',
    check: 'the role is assistant unless another is given',
    steps: [ask({ on: { enter: [say('x')] } })],
    after: { said: [{ role: 'assistant', text: 'x' }] },
  },
  {
    quote: 'role | Message role',
    check: 'another role is passed on',
    steps: [ask({ on: { enter: [say('x', { role: 'user' })] } })],
    after: { said: [{ role: 'user', text: 'x' }] },
  },
  {
    quote: 'if | Optional condition',
    check: 'if the condition is false, the text is not queued',
    steps: [ask({ on: { enter: [say('no', { if: '`false`' }), say('yes', { if: '`true`' })] } })],
    after: { said: texts('yes') },
  },
  {
    quote: 'Queues text that the agent must include',
    check: 'several texts are passed on in order, each once',
    steps: [ask({ on: { submit: [say('one'), say('two')] }, next: ['END'] }), end],
    submits: [{ a: 'x' }],
    after: { said: texts('one', 'two') },
  },
])

claimWalks(forms, 'set', [
  {
    quote: 'name | Target variable path (e.g., local.x)',
    check: 'a local value is set',
    steps: [ask({ on: { enter: [set('local.x', 1)] } })],
    after: { local: { x: 1 } },
  },
  {
    quote: 'name | Target variable path (e.g., user_name)',
    check: 'a global value is set',
    steps: [ask({ on: { enter: [set('user_name', 'Ann')] } })],
    after: { vars: { user_name: 'Ann' } },
  },
  {
    quote: 'value | any | Static value to set',
    check: 'numbers, booleans, null, lists and objects are set as they are',
    steps: [
      ask({
        on: {
          enter: [
            set('n', 1),
            set('t', true),
            set('z', null),
            set('l', [1, 'x']),
            set('o', { k: { m: 2 } }),
          ],
        },
      }),
    ],
    after: { vars: { n: 1, t: true, z: null, l: [1, 'x'], o: { k: { m: 2 } } } },
  },
  {
    quote: 'valueFrom | Dynamic value from expression',
    check: 'a JMESPath expression gives the value',
    steps: [ask({ on: { submit: [{ action: 'set', name: 'x', valueFrom: 'inputs.a' }] } })],
    submits: [{ a: 'v' }],
    after: { vars: { x: 'v' } },
  },
  {
    quote: 'if | Optional condition',
    check: 'if the condition is false, nothing is set',
    steps: [ask({ on: { enter: [set('x', 1, { if: 'missing' })] } })],
    after: { vars: {} },
  },
])

claimWalks(forms, 'inc', [
  {
    quote: 'Creates the variable with value 0 if it doesn’t exist',
    check: 'a missing variable becomes 1',
    steps: [ask({ on: { enter: [inc('local.n')] } })],
    after: { local: { n: 1 } },
  },
  {
    quote: 'by | number | 1',
    check: 'the amount can be any number, including fractions and negative numbers',
    steps: [ask({ on: { enter: [inc('local.n', { by: 5 }), inc('local.m', { by: -0.5 })] } })],
    after: { local: { n: 5, m: -0.5 } },
  },
  {
    quote: 'Increments a numeric variable',
    check: 'the amount is added to an existing number',
    steps: [ask({ on: { start: [set('n', 41)], enter: [inc('n')] } })],
    after: { vars: { n: 42 } },
  },
  {
    quote: 'if | Optional condition',
    check: 'if the condition is false, nothing is incremented',
    steps: [ask({ on: { enter: [inc('local.n', { if: 'missing' })] } })],
    after: { local: {} },
  },
  {
    quote: 'Increments a numeric variable',
    check: 'a string cannot be incremented; the submission is rejected and changes nothing',
    differs: 'steps-expression-fault',
    steps: [ask({ on: { start: [set('n', 'x')], submit: [inc('n')] } })],
    submits: [{ a: 'v' }],
    after: { code: 'EXPRESSION_FAILED', step: 'ASK', status: 'running', vars: { n: 'x' } },
  },
])

const known = {
  variables: [
    { name: 'a', value: 'A' },
    { name: 'b', value: 'B' },
  ],
}
claimWalks(forms, 'get', [
  {
    quote: 'inputs | list[string] | all inputs',
    check: 'without a list, every input is filled in',
    steps: [ask({ inputs: [a, b], on: { enter: [get()] } })],
    more: known,
    after: { collected: { a: 'A', b: 'B' } },
  },
  {
    quote: 'inputs | Which inputs to populate',
    check: 'with a list, only the listed inputs are filled in',
    steps: [ask({ inputs: [a, b], on: { enter: [get({ inputs: ['b'] })] } })],
    more: known,
    after: { collected: { b: 'B' }, missing: ['a'] },
  },
  {
    quote: 'overwrite | boolean | false',
    check: 'an existing value is kept',
    steps: [ask({ inputs: [a], on: { presubmit: [get()], submit: [save({ name: 'kept' })] } })],
    more: known,
    submits: [{ a: 'mine' }],
    after: { vars: { a: 'A', b: 'B', kept: 'mine' } },
  },
  {
    quote: 'If true, overwrite existing input values',
    check: 'an existing value is replaced',
    steps: [
      ask({
        inputs: [a],
        on: { presubmit: [get({ overwrite: true })], submit: [save({ name: 'kept' })] },
      }),
    ],
    more: known,
    submits: [{ a: 'mine' }],
    after: { vars: { a: 'A', b: 'B', kept: 'A' } },
  },
  {
    quote: 'if | Optional condition',
    check: 'if the condition is false, nothing is filled in',
    steps: [ask({ on: { enter: [get({ if: 'missing' })] } })],
    more: known,
    after: { collected: {} },
  },
])

claimWalks(forms, 'save', [
  {
    quote: 'inputs | list[string] | all inputs',
    check: 'without a list, every input is saved under its own name',
    steps: [ask({ inputs: [a, b], on: { submit: [save()] } })],
    submits: [{ a: '1', b: '2' }],
    after: { vars: { a: '1', b: '2' } },
  },
  {
    quote: 'inputs | Which inputs to save',
    check: 'with a list, only the listed inputs are filled in',
    steps: [ask({ inputs: [a, b], on: { submit: [save({ inputs: ['b'] })] } })],
    submits: [{ a: '1', b: '2' }],
    after: { vars: { b: '2' } },
  },
  {
    quote: 'name | Target variable name (for single input)',
    check: 'one input is saved under another name',
    steps: [ask({ inputs: [a, b], on: { submit: [save({ inputs: ['a'], name: 'mail' })] } })],
    submits: [{ a: '1', b: '2' }],
    after: { vars: { mail: '1' } },
  },
  {
    quote: 'for use in later steps or after workflow completion',
    check: 'saved values are still there after the end',
    steps: [ask({ on: { submit: [save()] } })],
    submits: [{ a: '1' }],
    after: { status: 'completed', vars: { a: '1' } },
  },
  {
    quote: 'if | Optional condition',
    check: 'if the condition is false, nothing is saved',
    steps: [ask({ on: { submit: [save({ if: 'missing' })] } })],
    submits: [{ a: '1' }],
    after: { vars: {} },
  },
])

claimWalks(forms, 'call', [
  {
    quote: 'call | name, arguments',
    check: 'the tool and its arguments are listed as a pending call',
    steps: [ask({ on: { enter: [call('lookup', { arguments: { id: 7 } })] } })],
    after: { pending: { name: 'lookup', arguments: { id: 7 } } },
  },
  {
    quote: 'arguments | Template-rendered arguments',
    check: 'placeholders are replaced in strings at any depth',
    steps: [
      ask({
        on: {
          start: [set('who', 'Ann')],
          enter: [call('t', { arguments: { x: { y: ['hi {{who}}'] } } })],
        },
      }),
    ],
    after: { pending: { arguments: { x: { y: ['hi Ann'] } } } },
  },
  {
    quote: 'The LLM is informed of the pending call on the next turn',
    check: 'the instructions name the call',
    steps: [ask({ on: { enter: [call('lookup')] } })],
    after: { brief: expect.stringContaining('`lookup`') },
  },
  {
    quote: 'but is not forced to execute it',
    check: 'the step can be submitted without the call',
    steps: [ask({ on: { enter: [call('lookup')] }, next: ['END'] }), end],
    submits: [{ a: 'x' }],
    after: { code: 'ok', step: 'END' },
  },
  {
    quote: 'if | Optional condition',
    check: 'if the condition is false, no call is pending',
    steps: [ask({ on: { enter: [call('lookup', { if: 'missing' })] } })],
    after: { pending: null },
  },
])

for (const door of formDoors) {
  claim(
    {
      section: 'call',
      quote: 'does not automatically copy the tool result into inputs.* or local.*',
      check: `after the call, no scope contains any of its result (${door})`,
    },
    async () => {
      const form = await forms.open(door, [ask({ on: { enter: [call('lookup')] } })])
      expect(await form.judge('lookup')).toBe('allowed')
      const body = { ok: true, output: JSON.stringify({ a: 'found' }) }
      await doors.rest(`POST /v1/runs/${form.runId}/reports`, { as: 'agent', body })
      expect(await form.state()).toMatchObject({
        pending: null,
        collected: {},
        vars: {},
        local: {},
      })
    },
  )
}

claimWalks(forms, 'Variable Scopes', [
  {
    quote: 'Global | (none) or vars.*',
    check: 'a global can be read by its bare name and under vars',
    steps: [
      ask({
        on: {
          start: [set('x', 1)],
          enter: [
            { action: 'set', name: 'one', valueFrom: 'x' },
            { action: 'set', name: 'two', valueFrom: 'vars.x' },
          ],
        },
      }),
    ],
    after: { vars: { x: 1, one: 1, two: 1 } },
  },
  {
    quote: 'Global | vars.*',
    check: 'a global can be set under vars',
    steps: [ask({ on: { enter: [set('vars.x', 1)] } })],
    after: { vars: { x: 1 } },
  },
  {
    quote: 'Task-local | local.* | Workflow',
    check: 'a local value is available in later steps',
    steps: [ask({ on: { submit: [set('local.x', 1)] }, next: ['AGAIN'] }), again],
    submits: [{ a: 'v' }],
    after: { step: 'AGAIN', local: { x: 1 } },
  },
  {
    quote: 'Step inputs | inputs.* | Current step',
    check: 'inputs are cleared in the next step',
    steps: [ask({ next: ['AGAIN'] }), again],
    submits: [{ a: 'v' }],
    after: { step: 'AGAIN', collected: {}, missing: ['a'] },
  },
  {
    quote: 'Read-only in expressions; use set to modify',
    check: 'set changes an input',
    steps: [ask({ on: { submit: [set('inputs.a', 'changed'), save()] } })],
    submits: [{ a: 'v' }],
    after: { vars: { a: 'changed' } },
  },
  {
    quote: 'on.enter | Empty (step just started)',
    check: 'when the next step is entered, no input has a value',
    steps: [
      ask({ next: ['AGAIN'] }),
      { ...again, on: { enter: [{ action: 'set', name: 'seen', valueFrom: 'inputs.a' }] } },
    ],
    submits: [{ a: 'v' }],
    after: { vars: { seen: null } },
  },
  {
    quote: 'on.submit | Validated values (all required present)',
    check: 'on.submit sees the values of all submissions',
    steps: [
      ask({
        inputs: [a, b],
        on: { submit: [{ action: 'set', name: 'seen', valueFrom: '[inputs.a, inputs.b]' }] },
      }),
    ],
    submits: [{ a: '1' }, { b: '2' }],
    after: { vars: { seen: ['1', '2'] } },
  },
  {
    quote: 'if conditions | Current accumulated values',
    check: 'a condition sees the values of all submissions',
    steps: [
      ask({
        inputs: [a, b],
        next: [{ id: 'END', if: "inputs.a == '1' && inputs.b == '2'" }, 'ASK'],
      }),
      end,
    ],
    submits: [{ a: '1' }, { b: '2' }],
    after: { step: 'END' },
  },
  {
    quote: 'Templates | Current accumulated values',
    check: 'instructions show the values collected so far',
    steps: [ask({ inputs: [a, b], instructions: ['So far: {{inputs.a}}'] })],
    submits: [{ a: 'one' }],
    after: { brief: expect.stringContaining('So far: one') },
  },
  {
    quote: 'Data needed after the workflow completes | Global',
    check: 'globals remain after the end; local values are kept for reference',
    steps: [ask({ on: { submit: [save(), set('local.x', 1)] } })],
    submits: [{ a: 'v' }],
    after: { status: 'completed', vars: { a: 'v' }, local: { x: 1 } },
  },
])
