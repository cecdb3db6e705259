/** Step workflows: inputs and how they add up, expressions, and templates. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'
import { claimWalks, type FormWalk } from './form-walks.ts'
import { useForms } from './forms.ts'

const claim = claimsOf('step workflows')
const doors = useDoors()
const forms = useForms(doors)

const a = { name: 'a' }
const b = { name: 'b' }
const end = { id: 'END', goal: 'End' }
const ask = (more: LooseJson = {}) => ({ id: 'ASK', goal: 'Ask', inputs: [a], ...more })
const save = { action: 'save' }

// ── types, one row each, a value that fits and one that does not ────────────

type Typed = readonly [
  quote: string,
  input: LooseJson,
  fits: LooseJson,
  fails: LooseJson,
  rule: string,
]

const typed: readonly Typed[] = [
  ['type | string', { type: 'string' }, 'x', 5, 'type'],
  ['type | number', { type: 'number' }, 1.5, '1.5', 'type'],
  ['type | integer', { type: 'integer' }, 7, 7.5, 'type'],
  ['type | integer', { type: 'integer' }, 0, '7', 'type'],
  ['type | boolean', { type: 'boolean' }, false, 'false', 'type'],
  ['type | object', { type: 'object' }, { k: 1 }, [1], 'type'],
  ['type | array', { type: 'array' }, [1], { k: 1 }, 'type'],
  ['type | Defaults to string', {}, 'x', true, 'type'],
  ['enum | Allowed values', { enum: ['red', 'blue'] }, 'blue', 'green', 'enum'],
  ['format | date', { format: 'date' }, '2026-02-28', '28.2.2026', 'format'],
  ['format | time', { format: 'time' }, '14:30', 'noon', 'format'],
  ['format | date-time', { format: 'date-time' }, '2026-02-28T14:30:00Z', '2026-02-28', 'format'],
  ['format | email', { format: 'email' }, 'ann@example.com', 'ann', 'format'],
  ['format | uri', { format: 'uri' }, 'https://example.com/a', 'no uri', 'format'],
  ['pattern | Regex pattern for validation', { pattern: '^[A-Z]{3}$' }, 'ABC', 'abc', 'pattern'],
]
claimWalks(
  forms,
  'Available Fields',
  typed.flatMap(([quote, input, fits, fails, rule]): FormWalk[] => {
    const steps = [ask({ inputs: [{ ...a, ...input }], on: { submit: [save] } })]
    return [
      {
        quote,
        check: `\`${JSON.stringify(fits)}\` is accepted`,
        steps,
        submits: [{ a: fits }],
        after: { code: 'ok', status: 'completed', vars: { a: fits } },
      },
      {
        quote,
        check: `\`${JSON.stringify(fails)}\` is rejected, and the form stays at the step`,
        ...(fails === '7' ? { differs: 'steps-no-coercion' } : {}),
        steps,
        submits: [{ a: fails }],
        after: {
          code: 'FIELDS_INVALID',
          status: 'running',
          issues: [{ field: 'a', rule }],
          vars: {},
          collected: {},
        },
      },
    ]
  }),
)

claimWalks(forms, 'Available Fields', [
  {
    quote: 'required | Defaults to true',
    check: 'an input is required by default',
    steps: [ask()],
    submits: [{}],
    after: { code: 'FIELDS_MISSING', missing: ['a'], status: 'running' },
  },
  {
    quote: 'required | Whether parameter must be collected',
    check: 'an optional input can be left out',
    steps: [ask({ inputs: [{ ...a, required: false }] })],
    submits: [{}],
    after: { code: 'ok', status: 'completed' },
  },
  {
    quote: 'format | Format hint: … etc.',
    check: 'an unknown format is only a hint',
    steps: [ask({ inputs: [{ ...a, format: 'licence-plate' }] })],
    submits: [{ a: 'x' }],
    after: { code: 'ok' },
  },
])

claimWalks(forms, 'Accumulation Behavior', [
  {
    quote: 'Inputs accumulate across multiple submissions until all required fields are collected',
    check: 'two submissions together supply both values',
    steps: [ask({ inputs: [a, b], on: { submit: [save] } })],
    submits: [{ a: '1' }, { b: '2' }],
    after: { status: 'completed', vars: { a: '1', b: '2' } },
  },
  {
    quote: 'Inputs accumulate',
    check: 'after the first submission, the missing inputs are requested',
    steps: [ask({ inputs: [a, b] })],
    submits: [{ a: '1' }],
    after: { code: 'FIELDS_MISSING', collected: { a: '1' }, missing: ['b'], step: 'ASK' },
  },
  {
    quote: 'New values overwrite',
    check: 'a new value replaces the old one',
    steps: [ask({ inputs: [a, b], on: { submit: [save] } })],
    submits: [{ a: 'old' }, { a: 'new', b: '2' }],
    after: { vars: { a: 'new', b: '2' } },
  },
  {
    quote: 'Missing values retained',
    check: 'a value that is not sent again is kept',
    steps: [ask({ inputs: [a, b, { name: 'c' }] })],
    submits: [{ a: '1' }, { b: '2' }],
    after: { collected: { a: '1', b: '2' }, missing: ['c'] },
  },
  {
    quote: 'Empty string = missing: ""',
    check: 'an empty string counts as missing',
    steps: [ask()],
    submits: [{ a: '' }],
    after: { code: 'FIELDS_MISSING', missing: ['a'] },
  },
  {
    quote: 'whitespace-only strings are treated as empty',
    check: 'a string of whitespace counts as missing',
    steps: [ask()],
    submits: [{ a: ' \t\n ' }],
    after: { code: 'FIELDS_MISSING', missing: ['a'] },
  },
  {
    quote: 'Empty string = missing',
    check: 'an empty string does not erase a value',
    steps: [ask({ inputs: [a, b] })],
    submits: [{ a: 'kept' }, { a: '' }],
    after: { collected: { a: 'kept' }, missing: ['b'] },
  },
  {
    quote: 'For string types',
    check: 'zero and false count as values',
    steps: [
      ask({
        inputs: [
          { ...a, type: 'integer' },
          { ...b, type: 'boolean' },
        ],
        on: { submit: [save] },
      }),
    ],
    submits: [{ a: 0, b: false }],
    after: { status: 'completed', vars: { a: 0, b: false } },
  },
  {
    quote: 'Parameters to collect',
    check: 'a value for an unknown input is ignored',
    steps: [ask({ on: { submit: [save] } })],
    submits: [{ a: 'x', other: 'y' }],
    after: { code: 'ok', vars: { a: 'x' } },
  },
])

claimWalks(forms, 'Reset on Transition', [
  {
    quote: 'inputs.* are cleared when transitioning to a new step',
    check: 'an input with the same name in the next step is requested again',
    steps: [ask({ next: ['TWO'] }), { id: 'TWO', goal: 'Two', inputs: [a] }],
    submits: [{ a: 'x' }],
    after: { step: 'TWO', collected: {}, missing: ['a'] },
  },
  {
    quote: 'To preserve values across steps, use the save or set actions',
    check: 'save and set preserve the values',
    steps: [
      ask({
        on: { submit: [save, { action: 'set', name: 'local.copy', valueFrom: 'inputs.a' }] },
        next: ['END'],
      }),
      end,
    ],
    submits: [{ a: 'x' }],
    after: { step: 'END', vars: { a: 'x' }, local: { copy: 'x' } },
  },
])

// ── expressions ─────────────────────────────────────────────────────────────

const given = {
  variables: [
    { name: 'flag', value: true },
    { name: 'count', value: 3 },
    { name: 'name', value: 'morning' },
    { name: 'n', value: 0 },
    { name: 'address', value: { city: 'Oslo' } },
    { name: 'list', value: ['x', 'y'] },
  ],
}
const cel = (expression: string) => ({ type: 'cel', expression })

type Condition = readonly [quote: string, condition: LooseJson, holds: boolean]

const conditions: readonly Condition[] = [
  ['Boolean literals need backticks | correct', 'flag == `true`', true],
  ['Boolean literals need backticks | wrong: flag == true', 'flag == true', false],
  ['Number literals need backticks | correct', 'count >= `3`', true],
  ['Number literals need backticks', 'count > `3`', false],
  ["String quotes | name == 'morning'", "name == 'morning'", true],
  ['String quotes | wrong: name == morning', 'name == morning', false],
  [
    'JMESPath is the default expression language',
    { type: 'jmespath', expression: "name == 'morning'" },
    true,
  ],
  ['Nested property access | JMESPath', "address.city == 'Oslo'", true],
  ['Simple condition checks | JMESPath', 'flag', true],
  ['Simple condition checks | JMESPath', 'missing', false],
  ['Simple condition checks | JMESPath', "contains(list, 'y') && !(missing)", true],
  ['Arithmetic | CEL', cel('count + 1 == 4'), true],
  ['String building | CEL', cel("name + '!' == 'morning!'"), true],
  ['Ternary logic | CEL', cel('count > 2 ? true : false'), true],
]
claimWalks(
  forms,
  'Expressions',
  conditions.map(([quote, condition, holds]): FormWalk => {
    const shown = typeof condition === 'string' ? `“${condition}”` : JSON.stringify(condition)
    const check = `${shown} is ${holds ? 'true' : 'not true'}`
    const next = [{ id: 'YES', if: condition }, 'NO']
    const steps = [ask({ next }), { id: 'YES', goal: 'y' }, { id: 'NO', goal: 'n' }]
    return {
      quote,
      check,
      steps,
      more: given,
      submits: [{ a: 'x' }],
      after: { step: holds ? 'YES' : 'NO' },
    }
  }),
)

const values: readonly (readonly [
  quote: string,
  from: LooseJson,
  value: LooseJson,
  differs?: string,
])[] = [
  ['Arithmetic | CEL | JMESPath can’t compute', cel('count * 2 + 1'), 7],
  ['String building | CEL', cel("name + ' ' + inputs.a"), 'morning x'],
  ['Ternary logic | Clean conditional values', cel("count > 2 ? 'many' : 'few'"), 'many'],
  ['valueFrom | JMESPath', 'list[0]', 'x'],
  [
    'CEL doesn’t support nested paths (inputs.address.city)',
    cel('address.city'),
    'Oslo',
    'steps-cel-nested',
  ],
]
claimWalks(
  forms,
  'CEL (Common Expression Language)',
  values.map(([quote, valueFrom, value, differs]): FormWalk => {
    const steps = [ask({ on: { submit: [{ action: 'set', name: 'local.v', valueFrom }] } })]
    const check = `\`${JSON.stringify(valueFrom)}\` gives ${JSON.stringify(value)}`
    const row = {
      quote,
      check,
      steps,
      more: given,
      submits: [{ a: 'x' }],
      after: { local: { v: value } },
    }
    return differs === undefined ? row : { ...row, differs }
  }),
)

// ── templates ───────────────────────────────────────────────────────────────

const templates: readonly (readonly [quote: string, text: string, filled: string])[] = [
  ['{{var}} | Replace with value', 'Hi {{name}}!', 'Hi morning!'],
  ['{{var}} | empty string if missing', 'Hi {{nobody}}!', 'Hi !'],
  ['${var} | Replace with value', 'Hi ${name}!', 'Hi morning!'],
  ['${var} | empty string if missing', 'Hi ${nobody}!', 'Hi !'],
  ['${var=default} | Replace with value', '${name=Guest}', 'morning'],
  ['${var=default} | default if missing', '${nobody=Guest}', 'Guest'],
  ['Global variables | {{variable_name}}', '{{count}}', '3'],
  ['Task-local state | {{local.key}}', '{{local.tries}}', '2'],
  ['Step inputs | {{inputs.field}}', '{{inputs.a}}', 'x'],
  [
    'Nested values | {{scope.path.to.value}}',
    '{{address.city}} {{vars.address.city}}',
    'Oslo Oslo',
  ],
]
claimWalks(
  forms,
  'Templates',
  templates.map(([quote, text, filled]): FormWalk => {
    const on = {
      start: [{ action: 'set', name: 'local.tries', value: 2 }],
      submit: [{ action: 'say', text: `[${text}]` }],
    }
    const check = `\`${text}\` becomes \`${filled}\``
    return {
      quote,
      check,
      steps: [ask({ on })],
      more: given,
      submits: [{ a: 'x' }],
      after: { said: [{ text: `[${filled}]` }] },
    }
  }),
)

claimWalks(forms, 'Where Templates Are Expanded', [
  {
    quote: 'instructions[] | Yes',
    check: 'placeholders in instructions are replaced',
    steps: [ask({ instructions: ['Say {{name}}.'] })],
    more: given,
    after: { brief: expect.stringContaining('Say morning.') },
  },
  {
    quote: 'say action text | Yes',
    check: 'placeholders in say texts are replaced',
    steps: [ask({ on: { enter: [{ action: 'say', text: 'Good {{name}}' }] } })],
    more: given,
    after: { said: [{ text: 'Good morning' }] },
  },
  {
    quote: 'set action value | Yes (if string)',
    check: 'placeholders are replaced in a string value, but not in other values',
    steps: [
      ask({
        on: {
          enter: [
            { action: 'set', name: 'local.s', value: '{{name}}' },
            { action: 'set', name: 'local.o', value: { k: '{{name}}' } },
          ],
        },
      }),
    ],
    more: given,
    after: { local: { s: 'morning', o: { k: '{{name}}' } } },
  },
  {
    quote: 'call action arguments | Yes (recursive)',
    check: 'placeholders are replaced in all strings of the arguments',
    steps: [
      ask({
        on: {
          enter: [{ action: 'call', name: 't', arguments: { k: ['{{name}}', { m: '${name}s' }] } }],
        },
      }),
    ],
    more: given,
    after: { pending: { name: 't', arguments: { k: ['morning', { m: 'mornings' }] } } },
  },
  {
    quote: 'goal | No | Used as-is',
    check: 'placeholders in the goal are not replaced',
    steps: [ask({ goal: 'Ask {{name}}' })],
    more: given,
    after: { goal: 'Ask {{name}}' },
  },
  {
    quote: 'if conditions | No',
    check: 'a condition is an expression, not a template',
    steps: [ask({ on: { enter: [{ action: 'say', text: 'x', if: "'{{name}}' == 'morning'" }] } })],
    more: given,
    after: { said: [] },
  },
  {
    quote: 'valueFrom | No',
    check: 'placeholders in a computed string are not replaced',
    steps: [ask({ on: { enter: [{ action: 'set', name: 'local.v', valueFrom: "'{{name}}'" }] } })],
    more: given,
    after: { local: { v: '{{name}}' } },
  },
])

claim(
  {
    section: 'Templates',
    quote: 'inject dynamic values into text fields using variable placeholders',
    check: 'a placeholder inside an inserted value is not replaced again',
  },
  async () => {
    const steps = [ask({ on: { submit: [{ action: 'say', text: 'You said {{inputs.a}}' }] } })]
    const form = await forms.open('rest', steps, given)
    expect((await form.submit({ a: '{{name}}' })).said).toMatchObject([
      { text: 'You said {{name}}' },
    ])
  },
)
